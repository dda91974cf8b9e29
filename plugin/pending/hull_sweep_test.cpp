#include "plugin/pending/hull_sweep.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace ddtscope::plugin::hull_sweep_test {
namespace {

using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

struct Swept {
  Pairs pairs;
  std::uint64_t left_out = 0;
};

Swept swept(std::vector<SweptHull> hulls, Against against, std::size_t most) {
  Swept result;
  result.left_out = sweep(hulls, against, most, [&](std::uint32_t later, std::uint32_t earlier) {
    EXPECT_GT(later, earlier);
    EXPECT_TRUE(result.pairs.emplace(later, earlier).second) << "a pair is met once";
  });
  return result;
}

/// One by one.
Pairs pairs_of(const std::vector<SweptHull>& hulls, Against against) {
  Pairs pairs;
  for (const SweptHull& a : hulls) {
    for (const SweptHull& b : hulls) {
      const bool is_wanted = (a.group == b.group) == (against == Against::own_group);
      if (a.number > b.number && is_wanted && overlap(a.hull, b.hull)) pairs.emplace(a.number, b.number);
    }
  }
  return pairs;
}

TEST(HullSweep, MeetsThePairsThatOverlapAndCountsWhatItLeavesOut) {
  std::mt19937 random(7);
  const auto number = [&](int least, int greatest) { return std::uniform_int_distribution(least, greatest)(random); };
  for (int round = 0; round < 300; ++round) {
    std::vector<SweptHull> hulls;
    const int longest = number(0, 3) == 0 ? 200 : 8;
    for (int i = number(0, 60); i > 0; --i) {
      const std::int64_t begin = number(0, 200);
      hulls.push_back({{begin, begin + number(1, longest)},
                       static_cast<std::uint32_t>(hulls.size()),
                       static_cast<std::uint8_t>(number(0, 1))});
    }
    for (const Against against : {Against::own_group, Against::other_group}) {
      const Pairs all = pairs_of(hulls, against);
      EXPECT_EQ(swept(hulls, against, 1000).pairs, all);
      EXPECT_EQ(swept(hulls, against, hulls.size() - (hulls.empty() ? 0 : 1)).pairs, all);
      const Swept few = swept(hulls, against, 3);
      EXPECT_EQ(few.pairs.size() + few.left_out, all.size());
      EXPECT_TRUE(std::includes(all.begin(), all.end(), few.pairs.begin(), few.pairs.end()));
    }
  }
}

}  // namespace
}  // namespace ddtscope::plugin::hull_sweep_test
