// What is remembered of walks: all the words that a walk read, or nothing.
#include "plugin/call/recent_walks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <thread>

namespace ddtscope::plugin::recent_walks_test {
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

TEST(StackFork, TellsStacksApartByTheWordsInWhichTheyDiffered) {
  std::array<std::uintptr_t, 16> memory{};
  const ReturnPlace place{&memory, memory.data()};
  const Mapping stack{reinterpret_cast<std::uintptr_t>(memory.data()),
                      reinterpret_cast<std::uintptr_t>(memory.data() + memory.size())};
  StackFork fork;
  EXPECT_EQ(fork.words_at(place, stack), 0u);
  EXPECT_TRUE(fork.add(place, stack, &memory[5]));
  const std::uint64_t before = fork.words_at(place, stack);
  memory[6] = 1;
  EXPECT_EQ(fork.words_at(place, stack), before) << "nobody has met a difference in it";
  memory[5] = 1;
  EXPECT_NE(fork.words_at(place, stack), before);
  for (std::size_t i = 0; i + 1 < StackFork::most; ++i) EXPECT_TRUE(fork.add(place, stack, &memory[6 + i]));
  EXPECT_FALSE(fork.add(place, stack, &memory[15])) << "there is no room for more";
}

TEST(StackFork, ReadsNoOtherStack) {
  std::array<std::uintptr_t, 16> memory{};
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const ReturnPlace place{&memory, memory.data()};
  const Mapping stack{begin, begin + sizeof memory};
  StackFork fork;
  ASSERT_TRUE(fork.add(place, stack, &memory[5]));
  memory[5] = 7;
  EXPECT_NE(fork.words_at(place, stack), 0u);
  EXPECT_EQ(fork.words_at(place, {begin, begin + sizeof memory / 4}), 0u) << "the memory is shorter now";
  EXPECT_EQ(fork.words_at({&fork, memory.data()}, stack), 0u) << "another call";
  EXPECT_EQ(fork.words_at({&memory, memory.data() + 1}, stack), 0u) << "another frame";
}

void look_at_slots() {
  RecentWalks* const walks = RecentWalks::of_this_thread();
  ASSERT_NE(walks, nullptr);
  std::uintptr_t frame = 0;
  const ReturnPlace place{&frame, &frame};
  const RecentWalks::Slots slots = walks->slots_of(place, 0, {});
  RecentWalk& first = walks->slot_to_take(slots, 1);
  EXPECT_TRUE(walks->has(&first));
  first.rules = 1;
  RecentWalk& second = walks->slot_to_take(slots, 1);
  EXPECT_NE(&second, &first);
  second.rules = 1;
  RecentWalk& third = walks->slot_to_take(slots, 1);
  EXPECT_NE(&walks->slot_to_take(slots, 1), &third) << "each in turn";
  first.rules = second.rules = 2;
  EXPECT_EQ(&walks->slot_to_take(slots, 3), &first) << "what went by older rules is worth nothing";
}

TEST(RecentWalks, TwoStacksHaveRoomInTheSameSlots) {
  std::thread(look_at_slots).join();  // which has no walks yet
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
}  // namespace ddtscope::plugin::recent_walks_test
