// The blocks of one side of a collective operation, held against a list that has each of them.
#include "reporters/model/collective_amounts.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>
#include <vector>

namespace ddtscope::reporters::collective_amounts_test {
namespace {

using Found = std::tuple<const BlockRun*, std::int64_t, std::int64_t>;

CollectiveSide random_side(std::mt19937& random) {
  CollectiveSide side{CollectiveSideIs::blocks, {}};
  for (auto runs = random() % 6; runs-- != 0;) side.runs.push_back({1 + random() % 4, {}, random() % 9});
  return side;
}

TEST(BlocksOfSide, AreThoseOfAListOfThemAll) {
  std::mt19937 random(3);
  for (int run = 0; run < 3000; ++run) {
    const CollectiveSide side = random_side(random);
    std::vector<const BlockRun*> all;
    for (const BlockRun& one : side.runs) all.insert(all.end(), one.times, &one);
    const BlocksOfSide blocks(side, BlockIs::for_each);
    std::vector<std::int64_t> processes;
    for (std::int64_t process = 0; process < 24; ++process) {
      const auto place = static_cast<std::size_t>(process);
      const auto at = blocks.at(place);
      ASSERT_EQ(at.run, place < all.size() ? all[place] : nullptr) << run;
      if (at.run != nullptr) {
        ASSERT_EQ(all[at.end - 1], at.run);
        ASSERT_TRUE(at.end == all.size() || all[at.end] != at.run);
      }
      if (random() % 3 == 0) processes.push_back(process);
    }
    std::vector<Found> wanted, found;
    for (const std::int64_t process : processes) {
      if (static_cast<std::size_t>(process) >= all.size()) break;
      const BlockRun* const one = all[static_cast<std::size_t>(process)];
      if (wanted.empty() || std::get<0>(wanted.back()) != one) {
        wanted.emplace_back(one, process, -1);
      } else if (std::get<2>(wanted.back()) < 0) {
        std::get<2>(wanted.back()) = process;
      }
    }
    for (const BlockFor& one : blocks_for(blocks, processes)) found.emplace_back(one.run, one.process, one.another);
    ASSERT_EQ(found, wanted) << run;
  }
}

TEST(BlocksOfSide, OneAloneIsForAll) {
  const CollectiveSide side{CollectiveSideIs::blocks, {{1, {}, 5}}};
  const BlocksOfSide blocks(side, BlockIs::alone);
  EXPECT_EQ(blocks.at(1000).run, &side.runs[0]);
  const std::vector<std::int64_t> processes{3, 8, 9};
  const std::vector<BlockFor> found = blocks_for(blocks, processes);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].run, &side.runs[0]);
  EXPECT_EQ(found[0].process, 3);
  EXPECT_EQ(found[0].another, 8);
  EXPECT_TRUE(blocks_for(blocks, {}).empty());
  const CollectiveSide none{CollectiveSideIs::blocks, {}};
  EXPECT_EQ(BlocksOfSide(none, BlockIs::alone).at(0).run, nullptr);
}

}  // namespace
}  // namespace ddtscope::reporters::collective_amounts_test
