// A folder with the golden trace that was made by hand, whose modules are nowhere, and what is kept beside it: for
// tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <variant>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

class KeptFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("kept_files_test_" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::copy(std::filesystem::path(DDTSCOPE_TESTDATA) / "v1" / "hand", folder_);
    job_ = loaded();
  }
  void TearDown() override {
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(folder_);
  }

  std::unique_ptr<Job> loaded() const {
    const std::filesystem::path paths[] = {folder_};
    return std::move(std::get<0>(load_job(paths)));
  }

  std::filesystem::path folder_;
  std::unique_ptr<Job> job_;
};

}  // namespace ddtscope::reporters
