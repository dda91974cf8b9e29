// Which buffers are pending and which of them meet another one, against a plain list that is looked through.
#include "plugin/pending/pending_buffers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>
#include <set>
#include <vector>

namespace ddtscope::plugin::pending_buffers_test {
namespace {

constexpr EntryPoint entry{"MPI_Irecv", "c"};

Buffer buffer_at(std::int64_t begin, std::int64_t end, Access access = Access::writes, std::uint64_t elements = 1) {
  Buffer buffer;
  buffer.hull = {begin, end};
  buffer.address = begin;
  buffer.elements = elements;
  buffer.called = &entry;
  buffer.access = access;
  return buffer;
}

std::size_t number_met(PendingBuffers& pending, const Buffer& buffer) {
  PendingBuffers::Met met;
  pending.find(buffer, met);
  return met.count;
}

TEST(PendingBuffers, FindsWhatOverlapsAndOneOfTheTwoWrites) {
  PendingBuffers pending;
  pending.begin_operation();
  ASSERT_TRUE(pending.add(buffer_at(100, 200, Access::reads), {1, 10}));
  EXPECT_EQ(number_met(pending, buffer_at(199, 300)), 1u);
  EXPECT_EQ(number_met(pending, buffer_at(200, 300)), 0u);
  EXPECT_EQ(number_met(pending, buffer_at(0, 100)), 0u);
  EXPECT_EQ(number_met(pending, buffer_at(0, 101)), 1u);
  EXPECT_EQ(number_met(pending, buffer_at(150, 160, Access::reads)), 0u);
  pending.complete({1, 10});
  EXPECT_EQ(number_met(pending, buffer_at(0, 300)), 0u);
}

TEST(PendingBuffers, AHandleThatMovedIsStillKnown) {
  PendingBuffers pending;
  pending.begin_operation();
  pending.add(buffer_at(0, 8), {1, 10});
  pending.complete({1, 99});
  EXPECT_TRUE(pending.empty());
}

TEST(PendingBuffers, OfASharedHandleThePlaceTellsWhichIsComplete) {
  PendingBuffers pending;
  for (const std::uint64_t place : std::initializer_list<std::uint64_t>{10, 20, 30}) {
    pending.begin_operation();
    pending.add(buffer_at(static_cast<std::int64_t>(place), static_cast<std::int64_t>(place) + 8), {1, place});
  }
  pending.complete({1, 20});
  EXPECT_EQ(number_met(pending, buffer_at(20, 28)), 0u);
  EXPECT_EQ(number_met(pending, buffer_at(10, 40)), 2u);
  pending.complete({1, 77});  // nobody can tell
  EXPECT_TRUE(pending.empty());
}

TEST(PendingBuffers, OfOnePlaceThatWasUsedTwiceNobodyCanTell) {
  PendingBuffers pending;
  for (const std::int64_t begin : {0, 100}) {
    pending.begin_operation();
    pending.add(buffer_at(begin, begin + 8), {1, 10});
  }
  pending.complete({1, 10});
  EXPECT_TRUE(pending.empty());
}

TEST(PendingBuffers, BuffersOfOneOperationGoTogether) {
  for (const int others : {0, 100}) {
    PendingBuffers pending;
    for (int i = 0; i < others; ++i) {
      pending.begin_operation();
      pending.add(buffer_at(1000 + i, 1001 + i), {static_cast<HandleBits>(100 + i), 0});
    }
    pending.begin_operation();
    pending.add(buffer_at(0, 8, Access::reads), {1, 10});
    pending.add(buffer_at(8, 16), {1, 10});
    pending.complete({1, 10});
    EXPECT_EQ(pending.size(), static_cast<std::size_t>(others));
  }
}

TEST(PendingBuffers, AWindowsOperationsGoByTarget) {
  for (const int count : {8, 200}) {
    PendingBuffers pending;
    for (int i = 0; i < count; ++i) {
      pending.begin_operation();
      pending.add(buffer_at(i * 8, i * 8 + 8), {7, static_cast<std::uint64_t>(i % 2)});
    }
    pending.release_at({7, 1});
    EXPECT_EQ(pending.size(), static_cast<std::size_t>(count / 2));
    EXPECT_EQ(number_met(pending, buffer_at(8, 16)), 0u);
    EXPECT_EQ(number_met(pending, buffer_at(0, 8)), 1u);
    pending.release(7);
    EXPECT_TRUE(pending.empty());
  }
}

TEST(PendingBuffers, ThereIsALimit) {
  PendingBuffers pending(40);
  for (std::int64_t i = 0; i < 40; ++i) {
    EXPECT_TRUE(pending.add(buffer_at(i, i + 1), {static_cast<HandleBits>(i), 0}));
  }
  EXPECT_FALSE(pending.add(buffer_at(50, 51), {50, 0}));
}

TEST(PendingBuffers, TakesLittleMemoryAndNoneWhenThereAreNone) {
  PendingBuffers pending;
  constexpr std::int64_t many = 100000;
  for (std::int64_t i = 0; i < many; ++i) {
    pending.begin_operation();
    pending.add(buffer_at(i * 16, i * 16 + 8), {static_cast<HandleBits>(i + 1), static_cast<std::uint64_t>(i)});
  }
  EXPECT_LE(pending.bytes() / many, 160u);
  for (std::int64_t i = many; i-- > 0;) {
    pending.complete({static_cast<HandleBits>(i + 1), static_cast<std::uint64_t>(i)});
  }
  EXPECT_TRUE(pending.empty());
  EXPECT_EQ(pending.bytes(), 0u);
}

TEST(PendingBuffers, MeetsTheNearestOfManyAndCountsTheOthers) {
  PendingBuffers pending;
  for (std::int64_t i = 0; i < 1000; ++i) {
    pending.begin_operation();
    pending.add(buffer_at(i * 8, i * 8 + 100000), {static_cast<HandleBits>(i + 1), 0});
  }
  PendingBuffers::Met met;
  pending.find(buffer_at(4000, 4000 + 100000), met);
  EXPECT_EQ(met.count, PendingBuffers::most_met);
  // All begin before the end of this one, and those from 1 on end behind its beginning.
  EXPECT_EQ(met.others, 1000 - PendingBuffers::most_met);
  EXPECT_FALSE(met.others_are_least);
  for (std::size_t i = 0; i < met.count; ++i) {
    EXPECT_LE(std::abs(met.buffers[i].address - 4000), 64);
  }
}

TEST(PendingBuffers, CountsThoseThatItDoesNotMeet) {
  PendingBuffers pending;
  for (std::int64_t i = 0; i < 1000; ++i) {
    pending.begin_operation();
    pending.add(buffer_at(i * 8, i * 8 + 400), {static_cast<HandleBits>(i + 1), 0});
  }
  const Buffer buffer = buffer_at(4000, 4400);  // those from 3608 to 4392 on
  PendingBuffers::Met met;
  pending.find(buffer, met);
  EXPECT_EQ(met.count + met.others, 99u);
  EXPECT_FALSE(met.others_are_least);
  // A longer one far off may reach as far.
  pending.begin_operation();
  pending.add(buffer_at(800, 6000), {5000, 0});
  pending.find(buffer, met);
  EXPECT_EQ(met.count + met.others, 99u);
  EXPECT_TRUE(met.others_are_least);
}

/// A list of what is pending, as slow as it is plain.
struct PlainList {
  struct Item {
    Buffer buffer;
    Holder holder;
    int operation;
  };
  std::list<Item> items;

  std::multiset<std::uint64_t> met(const Buffer& buffer) const {
    std::multiset<std::uint64_t> found;
    for (const Item& item : items) {
      const bool one_writes = item.buffer.access == Access::writes || buffer.access == Access::writes;
      const bool touch =
          std::max(item.buffer.hull.begin, buffer.hull.begin) < std::min(item.buffer.hull.end, buffer.hull.end);
      if (one_writes && touch) found.insert(item.buffer.elements);
    }
    return found;
  }
  void complete(const Holder& holder) {
    std::set<int> operations;
    for (const Item& item : items) {
      if (item.holder == holder) operations.insert(item.operation);
    }
    items.remove_if([&](const Item& item) {
      return operations.size() == 1 ? item.holder == holder : item.holder.handle == holder.handle;
    });
  }
};

class RandomPending : public ::testing::TestWithParam<std::size_t> {};

TEST_P(RandomPending, AgreesWithAPlainList) {
  std::mt19937_64 random(GetParam());
  const auto below = [&](std::uint64_t end) { return random() % end; };
  PendingBuffers pending;
  PlainList list;
  const std::size_t most = GetParam();
  const std::uint64_t memory = most * 24;
  int operation = 0;
  std::uint64_t number = 0;
  for (int step = 0; step < 20000; ++step) {
    // It fills up, and is emptied, again and again.
    const bool is_filling = step / 2000 % 2 == 0;
    if (list.items.size() < most && below(4) < (is_filling ? 3u : 1u)) {
      ++operation;
      pending.begin_operation();
      const Holder holder{1 + below(most), below(3)};
      for (std::uint64_t parts = 1 + below(2); parts-- > 0;) {
        const auto begin = static_cast<std::int64_t>(below(memory));
        const auto length = static_cast<std::int64_t>(1 + (below(8) == 0 ? below(memory) : below(40)));
        const Access access = below(2) == 0 ? Access::reads : Access::writes;
        const Buffer buffer = buffer_at(begin, begin + length, access, ++number);
        const std::multiset<std::uint64_t> expected = list.met(buffer);
        PendingBuffers::Met met;
        pending.find(buffer, met);
        ASSERT_EQ(met.count, std::min(expected.size(), PendingBuffers::most_met));
        ASSERT_EQ(met.others != 0, expected.size() > PendingBuffers::most_met);
        ASSERT_LE(met.count + met.others, expected.size());
        ASSERT_TRUE(met.others_are_least || met.count + met.others == expected.size());
        std::multiset<std::uint64_t> found;
        for (std::size_t i = 0; i < met.count; ++i) found.insert(met.buffers[i].elements);
        ASSERT_TRUE(std::includes(expected.begin(), expected.end(), found.begin(), found.end()));
        ASSERT_TRUE(pending.add(buffer, holder));
        list.items.push_back({buffer, holder, operation});
      }
    } else {
      const Holder holder{1 + below(most), below(3)};
      switch (below(8)) {
        case 0:
          pending.release(holder.handle);
          list.items.remove_if([&](const PlainList::Item& item) { return item.holder.handle == holder.handle; });
          break;
        case 1:
          pending.release_at(holder);
          list.items.remove_if([&](const PlainList::Item& item) { return item.holder == holder; });
          break;
        default:
          pending.complete(holder);
          list.complete(holder);
      }
    }
    ASSERT_EQ(pending.size(), list.items.size());
  }
}
INSTANTIATE_TEST_SUITE_P(Sizes, RandomPending, ::testing::Values(4, 20, 40, 300, 1500));

}  // namespace
}  // namespace ddtscope::plugin::pending_buffers_test
