// Folded sequences beside the same ones unfolded.
#include "reporters/model/paired_operations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "decoder/testing/sanitizers.h"
#include "reporters/model/folded_fixture.h"

namespace ddtscope::reporters::paired_operations_test {
namespace {

using namespace test;

using Counts = std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint64_t, std::uint64_t>>;

Counts counts_of(const std::vector<PairedOperations>& pairs) {
  Counts counts;
  for (const PairedOperations& pair : pairs) counts[{pair.first, pair.second}] = {pair.count, pair.place};
  EXPECT_EQ(counts.size(), pairs.size());
  EXPECT_TRUE(std::is_sorted(pairs.begin(), pairs.end(),
                             [](const auto& one, const auto& other) { return one.place < other.place; }));
  return counts;
}

TEST(PairedOperationsTest, AreThoseOfTheUnfoldedSequences) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const Elements first = random_elements(random, 60, 0);
    const Elements second = random_elements(random, 60, 0);
    std::vector<std::uint32_t> all_first;
    std::vector<std::uint32_t> all_second;
    unfold(first, all_first);
    unfold(second, all_second);
    ASSERT_EQ(length_of(first), all_first.size());
    const std::uint64_t most = std::min(all_first.size(), all_second.size());
    const std::uint64_t length = std::uniform_int_distribution<std::uint64_t>(0, most)(random);
    Counts expected;
    for (std::uint64_t place = 0; place < length; ++place) {
      ++expected.try_emplace({all_first[place], all_second[place]}, 0, place).first->second.first;
    }
    const auto pairs = paired_operations(first, second, length);
    ASSERT_TRUE(pairs);
    ASSERT_EQ(counts_of(*pairs), expected) << i;
    std::map<std::uint32_t, std::uint64_t> rest;
    for (std::uint64_t place = length; place < all_first.size(); ++place) ++rest[all_first[place]];
    std::map<std::uint32_t, std::uint64_t> told;
    for (const CountedOperation& one : operations_from(first, length)) told[one.operation] = one.count;
    ASSERT_EQ(told, rest) << i;
  }
}

TEST(JoinedSequencesTest, AreThoseOfTheUnfoldedSequences) {
  std::mt19937 random(3);
  for (int round = 0; round < (ddtscope::test::has_sanitizer ? 125 : 500); ++round) {
    std::vector<Elements> sequences;
    for (int i = 0; i < 1 + round % 5; ++i) sequences.push_back(random_elements(random, 400, 0));
    std::vector<std::vector<std::uint32_t>> numbers(sequences.size());
    std::size_t length = 0;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      unfold(sequences[i], numbers[i]);
      length = std::max(length, numbers[i].size());
    }
    for (std::vector<std::uint32_t>& one : numbers) one.resize(length, 99);
    const std::vector<std::span<const SequenceElement>> all(sequences.begin(), sequences.end());
    std::uint64_t steps = most_pairing_steps;
    const auto joined = joined_sequences(all, 99, steps);
    ASSERT_TRUE(joined);
    std::vector<std::uint32_t> rows;
    unfold(joined->elements, rows);
    ASSERT_EQ(rows.size(), length) << round;
    for (std::size_t place = 0; place < length; ++place) {
      ASSERT_EQ(operation_at(joined->elements, place), rows[place]);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        ASSERT_EQ(joined->rows[rows[place]][i], numbers[i][place]) << round;
      }
    }
    std::vector<std::vector<std::uint32_t>> distinct = joined->rows;
    std::sort(distinct.begin(), distinct.end());
    EXPECT_EQ(std::unique(distinct.begin(), distinct.end()), distinct.end());
  }
}

TEST(JoinedSequencesTest, OfLoopsThatNobodyCouldUnfoldTakeFewSteps) {
  const Elements first = loop(1000000000000, operations({1, 2}));
  const Elements second = loop(1000000000000, operations({1}) + loop(1, operations({3})));
  std::uint64_t steps = 1000;
  const auto joined = joined_sequences(std::vector<std::span<const SequenceElement>>{first, second, first}, 0, steps);
  ASSERT_TRUE(joined);
  EXPECT_EQ(length_of(joined->elements), 2000000000000u);
  EXPECT_EQ(joined->rows, (std::vector<std::vector<std::uint32_t>>{{1, 1, 1}, {2, 3, 2}}));
  // Of periods that have nothing in common there is no such sequence.
  std::vector<Elements> odd;
  for (std::uint32_t i = 1; i < 30; ++i) odd.push_back(loop(1000000000000, Elements(i, {0, 1}) + operations({2})));
  EXPECT_FALSE(joined_sequences(std::vector<std::span<const SequenceElement>>(odd.begin(), odd.end()), 0, steps));
}

TEST(PairedOperationsTest, OfLoopsThatNobodyCouldUnfoldTakeFewSteps) {
  constexpr std::uint64_t many = 1'000'000'000;
  // The same three operations, folded from another place on.
  const Elements first = loop(many, loop(1000, operations({0})) + operations({1, 2}));
  const Elements second =
      loop(999, operations({3})) + loop(many - 1, operations({3, 4, 5}) + loop(999, operations({3})));
  const std::uint64_t length = std::min(length_of(first), length_of(second));
  const auto pairs = paired_operations(first, second, length, 100);
  ASSERT_TRUE(pairs);
  const Counts counts = counts_of(*pairs);
  EXPECT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts.at({0, 3}), std::pair(1000 * (many - 1) + 999, std::uint64_t{0}));
  EXPECT_EQ(counts.at({1, 4}), std::pair(many - 1, std::uint64_t{1000}));
}

TEST(PairedOperationsTest, StopWhereTheLoopsHaveNothingInCommon) {
  constexpr std::uint32_t some = ddtscope::test::has_sanitizer ? 251 : 1009,
                          others = ddtscope::test::has_sanitizer ? 257 : 1013;
  Elements first;
  Elements second;
  for (std::uint32_t i = 0; i < some; ++i) first.push_back({0, i});
  for (std::uint32_t i = 0; i < others; ++i) second.push_back({0, i});
  const Elements looped_first = loop(1'000'000'000, first);
  const Elements looped_second = loop(1'000'000'000, second);
  EXPECT_FALSE(paired_operations(looped_first, looped_second, length_of(looped_first), 1000));
  const auto all = paired_operations(looped_first, looped_second, length_of(looped_first));
  ASSERT_TRUE(all);  // each with each
  EXPECT_EQ(all->size(), some * others);
}

}  // namespace
}  // namespace ddtscope::reporters::paired_operations_test
