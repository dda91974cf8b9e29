// What is remembered of walks: all the words that a walk read, or nothing.
#include "plugin/call/recent_walks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <thread>

namespace ddtscope::plugin {
namespace {

TEST(RecentWalks, OneWordThatChangesTellsAnotherStack) {
  std::array<std::uintptr_t, 9> stack{1, 2, 3, 4, 5, 6, 7, 8, 9};
  StackWords words;
  words.clear();
  for (const std::uintptr_t& word : stack) words.add(&word);
  EXPECT_TRUE(words.are_as_they_were());
  for (std::uintptr_t& word : stack) {
    ++word;
    EXPECT_FALSE(words.are_as_they_were());
    --word;
  }
  EXPECT_TRUE(words.are_as_they_were());
}

TEST(RecentWalks, AWalkOfTooManyWordsIsNotKept) {
  const std::uintptr_t word = 1;
  StackWords words;
  words.clear();
  for (std::size_t i = 0; i < StackWords::most; ++i) words.add(&word);
  EXPECT_TRUE(words.has_all());
  words.add(&word);
  EXPECT_FALSE(words.has_all());
}

std::size_t mapped_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(RecentWalks, AThreadThatEndsGivesItsMemoryBack) {
  constexpr int threads = 500;
  bool have_all_some = true;
  const auto use = [&] { have_all_some = RecentWalks::of_this_thread() != nullptr && have_all_some; };
  std::thread(use).join();  // stacks of threads are kept by the system's library
  const std::size_t before = mapped_bytes();
  for (int i = 0; i < threads; ++i) std::thread(use).join();
  EXPECT_TRUE(have_all_some);
  EXPECT_LT(mapped_bytes(), before + threads * sizeof(RecentWalks) / 4);
}

}  // namespace
}  // namespace ddtscope::plugin
