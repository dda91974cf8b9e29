// The command at the end of the job, played by scripts.
#include "plugin/session/symbols_helper.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ddtscope::plugin::symbols_helper_test {
namespace {

namespace fs = std::filesystem;

std::atomic<int> children_ended{0};

class SymbolsHelperTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("symbols_helper_test." + std::to_string(getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string run(const std::string& script, int patience_s = 60) {
    const fs::path command = root_ / "command";
    std::ofstream(command) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(command, fs::perms::owner_all);
    return SymbolsHelper{command, root_, patience_s}.run();
  }
  std::string text_of(const char* file) const {
    std::ifstream stream(root_ / file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  fs::path root_;
};

TEST_F(SymbolsHelperTest, TheCommandIsToldFolderAndTime) {
  EXPECT_EQ(run("echo \"$*\" > \"$4/words\"; echo kept", 7), "");
  EXPECT_EQ(text_of("words"), "resolve --at-end-of-job 7 " + root_.string() + "\n");
}

TEST_F(SymbolsHelperTest, WhatItSaysInPlaceOfThatItIsDoneIsTheReason) {
  EXPECT_EQ(run("echo 'The disk is full.'; echo more; exit 3"), "The disk is full");
  EXPECT_EQ(run("head -c 100000 /dev/zero | tr '\\0' x").size(), 300u);
}

TEST_F(SymbolsHelperTest, ACommandThatIsMissingCrashesOrHangsIsSaid) {
  const std::string nowhere = (root_ / "nowhere").string();
  const SymbolsHelper missing{nowhere, root_, 60};
  EXPECT_EQ(missing.run(), nowhere + " cannot be run: No such file or directory");
  EXPECT_EQ(run("kill -SEGV $$"), (root_ / "command").string() + " ended early");
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(run("echo $$ > \"$4/process\"; : > \"$4/symbols.json.$$.unfinished\"; exec sleep 100", 5),
            "it took longer than 5 s");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(50));
  EXPECT_FALSE(fs::exists(root_ / ("symbols.json." + std::to_string(std::stoi(text_of("process"))) + ".unfinished")));
  // Who adopted it may not have looked yet.
  const std::string state = "/proc/" + std::to_string(std::stoi(text_of("process"))) + "/cmdline";
  std::ifstream command_line(state);
  std::string words;
  std::getline(command_line, words);
  EXPECT_EQ(words, "");
}

TEST_F(SymbolsHelperTest, WhatIsKeptIsKeptThoughTheSourcesTakeTooLong) {
  EXPECT_EQ(run("echo kept; echo $$ > \"$4/process\"; : > \"$4/sources.json.$$.unfinished\"; exec sleep 100", 5), "");
  EXPECT_FALSE(fs::exists(root_ / ("sources.json." + std::to_string(std::stoi(text_of("process"))) + ".unfinished")));
}

TEST_F(SymbolsHelperTest, TheProgramHasNoChildOfIt) {
  struct sigaction before {};
  struct sigaction counting {};
  counting.sa_handler = [](int) { ++children_ended; };
  sigaction(SIGCHLD, &counting, &before);
  EXPECT_EQ(run("echo kept"), "");
  EXPECT_EQ(run("sleep 100", 1), "it took longer than 1 s");
  sigaction(SIGCHLD, &before, nullptr);
  EXPECT_EQ(children_ended, 0);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG | __WALL), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(SymbolsHelperTest, AChildOfTheProgramIsLeftToIt) {
  const pid_t child = fork();
  if (child == 0) _exit(7);
  siginfo_t ended{};
  waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
  EXPECT_EQ(run("echo kept"), "");
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(SymbolsHelperTest, SignalsThatAreIgnoredAreTheProgramsAffair) {
  struct sigaction before {};
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignored, &before);
  EXPECT_EQ(run("(exit 3); [ $? = 3 ] && echo kept"), "");
  sigaction(SIGCHLD, &before, nullptr);
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  EXPECT_EQ(sigismember(&now, SIGUSR1), 0);
}

TEST_F(SymbolsHelperTest, TheCommandGetsNothingOfTheProgram) {
  setenv("LD_PRELOAD", "", 1);
  setenv("DDTSCOPE_OUTPUT", "/nowhere", 1);
  setenv("DEBUGINFOD_URLS", "http://nowhere", 1);
  const int own = open("/dev/null", O_RDONLY);
  EXPECT_EQ(run("env > \"$4/environment\"; ls /proc/self/fd > \"$4/files\"; pwd > \"$4/here\"; echo kept"), "");
  close(own);
  for (const char* name : {"LD_PRELOAD", "DDTSCOPE_OUTPUT", "DEBUGINFOD_URLS"}) {
    unsetenv(name);
    EXPECT_EQ(text_of("environment").find(name), std::string::npos) << name;
  }
  EXPECT_EQ(text_of("files"), "0\n1\n2\n3\n");  // 3 is what ls reads
  EXPECT_EQ(text_of("here"), "/\n");
}

TEST_F(SymbolsHelperTest, AProgramWithoutStandardFilesIsNoObstacle) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int descriptor : {0, 1, 2}) close(descriptor);
    _exit(run("echo told >&2; cat; echo kept").empty() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(SymbolsHelperTest, AProgramThatTakesOrphansInIsSpared) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const bool spared = run("touch \"$4/ran\"; echo kept").find("orphans") != std::string::npos;
    _exit(spared && !fs::exists(root_ / "ran") ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(FindCommand, IsTheOneThatIsNamedOrBesideThePlugin) {
  EXPECT_EQ(find_command("/some/where"), "/some/where");
  // These tests are in bin, from which ../bin is found as it is from lib.
  const std::string beside = find_command("");
  EXPECT_TRUE(beside.empty() || beside.ends_with("/bin/ddtscope")) << beside;
}

}  // namespace
}  // namespace ddtscope::plugin::symbols_helper_test
