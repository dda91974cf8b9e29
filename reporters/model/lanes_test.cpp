// Work in two threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <vector>

#include "reporters/model/ordered_parallel_for.h"

namespace ddtscope::reporters::lanes_test {
namespace {

TEST(Lanes, ResultsComeInOrderAndOneLaneDoesOnePieceAtATime) {
  for (const std::size_t pieces : {0U, 1U, 2U, 7U}) {
    std::atomic<int> busy[lanes] = {};
    std::vector<std::size_t> taken;
    ordered_parallel_for(
        pieces,
        [&](std::size_t lane, std::size_t piece) {
          EXPECT_EQ(busy[lane]++, 0);
          --busy[lane];
          return piece * piece;
        },
        [&](std::size_t piece, std::size_t result) {
          EXPECT_EQ(result, piece * piece);
          taken.push_back(piece);
        });
    EXPECT_EQ(taken.size(), pieces);
    EXPECT_TRUE(std::is_sorted(taken.begin(), taken.end()));
  }
}

TEST(Lanes, WhatIsThrownComesOut) {
  for (const std::size_t bad : {0U, 1U, 4U}) {
    const auto work = [&](std::size_t, std::size_t piece) {
      if (piece == bad) throw std::bad_alloc();
      return piece;
    };
    EXPECT_THROW(ordered_parallel_for(5, work, [](std::size_t, std::size_t) {}), std::bad_alloc) << bad;
  }
}

// A piece that takes long keeps the other lane from its work only when several results wait.
TEST(Lanes, GoAheadOfEachOther) {
  for (const std::size_t slow : {0U, 1U}) {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t of_other = 0;
    const auto work = [&](std::size_t lane, std::size_t piece) {
      std::unique_lock lock(mutex);
      if (lane != slow) {
        ++of_other;
        changed.notify_all();
      } else if (piece == slow) {
        EXPECT_TRUE(changed.wait_for(lock, std::chrono::minutes(1), [&] { return of_other >= 4; })) << slow;
      }
      return piece;
    };
    std::vector<std::size_t> taken;
    ordered_parallel_for(12, work, [&](std::size_t, std::size_t piece) { taken.push_back(piece); });
    EXPECT_EQ(taken, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})) << slow;
  }
}

}  // namespace
}  // namespace ddtscope::reporters::lanes_test
