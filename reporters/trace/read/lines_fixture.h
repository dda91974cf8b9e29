// For tests: a golden trace whose lines a test adds to or replaces, read as a file of its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "reporters/trace/read/reader.h"

namespace ddtscope::test {

class LinesFixture : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("lines_fixture_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    std::ifstream stream(std::filesystem::path(DDTSCOPE_TESTDATA) / "v1" / "hand" / "rank-0.jsonl");
    text_.assign(std::istreambuf_iterator<char>(stream), {});
    ASSERT_FALSE(text_.empty());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// With its line feed.
  std::string header_line() const { return text_.substr(0, text_.find('\n') + 1); }
  std::optional<TraceProblem> read_text(const std::string& text, TraceSink& sink) {
    const std::filesystem::path path = folder_ / "rank-0.jsonl";
    std::ofstream(path, std::ios::binary) << text;
    return reader_.read(path, sink);
  }

  TraceReader reader_;
  std::filesystem::path folder_;
  std::string text_;  // the trace's
};

}  // namespace ddtscope::test
