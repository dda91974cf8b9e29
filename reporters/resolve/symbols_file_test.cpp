// Symbols that stay with a trace whose modules are nowhere: /nowhere/app of the golden trace made by hand.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "reporters/json/json.h"
#include "reporters/resolve/kept_files_fixture.h"
#include "reporters/resolve/symbols_file.h"

namespace ddtscope::reporters::symbols_file_test {
namespace {

namespace fs = std::filesystem;

class SymbolsFileTest : public KeptFilesTest {
 protected:
  void write(const std::string& text) { std::ofstream(folder_ / symbols_file_name) << text; }
  Json read() const {
    std::ifstream stream(folder_ / symbols_file_name);
    return Json::parse(stream);
  }
  const ModuleRecord& app() const { return job_->modules.front(); }

  static constexpr const char* known =
      R"({"format": "ddtscope-symbols", "version": 1, "job": "j", "modules": [{"path": "/elsewhere/app",
          "build_id": "00112233445566778899aabbccddeeff00112233", "locations": [
          {"offset": 200, "function": "make_half", "inlined_into": ["main"], "file": "/src/app.c", "line": 12}]}]})";
};

TEST_F(SymbolsFileTest, IsBelievedByBuildIdWhereTheModuleIsGone) {
  write(known);
  Symbols symbols;
  EXPECT_EQ(read_symbols(folder_, *job_, symbols), std::nullopt);
  const SourceLocation& location = symbols.resolve(app(), 200);
  EXPECT_EQ(location.function, "make_half");
  EXPECT_EQ(location.file, "/src/app.c");
  EXPECT_EQ(location.line, 12);
  EXPECT_EQ(location.inlined_into, std::vector<std::string>{"main"});
  EXPECT_FALSE(symbols.resolve(app(), 300).function);
}

TEST_F(SymbolsFileTest, AnotherBuildIsNotBelieved) {
  std::string other = known;
  other.replace(other.find("0011223344"), 10, "ffffffffff");
  write(other);
  Symbols symbols;
  EXPECT_EQ(read_symbols(folder_, *job_, symbols), std::nullopt);
  EXPECT_FALSE(symbols.resolve(app(), 200).function);
}

TEST_F(SymbolsFileTest, WhatIsKnownStaysWhenItIsWrittenAgain) {
  write(known);
  Symbols symbols;
  read_symbols(folder_, *job_, symbols);
  const auto written = write_symbols(folder_, *job_, symbols);
  ASSERT_TRUE(std::holds_alternative<Resolved>(written)) << std::get<TraceProblem>(written).sentence;
  const Resolved& resolved = std::get<Resolved>(written);
  EXPECT_EQ(resolved.with_function, 1u);
  EXPECT_EQ(resolved.with_line, 1u);
  EXPECT_GT(resolved.places, 1u);
  EXPECT_EQ(resolved.unresolved.front().module, "/nowhere/app");
  EXPECT_EQ(resolved.unresolved.front().why, "the file is missing on this machine");
  EXPECT_EQ(read()["modules"][0]["locations"],
            Json::parse(R"([{"offset": 200, "function": "make_half", "inlined_into": ["main"], "file": "/src/app.c",
                             "line": 12}])"));
  // The trace is the same as before: the file is none of its own.
  const fs::path paths[] = {folder_};
  EXPECT_TRUE(std::holds_alternative<std::unique_ptr<Job>>(load_job(paths)));
}

TEST_F(SymbolsFileTest, DamageIsSaidAndDoneWithout) {
  for (const char* text : {"", "{", "[]", R"({"format": "other", "version": 1, "modules": []})",
                           R"({"format": "ddtscope-symbols", "version": 2, "modules": []})",
                           R"({"format": "ddtscope-symbols", "version": 1, "modules": [{"path": 3}]})",
                           R"({"format": "ddtscope-symbols", "version": 1, "modules": 7})"}) {
    SCOPED_TRACE(text);
    write(text);
    Symbols symbols;
    const auto problem = read_symbols(folder_, *job_, symbols);
    if (std::string_view(text).ends_with("7})")) {
      EXPECT_FALSE(symbols.resolve(app(), 200).function);
      continue;
    }
    ASSERT_TRUE(problem);
    EXPECT_NE(problem->find("ddtscope resolve"), std::string::npos) << *problem;
  }
}

TEST_F(SymbolsFileTest, WhereNothingCanBeWrittenNothingIsLeft) {
  Symbols symbols;
  const auto written = write_symbols(folder_ / "missing", *job_, symbols);
  ASSERT_TRUE(std::holds_alternative<TraceProblem>(written));
  EXPECT_NE(std::get<TraceProblem>(written).sentence.find("cannot be written (No such file"), std::string::npos)
      << std::get<TraceProblem>(written).sentence;
}

}  // namespace
}  // namespace ddtscope::reporters::symbols_file_test
