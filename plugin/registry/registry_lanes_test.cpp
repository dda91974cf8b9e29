// What several threads do at once with types that are known: each in the lane of its handle.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "plugin/registry/registry_fixture.h"

namespace ddtscope::plugin::registry_lanes_test {
namespace {

/// The registry of a program that calls from several threads.
class LanesTest : public RegistryTest {
 protected:
  void live_once(HandleBits handle, std::int64_t count) {
    make_vector(handle, count);
    commit(handle);
    free(handle);
  }
};

TEST_F(LanesTest, WhatIsMadeAgainNeedNotWaitForTheLock) {
  for (int i = 0; i < 2; ++i) live_once(100, 3);
  std::future<void> again;
  bool is_done = false;
  registry_->beside([&] {
    again = std::async(std::launch::async, [&] { live_once(100, 3); });
    is_done = again.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  });
  EXPECT_TRUE(is_done);
  again.get();
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,3,0,3,3]]");
}

TEST_F(LanesTest, WhoeverAsksForAnyHandleSeesNoneChange) {
  for (int i = 0; i < 2; ++i) live_once(100, 3);
  std::future<void> again;
  registry_->beside_all_handles([&] {
    again = std::async(std::launch::async, [&] { live_once(100, 3); });
    EXPECT_EQ(again.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    EXPECT_EQ(registry_->types_in_use().find(100).state, TypeInUse::State::freed);
  });
  again.get();
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,3,0,3,3]]");
}

TEST_F(LanesTest, AHandleThatIsGivenAgainBeforeItsFreeHasComeBack) {
  for (int i = 0; i < 2; ++i) live_once(100, 3);
  make_vector(100, 3);
  const Registry::Free first = registry_->begin_free(100);
  make_vector(100, 3);  // by another thread
  commit(100);
  EXPECT_FALSE(registry_->end_free(first, CallOutcome::succeeded));
  EXPECT_TRUE(registry_->knows(100));
  EXPECT_EQ(registry_->totals().created - registry_->totals().freed, 1u);
  free(100);
  EXPECT_TRUE(registry_->was_freed(100));
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,4,0,3,4]]");
}

TEST_F(LanesTest, AFreeThatFailsLeavesTheLifeAsItWas) {
  for (int i = 0; i < 2; ++i) live_once(100, 3);
  make_vector(100, 3);
  registry_->end_free(registry_->begin_free(100), CallOutcome::failed);
  EXPECT_TRUE(registry_->knows(100));
  free(100);
  free(100);  // once too often
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,3,0,2,3]]");
}

TEST_F(LanesTest, WhatWasMadeBeforeThereWereLanesIsCountedWhereItBegan) {
  start({.multithreaded = false});
  for (HandleBits handle = 100; handle < 120; ++handle) make_vector(handle, 3);
  registry_->require_locking();
  for (HandleBits handle = 100; handle < 120; ++handle) {
    commit(handle);
    free(handle);
    live_once(handle, 3);
    live_once(handle, 3);
  }
  EXPECT_EQ(registry_->totals().freed, 60u);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,60,0,60,60]]");
}

TEST_F(LanesTest, WithoutMemoryForCountersOfLanesOneCountsForAll) {
  start({.most_bytes = 4000});
  for (int i = 0; i < 3; ++i) {
    for (HandleBits handle = 100; handle < 200; ++handle) live_once(handle, 3);
  }
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,300,0,300,300]]");
}

/// Handles go from thread to thread, as a library gives them: anew as soon as they are free, though the call that freed
/// them has not come back.
TEST_F(LanesTest, EightThreadsThatFreeEachOthersTypesCountExactly) {
  constexpr int threads = 8;
  constexpr int rounds = 4000;
  constexpr std::size_t handles = 32;
  std::array<std::atomic<bool>, handles> taken{};  // in the library
  std::array<std::atomic<HandleBits>, 8> places{};
  const auto handle_of = [](std::size_t i) { return HandleBits{0x1000000} + i * 0x180; };
  const auto library_free = [&](HandleBits handle) {
    taken[(handle - handle_of(0)) / 0x180].store(false, std::memory_order_release);
  };
  const auto library_make = [&](std::size_t start) {
    for (std::size_t i = start;; ++i) {
      if (!taken[i % handles].exchange(true, std::memory_order_acquire)) return handle_of(i % handles);
    }
  };
  const auto free_as_a_program = [&](HandleBits handle) {
    const Registry::Free free = registry_->begin_free(handle);
    EXPECT_TRUE(free.known);
    library_free(handle);
    registry_->end_free(free, CallOutcome::succeeded);
  };
  // Everything is locked in between: what begins and what ends are told apart.
  std::atomic<std::uint64_t> most_alive{0};
  const auto alive = [&] {
    const Registry::Totals totals = registry_->totals();
    return totals.created - totals.freed;
  };
  const auto run = [&](unsigned thread) {
    for (int i = 0; i < rounds; ++i) {
      const HandleBits made = library_make(thread * 4);
      make_vector(made, 2 + i % 3);
      commit(made);
      const HandleBits other = places[static_cast<unsigned>(i) % places.size()].exchange(made);
      if (other != 0) free_as_a_program(other);
      if (i % 100 == 0) most_alive = std::max(most_alive.load(), alive());
    }
  };
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i) running.emplace_back(run, i);
  for (std::thread& thread : running) thread.join();
  for (std::atomic<HandleBits>& place : places) {
    if (const HandleBits left = place.exchange(0)) free_as_a_program(left);
  }
  EXPECT_LE(most_alive, handles + threads);
  EXPECT_EQ(registry_->totals().created, std::uint64_t{threads} * rounds);
  EXPECT_EQ(registry_->totals().freed, std::uint64_t{threads} * rounds);
  std::uint64_t committed = 0;
  for (const std::string& line : lines("instances")) {
    unsigned long created = 0, adopted = 0, of_line = 0, freed = 0;
    ASSERT_EQ(std::sscanf(line.c_str() + line.find("[[null,"), "[[null,%lu,%lu,%lu,%lu]]", &created, &adopted, &of_line,
                          &freed),
              4)
        << line;
    EXPECT_EQ(created, freed);
    committed += of_line;
  }
  EXPECT_EQ(committed, std::uint64_t{threads} * rounds);
}

}  // namespace
}  // namespace ddtscope::plugin::registry_lanes_test
