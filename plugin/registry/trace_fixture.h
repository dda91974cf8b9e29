// What the registry's parts work with: a trace, counters, call sites, and memory for debuggers.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/call/call_site.h"
#include "plugin/debug_view/debug_memory.h"
#include "plugin/registry/counter_pages.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

class TraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("registry_test." + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    ASSERT_TRUE(writer_.create((folder_ / "rank-0.jsonl").string()));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// The trace's lines of one kind, so far.
  std::vector<std::string> written(const std::string& record) const {
    std::ifstream file(folder_ / "rank-0.jsonl");
    std::vector<std::string> found;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("{\"record\":\"" + record + "\"")) found.push_back(line);
    }
    return found;
  }

  std::filesystem::path folder_;
  CallSites sites_{0, [](std::string_view) { return false; }};
  trace::Writer writer_;
  CounterPages pages_;
  trace::DebugView view_{};
  DebugMemory memory_{view_};
};

}  // namespace ddtscope::plugin
