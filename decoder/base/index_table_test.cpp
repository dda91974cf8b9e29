// The table against a map.
#include "decoder/base/index_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace ddtscope::index_table_test {
namespace {

TEST(IndexTable, FindsByHashAndComparisonThroughAnyInsertingAndErasing) {
  // Few hashes, so that many numbers share a home, and those next to it.
  for (const std::uint64_t hashes : {1u, 3u, 40u, 1000000u}) {
    std::mt19937 random(7);
    IndexTable table(8);
    std::map<std::uint32_t, std::uint64_t> held;  // number -> hash
    for (std::uint32_t step = 0; step < 4000; ++step) {
      if (held.size() > 300 || (random() % 3 == 0 && !held.empty())) {
        const auto victim = std::next(held.begin(), static_cast<std::ptrdiff_t>(random() % held.size()));
        table.erase(victim->second, victim->first);
        held.erase(victim);
      } else {
        held[step] = random() % hashes;
        table.insert(held[step], step);
      }
      ASSERT_EQ(table.size(), held.size());
      const std::uint32_t any = static_cast<std::uint32_t>(random() % (step + 1));
      const auto known = held.find(any);
      const std::uint64_t hash = known == held.end() ? any % hashes : known->second;
      ASSERT_EQ(table.find(hash, [&](std::uint32_t number) { return number == any; }),
                known == held.end() ? IndexTable::none : any);
    }
    for (const auto& entry : held) {
      ASSERT_EQ(table.find(entry.second, [&](std::uint32_t other) { return other == entry.first; }), entry.first);
    }
  }
}

TEST(IndexTable, AsksOnlyAboutNumbersOfThatHash) {
  IndexTable table(8);
  for (std::uint32_t number = 0; number < 100; ++number) table.insert(number, number);
  std::vector<std::uint32_t> asked;
  EXPECT_EQ(table.find(42, [&](std::uint32_t number) { return asked.push_back(number), false; }), IndexTable::none);
  EXPECT_EQ(asked, std::vector<std::uint32_t>{42});
}

TEST(IndexTable, IsEmptyWhenCleared) {
  IndexTable table;
  table.insert(5, 1);
  table.clear();
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.find(5, [](std::uint32_t) { return true; }), IndexTable::none);
}

}  // namespace
}  // namespace ddtscope::index_table_test
