// Finding the trace of the world that spawned this one.
#include "plugin/session/parent_trace.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace ddtscope::plugin::parent_trace_test {
namespace {

namespace fs = std::filesystem;

class ParentTraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("parent_trace_test." + std::to_string(getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_ / "here");
    before_ = fs::current_path();
    fs::current_path(root_ / "here");
    world_.job = "4711.3";
    world_.number = {3};
    world_.parent = "4711.2";
    world_.parent_number = {2};
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(root_);
  }

  struct Says {
    std::string launcher_job = "4711.2";
    std::string job = "job7";
    std::string started = "2026-11-21T20:00:00.000Z";
    std::string more = {};
  };
  static std::string header(const Says& says) {
    return R"({"record":"header","format":"ddtscope-trace","version":1,"job":")" + says.job + "\"" + says.more +
           R"(,"launcher_job":")" + says.launcher_job + R"(","program":"/a","started":")" + says.started + "\"}\n";
  }
  static void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  fs::path root_, before_;
  LaunchedWorld world_;
};

TEST_F(ParentTraceTest, IsFoundUnderEachNameThatItMayHave) {
  const fs::path folder = root_ / "t";
  for (const char* name : {"rank-0.jsonl", "trace.jsonl", "rank-2.0.jsonl", "trace-2.jsonl"}) {
    EXPECT_FALSE(find_parent_trace(world_, folder.string())) << name;
    write(folder / name, header({}));
    const auto found = find_parent_trace(world_, folder.string());
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->folder, folder.string());
    EXPECT_EQ(found->job, "job7");
    EXPECT_TRUE(found->world.is_first());
    fs::remove_all(folder);
  }
}

TEST_F(ParentTraceTest, SaysWhichWorldOfItsJobTheParentIs) {
  write(root_ / "t" / "rank-2.0.jsonl", header({.more = R"(,"world":2,"spawned_by":1)"}));
  const auto found = find_parent_trace(world_, (root_ / "t").string());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->world, WorldNumber{2});
}

TEST_F(ParentTraceTest, OfAnotherWorldIsNotTaken) {
  write(root_ / "t" / "rank-0.jsonl", header({.launcher_job = "4711.1"}));
  write(root_ / "t" / "rank-2.0.jsonl", header({.launcher_job = ""}));
  write(root_ / "t" / "rank-7.0.jsonl", header({}));
  EXPECT_FALSE(find_parent_trace(world_, (root_ / "t").string()));
}

TEST_F(ParentTraceTest, IsFoundWhereItsFolderWasTaken) {
  write(root_ / "t" / "trace.jsonl", header({.launcher_job = "99"}));
  write(root_ / "t-job7" / "rank-0.jsonl", header({}));
  for (const char* wanted : {"t", "t/", "../t"}) {
    const std::string path = wanted[0] == '.' ? wanted : (root_ / wanted).string();
    const auto found = find_parent_trace(world_, path);
    ASSERT_TRUE(found) << wanted;
    EXPECT_EQ(fs::canonical(found->folder), fs::canonical(root_ / "t-job7"));
  }
}

TEST_F(ParentTraceTest, IsLeftAloneWhereAnotherWorldHadTheNumber) {
  write(root_ / "t" / "rank-0.jsonl", header({}));
  write(root_ / "t" / "trace-3.jsonl", header({.launcher_job = "4711.3"}));
  EXPECT_FALSE(find_parent_trace(world_, (root_ / "t").string()));
}

TEST_F(ParentTraceTest, IsFoundByTheDefaultsNames) {
  write(root_ / "here" / "ddtscope-other-1" / "rank-0.jsonl", header({.launcher_job = "4711.1"}));
  write(root_ / "here" / "ddtscope-app-2" / "rank-0.jsonl", header({}));
  write(root_ / "here" / "app" / "rank-0.jsonl", header({}));
  const auto found = find_parent_trace(world_, "");
  ASSERT_TRUE(found);
  EXPECT_EQ(fs::path(found->folder).filename(), "ddtscope-app-2");
}

TEST_F(ParentTraceTest, OfTheSameNamesTheYoungestIsTaken) {
  write("ddtscope-app-1/trace.jsonl", header({.job = "old", .started = "2026-11-20T20:00:00.000Z"}));
  write("ddtscope-app-2/trace.jsonl", header({.job = "young"}));
  write("ddtscope-app-3/trace.jsonl", header({.job = "middle", .started = "2026-11-20T21:00:00.000Z"}));
  const auto found = find_parent_trace(world_, "");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->job, "young");
}

TEST_F(ParentTraceTest, IsWaitedForWhereItsHeaderIsBeingWritten) {
  const fs::path file = root_ / "t" / "rank-0.jsonl";
  write(file, header({}).substr(0, 20));
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    write(file, header({}));
  });
  EXPECT_TRUE(find_parent_trace(world_, (root_ / "t").string()));
  writer.join();
}

TEST_F(ParentTraceTest, IsNotWaitedForWhereItsProcessIsLongGone) {
  const fs::path file = root_ / "t" / "rank-0.jsonl";
  write(file, header({}).substr(0, 20));
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
  const auto before = std::chrono::steady_clock::now();
  EXPECT_FALSE(find_parent_trace(world_, (root_ / "t").string()));
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(500));
}

}  // namespace
}  // namespace ddtscope::plugin::parent_trace_test
