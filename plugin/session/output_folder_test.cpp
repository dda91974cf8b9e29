// Where a trace goes.
#include "plugin/session/output_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ddtscope::plugin::output_folder_test {
namespace {

namespace fs = std::filesystem;

class OutputFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("output_folder_test." + std::to_string(getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  fs::path root_;
};

TEST_F(OutputFolderTest, IsTheWantedOneWithItsParents) {
  const OutputFolder made = make_output_folder((root_ / "a/b/c").string(), "program", "job", Claim::whole_job);
  EXPECT_EQ(made.path, (root_ / "a/b/c").string());
  EXPECT_EQ(made.notice, "");
  EXPECT_TRUE(fs::is_directory(made.path));
}

TEST_F(OutputFolderTest, NeverMixesTwoJobs) {
  std::ofstream(root_ / "rank-0.jsonl") << "{}\n";
  const OutputFolder made = make_output_folder(root_.string() + "/", "program", "job7", Claim::whole_job);
  EXPECT_EQ(made.path, root_.string() + "-job7");
  EXPECT_NE(made.notice.find("another job's trace"), std::string::npos);
  fs::remove_all(made.path);
}

TEST_F(OutputFolderTest, IsSharedByProcessesOfOneJob) {
  std::ofstream(root_ / "host-1.jsonl") << R"({"record":"header","job":"job7","rank":null})"
                                        << "\n";
  EXPECT_EQ(make_output_folder(root_.string(), "program", "job7", Claim::one_of_many).path, root_.string());
  const OutputFolder other = make_output_folder(root_.string(), "program", "job", Claim::one_of_many);
  EXPECT_EQ(other.path, root_.string() + "-job");
  fs::remove_all(other.path);
  std::ofstream(root_ / "host-2.jsonl");  // made a moment ago by a process of this job
  EXPECT_EQ(make_output_folder(root_.string(), "program", "job7", Claim::one_of_many).path, root_.string());
}

TEST_F(OutputFolderTest, AnEmptyFolderThatExistsIsTaken) {
  EXPECT_EQ(make_output_folder(root_.string(), "program", "job", Claim::whole_job).path, root_.string());
}

TEST_F(OutputFolderTest, AJobsIdLeadsNowhereElse) {
  const fs::path before = fs::current_path();
  fs::current_path(root_);
  const OutputFolder made = make_output_folder("", "solver", "../../job", Claim::whole_job);
  fs::current_path(before);
  EXPECT_EQ(made.path, (root_ / "ddtscope-solver-.._.._job").string());
  std::ofstream(fs::path(made.path) / "rank-0.jsonl") << "{}\n";
  EXPECT_EQ(make_output_folder(made.path, "solver", "a/b", Claim::whole_job).path, made.path + "-a_b");
}

TEST_F(OutputFolderTest, IsNamedAsAShellTakesIt) {
  EXPECT_EQ(shell_word("/home/me/t-1.2_x"), "/home/me/t-1.2_x");
  EXPECT_EQ(shell_word("/home/me/my trace"), "'/home/me/my trace'");
  EXPECT_EQ(shell_word("$it's"), "'$it'\\''s'");
}

TEST_F(OutputFolderTest, HasADefaultNamedByProgramAndJob) {
  const fs::path before = fs::current_path();
  fs::current_path(root_);
  const OutputFolder made = make_output_folder("", "solver", "job", Claim::whole_job);
  fs::current_path(before);
  EXPECT_EQ(fs::path(made.path).filename(), "ddtscope-solver-job");
}

TEST_F(OutputFolderTest, AFileInTheWayIsNamed) {
  std::ofstream(root_ / "file") << "x";
  const OutputFolder made = make_output_folder((root_ / "file/sub").string(), "program", "job", Claim::whole_job);
  EXPECT_EQ(made.path, "");
  EXPECT_NE(made.notice.find((root_ / "file/sub").string()), std::string::npos) << made.notice;
}

}  // namespace
}  // namespace ddtscope::plugin::output_folder_test
