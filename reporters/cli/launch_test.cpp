// Which plugin a program wants, and how programs are found.
#include "reporters/cli/launch.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "reporters/cli/elf_file.h"

namespace ddtscope::reporters::launch_test {
namespace {

namespace fs = std::filesystem;

class Environment : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_UNIVERSE_SIZE", "PMI_RANK", "PMI_FD",
                             "PMI_PORT", "HYDI_CONTROL_FD", "MPIR_CVAR_CH4_NETMOD"}) {
      unsetenv(name);
    }
    folder_ = fs::path(testing::TempDir()) / ("launch_test_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text, mode_t mode) {
    fs::path path = folder_ / name;
    std::ofstream(path) << text;
    chmod(path.c_str(), mode);
    return path;
  }

  fs::path folder_;
};
using ChooseMpiLibrary = Environment;
using FindProgram = Environment;
using NeededLibraries = Environment;

TEST(MpiLibraryOfFile, TellsTheLibrariesBySoname) {
  EXPECT_EQ(mpi_library_of_file("libmpi.so.40"), MpiLibrary::openmpi);
  EXPECT_EQ(mpi_library_of_file("libmpich.so.12"), MpiLibrary::mpich);
  EXPECT_EQ(mpi_library_of_file("/opt/mpich/lib/libmpi.so.12"), MpiLibrary::mpich);  // MPICH's own name for itself
  EXPECT_EQ(mpi_library_of_file("libmpi_abi.so.1"), MpiLibrary::mpi_abi);            // MPI-5.0 20.4
  EXPECT_EQ(mpi_library_of_file("/opt/lib/libmpi_abi.so"), MpiLibrary::mpi_abi);
  EXPECT_EQ(mpi_library_of_file("libmpi_mpifh.so.40"), std::nullopt);
  EXPECT_EQ(mpi_library_of_file("libc.so.6"), std::nullopt);
}

TEST(MpiLibraryOfText, TakesWhatTextOfSays) {
  for (const MpiLibrary library : all_mpi_libraries) EXPECT_EQ(mpi_library_of_text(text_of(library)), library);
  EXPECT_EQ(mpi_library_of_text("intel"), std::nullopt);
}

TEST_F(NeededLibraries, FollowsLibrariesToTheirOwnNeeds) {
  // This test links libgtest, which links libstdc++, which links libm.
  const auto names = needed_libraries("/proc/self/exe");
  EXPECT_NE(std::find(names.begin(), names.end(), "libc.so.6"), names.end());
  const auto direct = read_elf_file("/proc/self/exe");
  ASSERT_TRUE(direct);
  EXPECT_TRUE(direct->has_interpreter);
  EXPECT_GT(names.size(), direct->needed.size());
}

// ld.so(8): $ORIGIN is the program's folder, also in LD_LIBRARY_PATH.
TEST_F(NeededLibraries, AFolderMayBeCalledOrigin) {
  const fs::path folder = folder_ / "$ORIGIN";
  fs::create_directories(folder / "lib");
  fs::copy_file("/proc/self/exe", folder / "program");
  const auto direct = read_elf_file(folder / "program");
  ASSERT_TRUE(direct);
  // Libraries that need nothing: none that the program does not name is found where these stand before the system's.
  for (const std::string& name : direct->needed) write("$ORIGIN/lib/" + name, "", 0644);
  const char* set = std::getenv("LD_LIBRARY_PATH");
  const std::string path = set ? set : "";
  for (const char* libraries : {"$ORIGIN/lib", "${ORIGIN}/lib"}) {
    setenv("LD_LIBRARY_PATH", libraries, 1);
    EXPECT_EQ(needed_libraries(folder / "program"), direct->needed) << libraries;
  }
  setenv("LD_LIBRARY_PATH", path.c_str(), 1);
}

TEST_F(ChooseMpiLibrary, ScriptTakesTheLaunchersLibrary) {
  const auto script = write("script", "#!/bin/sh\n", 0755);
  setenv("PMI_RANK", "0", 1);
  EXPECT_EQ(std::get<MpiLibrary>(choose_mpi_library(script, std::nullopt)), MpiLibrary::mpich);
  unsetenv("PMI_RANK");
  setenv("OMPI_COMM_WORLD_RANK", "0", 1);
  EXPECT_EQ(std::get<MpiLibrary>(choose_mpi_library(script, std::nullopt)), MpiLibrary::openmpi);
  EXPECT_EQ(std::get<MpiLibrary>(choose_mpi_library(script, MpiLibrary::mpich)), MpiLibrary::mpich);
}

TEST_F(ChooseMpiLibrary, ScriptWithoutLauncherNeedsToBeTold) {
  const auto script = write("script", "#!/bin/sh\n", 0755);
  const auto chosen = choose_mpi_library(script, std::nullopt);
  const auto* problem = std::get_if<LaunchProblem>(&chosen);
  ASSERT_NE(problem, nullptr);
  EXPECT_EQ(problem->status, 2);
  EXPECT_NE(problem->sentence.find("--mpi"), std::string::npos);
}

TEST_F(ChooseMpiLibrary, ProgramWithoutMpiIsRefusedOutsideOfALauncher) {
  const auto chosen = choose_mpi_library("/proc/self/exe", std::nullopt);
  const auto* problem = std::get_if<LaunchProblem>(&chosen);
  ASSERT_NE(problem, nullptr);
  EXPECT_NE(problem->sentence.find("links no MPI library"), std::string::npos);
}

TEST_F(FindProgram, SearchesThePathForExecutableFiles) {
  write("first", "", 0644);
  fs::create_directories(folder_ / "later");
  const fs::path later = write("later/first", "", 0755);
  const char* set = std::getenv("PATH");
  const std::string path = set ? set : "";
  setenv("PATH", (folder_.string() + ":" + (folder_ / "later").string()).c_str(), 1);
  const auto found = find_program("first");
  setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(std::holds_alternative<fs::path>(found));
  EXPECT_EQ(std::get<fs::path>(found), later);
}

TEST_F(FindProgram, MissingIs127AndNotExecutableIs126) {
  const auto missing = find_program((folder_ / "none").string());
  EXPECT_EQ(std::get<LaunchProblem>(missing).status, 127);
  const auto data = find_program(write("data", "text", 0644).string());
  EXPECT_EQ(std::get<LaunchProblem>(data).status, 126);
  const auto folder = find_program(folder_.string());
  EXPECT_EQ(std::get<LaunchProblem>(folder).status, 126);
}

}  // namespace
}  // namespace ddtscope::reporters::launch_test
