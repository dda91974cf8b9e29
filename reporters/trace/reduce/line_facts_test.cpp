// What is derived of definitions from their lines. The oracle are traces of version 1, whose lines have it as the
// program's own process worked it out when it made the types.
#include "reporters/trace/reduce/line_facts.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "reporters/trace/reduce/append_facts.h"
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/random_trace.h"

namespace ddtscope::reduce::line_facts_test {
namespace {

namespace fs = std::filesystem;

const fs::path testdata = fs::path(DDTSCOPE_TESTDATA);

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (!stream.eof()) lines.push_back(line);
  }
  return lines;
}

/// A definition's line as it is when the type is made, and what is derived.
struct SplitLine {
  std::string called, derived;
};

SplitLine split(const std::string& line) {
  const std::size_t begin = line.find(",\"alignment\":");
  EXPECT_NE(begin, line.npos) << line;
  return {line.substr(0, begin) + "}", line.substr(begin + 1, line.size() - begin - 2)};
}

/// Definitions of a file that have facts, which must be those of its lines.
std::size_t expect_facts_of_lines(const fs::path& file) {
  SCOPED_TRACE(file.string());
  const std::vector<std::string> lines = lines_of(file);
  LineFacts facts(lines.at(0), {.time = std::chrono::hours(1)});
  std::size_t definitions = 0;
  for (const std::string& line : lines) {
    if (record_of(line) == "predefined") facts.predefined(line);
    if (record_of(line) != "definition") continue;
    const SplitLine wanted = split(line);
    EXPECT_EQ(facts.next(wanted.called), wanted.derived);
    ++definitions;
  }
  EXPECT_EQ(facts.without(), 0u);
  return definitions;
}

TEST(LineFacts, AreThoseThatTheProcessWorkedOut) {
  std::size_t definitions = 0;
  for (const char* folder : {"demo_halo_openmpi", "constructors_mpich", "known_bounds_mpich", "killed_openmpi"}) {
    definitions += expect_facts_of_lines(testdata / "v1" / folder / "rank-0.jsonl");
  }
  EXPECT_GT(definitions, 35u);  // every constructor, both forms, F90 types
}

TEST(LineFacts, StayAwayBeyondTheLimits) {
  const std::vector<std::string> lines = lines_of(testdata / "v1" / "constructors_mpich" / "rank-0.jsonl");
  std::size_t definitions = 0;
  const auto described = [&](const LineFacts::Limits& limits) {
    LineFacts facts(lines.at(0), limits);
    std::size_t count = 0;
    definitions = 0;
    for (const std::string& line : lines) {
      if (record_of(line) != "definition") continue;
      ++definitions;
      const SplitLine wanted = split(line);
      const std::string_view found = facts.next(wanted.called);
      if (found.empty()) continue;
      EXPECT_EQ(found, wanted.derived);
      ++count;
    }
    EXPECT_EQ(facts.without(), definitions - count);
    return count;
  };
  EXPECT_EQ(described({.time = std::chrono::milliseconds(-1)}), 0u);
  std::set<std::size_t> counts;
  for (std::size_t bytes = 0; bytes <= std::size_t{1} << 16; bytes += 512) {
    counts.insert(described({.bytes_of_definitions = bytes, .time = std::chrono::hours(1)}));
  }
  EXPECT_EQ(*counts.begin(), 0u);
  EXPECT_EQ(*counts.rbegin(), definitions);
  EXPECT_GT(counts.size(), 4u);
}

TEST(LineFacts, OfWhatIsNoDefinitionThereAreNone) {
  const std::vector<std::string> lines = lines_of(testdata / "v1" / "demo_halo_openmpi" / "rank-0.jsonl");
  std::vector<std::string> definitions;
  for (const std::string& line : lines) {
    if (record_of(line) == "definition") definitions.push_back(split(line).called);
  }
  const auto without = [&](std::string piece, const std::string& replacement) {
    std::string edited = definitions.at(0);
    const std::size_t at = edited.find(piece);
    EXPECT_NE(at, edited.npos) << piece;
    LineFacts facts(lines.at(0), {});
    return facts.next(edited.replace(at, piece.size(), replacement)).empty();
  };
  EXPECT_FALSE(without("\"id\"", "\"id\""));
  EXPECT_TRUE(without("MPI_COMBINER_", "MPI_COMBINER_X"));
  EXPECT_TRUE(without("\"contents\"", "\"nothing\""));
  EXPECT_TRUE(without("\"datatypes\":[", "\"datatypes\":[17,"));
  EXPECT_TRUE(without("\"integers\":[", "\"integers\":[[1,1,99999999999],"));
  EXPECT_TRUE(without("\"integers\":[", "\"integers\":[\"x\","));
}

class AppendFacts : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("append_facts_test_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    source_ = lines_of(testdata / "v1" / "constructors_mpich" / "rank-0.jsonl");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file() const { return folder_ / "rank-0.jsonl"; }
  /// All but the end of a process's trace.
  void write(trace::Writer& writer) {
    ASSERT_TRUE(writer.create(file()));
    for (const std::string& line : source_) {
      if (record_of(line) == "end") continue;
      if (record_of(line) != "definition") {
        writer.copied_line(line);
        continue;
      }
      const auto id = static_cast<std::uint32_t>(derived_.size());
      const SplitLine parts = split(line);
      derived_.push_back(parts.derived);
      const std::size_t members = parts.called.find("\"combiner\"");
      const std::string text = parts.called.substr(members, parts.called.size() - members - 1);
      writer.definition(trace::DefinitionText{.number = {id},
                                              .key = *key_from_text(text_of_string(member_of(line, "key"))),
                                              .called = "MPI_Type_vector",
                                              .members = text});
    }
  }
  void expect_facts(std::size_t count) {
    std::size_t found = 0;
    for (const std::string& line : lines_of(file())) {
      if (record_of(line) != "facts") continue;
      const std::size_t number = count_of(member_of(line, "definition"));
      ASSERT_LT(number, derived_.size());
      EXPECT_TRUE(line.ends_with(derived_[number] + "}")) << line;
      ++found;
    }
    EXPECT_EQ(found, count);
    EXPECT_EQ(record_of(lines_of(file()).back()), "end");
  }

  fs::path folder_;
  std::vector<std::string> source_, derived_;
};

TEST_F(AppendFacts, OneLineForEachDefinition) {
  trace::Writer writer;
  write(writer);
  EXPECT_EQ(append_facts(writer, file(), {}), 0u);
  writer.end({.complete = true, .reason = "MPI_Finalize", .ended = "now"});
  expect_facts(derived_.size());
}

TEST_F(AppendFacts, LeaveRoomForTheEnd) {
  trace::Writer writer;
  write(writer);
  writer.limit(writer.bytes_written() + (std::uint64_t{1} << 16) + 2000);
  const std::uint64_t without = append_facts(writer, file(), {});
  EXPECT_GT(without, 0u);
  EXPECT_LT(without, derived_.size());
  writer.end({.complete = true, .reason = "MPI_Finalize", .ended = "now"});
  expect_facts(derived_.size() - without);
}

TEST_F(AppendFacts, WhereTheDiskIsFullThereAreNoneAndTheTraceIsWhole) {
  trace::Writer writer;
  write(writer);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit full{static_cast<rlim_t>(writer.bytes_written() + 1500), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  EXPECT_EQ(append_facts(writer, file(), {}), derived_.size());
  EXPECT_FALSE(writer.stopped());
  writer.end({.complete = true, .reason = "MPI_Finalize", .ended = "now"});
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_FALSE(writer.stopped());
  expect_facts(0);
}

TEST_F(AppendFacts, OfAFileThatIsGoneThereAreNone) {
  trace::Writer writer;
  write(writer);
  fs::rename(file(), folder_ / "elsewhere");
  EXPECT_EQ(append_facts(writer, file(), {}), derived_.size());
  fs::rename(folder_ / "elsewhere", file());
  writer.end({.complete = true, .reason = "MPI_Finalize", .ended = "now"});
  expect_facts(0);
}

}  // namespace
}  // namespace ddtscope::reduce::line_facts_test
