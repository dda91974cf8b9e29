#include "reporters/trace/write/definition_numbers.h"

#include <functional>
#include <unordered_set>

#include <gtest/gtest.h>

namespace ddtscope::trace::definition_numbers_test {
namespace {

constexpr DefinitionId first{7}, second{3};

TEST(DefinitionNumbers, AreGivenInTheOrderOfLines) {
  DefinitionNumbers numbers;
  EXPECT_FALSE(numbers.has(first));
  EXPECT_FALSE(numbers[first].valid());
  EXPECT_EQ(numbers.give(first), DefinitionNumber{0});
  EXPECT_EQ(numbers.give(second), DefinitionNumber{1});
  EXPECT_EQ(numbers[first], DefinitionNumber{0});
  EXPECT_TRUE(numbers.has(second));
  EXPECT_FALSE(numbers.has(DefinitionId{5})) << "between the two";
}

TEST(DefinitionNumbers, ALineThatWasNotTakenHasNone) {
  DefinitionNumbers numbers;
  numbers.give(first);
  numbers.give(second);
  numbers.take_back(second);
  EXPECT_FALSE(numbers.has(second));
  EXPECT_TRUE(numbers.has(first));
  EXPECT_EQ(numbers.give(DefinitionId{9}), DefinitionNumber{1});
}

TEST(DefinitionNumbers, ADefinitionThatComesAgainHasItsOwn) {
  DefinitionNumbers numbers;
  numbers.give(first);
  numbers.give(second);
  numbers.set(DefinitionId{11}, DefinitionNumber{0});
  EXPECT_EQ(numbers[DefinitionId{11}], DefinitionNumber{0});
  EXPECT_EQ(numbers.give(DefinitionId{12}), DefinitionNumber{2});
}

TEST(FileNumber, WithoutAValueIsThatOfNoRecord) {
  EXPECT_FALSE(FrameNumber{}.valid());
  EXPECT_TRUE(FrameNumber{0}.valid());
  EXPECT_LT(FrameNumber{0}, FrameNumber{1});
  EXPECT_EQ((std::unordered_set<FrameNumber>{{1}, {1}, {}}).size(), 2u);
}

}  // namespace
}  // namespace ddtscope::trace::definition_numbers_test
