// Work in two threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <vector>

#include "reporters/model/ordered_parallel_for.h"

namespace ddtscope::reporters {
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

}  // namespace
}  // namespace ddtscope::reporters
