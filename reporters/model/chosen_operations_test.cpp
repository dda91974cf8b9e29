// Beside the same sequences unfolded.
#include "reporters/model/chosen_operations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <vector>

#include "reporters/model/folded_fixture.h"
#include "reporters/model/paired_operations.h"

namespace ddtscope::reporters::chosen_operations_test {
namespace {

using namespace test;

bool is_odd(std::uint32_t number) { return number % 2 == 1; }

TEST(ChosenOperationsTest, AreThoseOfTheUnfoldedSequence) {
  std::mt19937 random(7);
  for (int i = 0; i < 1000; ++i) {
    const Elements elements = random_elements(random, 60, 0);
    std::vector<std::uint32_t> all;
    unfold(elements, all);
    std::vector<std::uint32_t> odd;
    std::copy_if(all.begin(), all.end(), std::back_inserter(odd), is_odd);
    const Elements chosen = chosen_operations(elements, is_odd);
    std::vector<std::uint32_t> unfolded;
    unfold(chosen, unfolded);
    ASSERT_EQ(unfolded, odd) << i;
    ASSERT_EQ(length_of(chosen), odd.size());
    std::uint64_t before = 0;
    for (std::uint64_t place = 0; place < all.size(); ++place) {
      ASSERT_EQ(chosen_before(elements, is_odd, place), before) << i << " " << place;
      if (!is_odd(all[place])) continue;
      ASSERT_EQ(place_of_chosen(elements, is_odd, before), place) << i << " " << before;
      ++before;
    }
    ASSERT_EQ(chosen_before(elements, is_odd, all.size()), odd.size());
  }
}

TEST(ChosenOperationsTest, LoopsThatNobodyCouldUnfoldTakeFewSteps) {
  constexpr std::uint64_t many = 1'000'000'000'000;
  const Elements elements = loop(many, operations({2, 2, 1, 2}) + loop(3, operations({4}))) + operations({1});
  EXPECT_EQ(chosen_operations(elements, is_odd), loop(many, operations({1})) + operations({1}));
  EXPECT_EQ(chosen_before(elements, is_odd, 7 * many + 1), many + 1);
  EXPECT_EQ(chosen_before(elements, is_odd, 7 * many - 5), many - 1);
  EXPECT_EQ(place_of_chosen(elements, is_odd, many - 1), 7 * many - 5);
  EXPECT_EQ(place_of_chosen(elements, is_odd, many), 7 * many);
}

}  // namespace
}  // namespace ddtscope::reporters::chosen_operations_test
