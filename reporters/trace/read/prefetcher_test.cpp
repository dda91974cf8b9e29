#include "reporters/trace/read/prefetcher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace ddtscope::prefetcher_test {
namespace {

TEST(Prefetcher, GivesAllPiecesInTheirOrder) {
  for (const int pieces : {1, 2, 3, 4, 1000}) {
    int made = 0;
    Prefetcher<int> ahead([&](int& piece) {
      piece = ++made;
      return made < pieces;
    });
    int taken = 0;
    while (const int* piece = ahead.next()) EXPECT_EQ(*piece, ++taken);
    EXPECT_EQ(taken, pieces);
    EXPECT_EQ(ahead.next(), nullptr);
  }
}

TEST(Prefetcher, StaysAFewPiecesAhead) {
  std::atomic<int> made = 0;
  Prefetcher<int> ahead([&](int& piece) {
    piece = ++made;
    return true;
  });
  for (int taken = 1; taken <= 200; ++taken) {
    EXPECT_EQ(*ahead.next(), taken);
    EXPECT_LE(made, taken + 3);
  }
}  // where nobody takes the rest, the thread ends

TEST(Prefetcher, WhatIsThrownComesAfterWhatWasMade) {
  int made = 0;
  Prefetcher<int> ahead([&](int& piece) {
    if (made == 5) throw std::runtime_error("no more");
    piece = ++made;
    return true;
  });
  for (int taken = 1; taken <= 5; ++taken) EXPECT_EQ(*ahead.next(), taken);
  EXPECT_THROW(ahead.next(), std::runtime_error);
  EXPECT_EQ(ahead.next(), nullptr);
}

}  // namespace
}  // namespace ddtscope::prefetcher_test
