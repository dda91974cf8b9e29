#include "reporters/measure/run_command.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "reporters/measure/interruption.h"
#include "reporters/measure/temporary_folder.h"

namespace ddtscope::reporters::run_command_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

CommandResult run(const TemporaryFolder& folder, std::vector<std::string> words,
                  milliseconds limit = milliseconds(60000)) {
  return run_command({std::move(words), folder.path(), limit});
}

TEST(RunCommand, GivesStatusOutputAndTheLastLinesOfTheErrors) {
  const TemporaryFolder folder;
  const CommandResult result =
      run(folder, {"sh", "-c", "echo out; i=0; while [ $i -lt 30 ]; do echo line $i >&2; i=$((i + 1)); done; exit 5"});
  EXPECT_EQ(result.end, CommandEnd::status);
  EXPECT_EQ(result.number, 5);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_TRUE(result.errors.starts_with("line 22\n") && result.errors.ends_with("line 29")) << result.errors;
  EXPECT_FALSE(result.is_fine());
  EXPECT_EQ(how_it_ended(result, milliseconds(1)), "ended with status 5");
}

TEST(RunCommand, TakesWordsAsTheyAre) {
  const TemporaryFolder folder;
  EXPECT_EQ(run(folder, {"printf", "%s", "$(id) `id` ; 'a b' *"}).output, "$(id) `id` ; 'a b' *");
}

TEST(RunCommand, HasAnEmptyInputAndKeepsTemporaryFilesInTheFolder) {
  const TemporaryFolder folder;
  EXPECT_EQ(run(folder, {"sh", "-c", "cat; echo \"$TMPDIR\""}).output, folder.path().string() + "\n");
}

TEST(RunCommand, SaysWhatCannotBeStarted) {
  const TemporaryFolder folder;
  const CommandResult result = run(folder, {"/dev/null/nothing"});
  EXPECT_EQ(result.end, CommandEnd::not_started);
  EXPECT_EQ(result.number, ENOTDIR);
}

TEST(RunCommand, TellsSignals) {
  const TemporaryFolder folder;
  const CommandResult result = run(folder, {"sh", "-c", "kill -SEGV $$"});
  EXPECT_EQ(result.end, CommandEnd::signal);
  EXPECT_EQ(how_it_ended(result, milliseconds(1)), "was killed by signal 11 (Segmentation fault)");
}

TEST(RunCommand, LeavesOutThePlugins) {
  const TemporaryFolder folder;
  const auto preloaded = [&](const char* preload) {
    setenv("LD_PRELOAD", preload, 1);
    const std::string output = run(folder, {"sh", "-c", "echo \"${LD_PRELOAD-none}\""}).output;
    unsetenv("LD_PRELOAD");
    return output;
  };
  const char* const before = std::getenv("LD_PRELOAD");
  const std::string kept = before != nullptr ? before : "";
  EXPECT_EQ(preloaded("/no/libddtscope-openmpi.so"), "none\n");
  EXPECT_EQ(preloaded("libddtscope-mpich.so:/no/a.so /no/libddtscope-mpi_abi.so:/libddtscope-/b.so"),
            "/no/a.so:/libddtscope-/b.so\n");
  if (before != nullptr) setenv("LD_PRELOAD", kept.c_str(), 1);
}

TEST(RunCommand, LeavesNoCore) {
  rlimit before{}, allowed{}, after{};
  ASSERT_EQ(getrlimit(RLIMIT_CORE, &before), 0);
  allowed = {before.rlim_max, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_CORE, &allowed), 0);
  const TemporaryFolder folder;
  EXPECT_EQ(run(folder, {"sh", "-c", "ulimit -c"}).output, "0\n");
  ASSERT_EQ(getrlimit(RLIMIT_CORE, &after), 0);
  EXPECT_EQ(after.rlim_cur, allowed.rlim_cur);
  setrlimit(RLIMIT_CORE, &before);
}

/// Signals that are ignored stay so in what a process starts, such as the shell of a job's script.
TEST(RunCommand, IsNotFineWhereItsEndIsLost) {
  const TemporaryFolder folder;
  struct sigaction ignoring {
  }, before{}, after{};
  ignoring.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignoring, &before);
  const CommandResult lost = run(folder, {"sh", "-c", "exit 0"});
  CommandResult told;
  {
    const Interruption interruption;
    told = run(folder, {"sh", "-c", "exit 5"});
  }
  sigaction(SIGCHLD, &before, &after);
  EXPECT_EQ(lost.end, CommandEnd::lost);
  EXPECT_FALSE(lost.is_fine());
  EXPECT_EQ(how_it_ended(lost, milliseconds(1)), "ended, and how is not known (No child processes)");
  EXPECT_EQ(told.end, CommandEnd::status);
  EXPECT_EQ(told.number, 5);
  EXPECT_EQ(after.sa_handler, SIG_IGN);
}

/// Also of what the command has started: the process that sleeps would hold the file otherwise.
TEST(RunCommand, EndsTheWholeGroupAtTheLimit) {
  const TemporaryFolder folder;
  const auto begin = steady_clock::now();
  const CommandResult result = run(folder, {"sh", "-c", "sleep 50 & echo $!; wait"}, milliseconds(300));
  EXPECT_EQ(result.end, CommandEnd::limit);
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_EQ(how_it_ended(result, milliseconds(300)), "did not end within 1 s");
  const pid_t sleeper = std::stoi(result.output);
  bool is_gone = false;
  for (int i = 0; i < 100 && !is_gone; ++i) {
    std::string state;
    std::ifstream("/proc/" + std::to_string(sleeper) + "/stat") >> state >> state >> state;
    is_gone = state.empty() || state == "Z";
    if (!is_gone) usleep(10000);
  }
  EXPECT_TRUE(is_gone);
}

TEST(Interruption, EndsTheCommandAndLaterTheProcess) {
  const auto interrupted = [](const std::string& signal) {
    const Interruption interruption;
    const TemporaryFolder folder;
    const CommandResult result = run(folder, {"sh", "-c", "kill -" + signal + " $PPID; sleep 50"});
    if (result.end != CommandEnd::interrupted || !std::filesystem::exists(folder.path())) _exit(1);
  };
  EXPECT_EXIT(interrupted("INT"), testing::KilledBySignal(SIGINT), "");
  const auto quit = [&] {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    interrupted("QUIT");
  };
  EXPECT_EXIT(quit(), testing::KilledBySignal(SIGQUIT), "");
}

TEST(TemporaryFolder, GoesWithAllThatIsInIt) {
  std::filesystem::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    std::filesystem::create_directories(path / "a/b");
    std::ofstream(path / "a/b/c") << "text";
    EXPECT_TRUE(std::filesystem::exists(path / "a/b/c"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(CommandText, IsSplitAtBlanks) {
  EXPECT_EQ(words_of_command("  srun -n  1 "), (std::vector<std::string>{"srun", "-n", "1"}));
  EXPECT_TRUE(words_of_command("  ").empty());
}

}  // namespace
}  // namespace ddtscope::reporters::run_command_test
