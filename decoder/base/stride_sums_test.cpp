// Sums of strides against trying all steps, and at sizes where nothing can be tried.
#include "decoder/base/stride_sums.h"

#include <gtest/gtest.h>

#include <random>

namespace ddtscope::test::stride_sums_test {
namespace {

using Goal = StrideSums::Goal;
constexpr std::size_t plenty = 1000000;

Reach reach(const std::vector<StrideTerm>& terms, Int128 low, Int128 high, std::size_t work = plenty) {
  return StrideSums().reach(terms, {low, high}, Goal::any, work);
}

bool is_reached(const std::vector<StrideTerm>& terms, std::size_t i, Int128 low, Int128 high) {
  if (i == terms.size()) return low <= 0 && 0 <= high;
  for (Int128 x = terms[i].least; x <= terms[i].greatest; ++x) {
    if (is_reached(terms, i + 1, low - x * terms[i].stride, high - x * terms[i].stride)) return true;
  }
  return false;
}

TEST(StrideSums, AgreeWithTryingAllSteps) {
  std::mt19937_64 random(7);
  const auto number = [&](std::int64_t least, std::int64_t greatest) {
    return std::uniform_int_distribution<std::int64_t>(least, greatest)(random);
  };
  StrideSums sums;
  int reached = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<StrideTerm> terms;
    const std::int64_t longest = number(0, 1) == 0 ? 10 : 200;
    const std::int64_t unit = number(1, 3) * number(1, 3);
    for (std::int64_t n = number(0, 4); n > 0; --n) {
      const std::int64_t least = number(-5, 3);
      terms.push_back(StrideTerm{number(-longest, longest) * unit, least, least + number(0, 6)});
    }
    const Int128 low = number(-150, 150);
    const Int128 high = low + number(-1, 12);
    std::size_t work = plenty;
    const Reach answer = sums.reach(terms, {low, high}, Goal::any, work);
    ASSERT_EQ(answer, is_reached(terms, 0, low, high) ? Reach::yes : Reach::no) << "round " << round;
    if (answer != Reach::yes) continue;
    ++reached;
    const std::vector<Int128> steps = sums.steps();
    ASSERT_EQ(steps.size(), terms.size());
    Int128 sum = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      EXPECT_GE(steps[i], terms[i].least);
      EXPECT_LE(steps[i], terms[i].greatest);
      sum += steps[i] * terms[i].stride;
    }
    EXPECT_GE(sum, low) << "round " << round;
    EXPECT_LE(sum, high) << "round " << round;

    if (terms.empty()) continue;
    StrideTerm first = terms[0];
    const std::vector<StrideTerm> others(terms.begin() + 1, terms.end());
    while (!is_reached(others, 0, low - first.least * first.stride, high - first.least * first.stride)) ++first.least;
    ASSERT_EQ(sums.reach(terms, {low, high}, Goal::least_of_first, work), Reach::yes);
    EXPECT_EQ(sums.steps()[0], first.least) << "round " << round;
  }
  EXPECT_GT(reached, 2000);
  EXPECT_LT(reached, 18000);
}

TEST(StrideSums, AWindowWithoutNumbersIsNotReached) {
  EXPECT_EQ(reach({}, 1, 0), Reach::no);
  EXPECT_EQ(reach({}, 0, 0), Reach::yes);
}

// 999999937 and 999999929 are primes: the first multiples that differ by one are found, not tried.
TEST(StrideSums, TwoLongStridesTakeEuclidsSteps) {
  const std::vector<StrideTerm> terms = {{999999937, 0, 1000000000}, {-999999929, 0, 1000000000}};
  StrideSums sums;
  std::size_t work = 200;
  ASSERT_EQ(sums.reach(terms, {1, 1}, Goal::any, work), Reach::yes);
  const std::vector<Int128> steps = sums.steps();
  EXPECT_EQ(steps[0] * 999999937 - steps[1] * 999999929, 1);
  EXPECT_EQ(reach({{999999937, 0, 1000}, {-999999929, 0, 1000}}, 1, 1, 200), Reach::no);
}

TEST(StrideSums, ACommonDivisorRulesOutABillionTries) {
  constexpr std::int64_t n = 1000000000;
  EXPECT_EQ(reach({{6 * n, -n, n}, {10 * n, -n, n}, {14 * n, -n, n}, {22 * n, -n, n}}, 3 * n, 3 * n + 1, 50),
            Reach::no);
  EXPECT_EQ(reach({{6 * n, -n, n}, {10 * n, -n, n}, {15 * n, -n, n}}, n, n, 50), Reach::yes);
}

TEST(StrideSums, GivesUpWhenTheWorkIsDone) {
  // Even strides but one, which may not be taken alone: pseudo-random strides, no short way.
  const std::vector<StrideTerm> terms = {
      {1000003, 0, 40}, {1414213, 0, 40}, {1732050, 0, 40}, {2236067, 0, 40}, {2645751, 0, 40}};
  EXPECT_EQ(reach(terms, 180000001, 180000001, 3), Reach::undecided);
  EXPECT_NE(reach(terms, 180000001, 180000001, 10000000), Reach::undecided);
}

TEST(StrideSums, StridesBeyond64BitsAreExact) {
  const Int128 huge = Int128{1} << 100;
  EXPECT_EQ(reach({{huge, -1000, 1000}, {1, 0, 5}}, 3 * huge + 5, 3 * huge + 6), Reach::yes);
  EXPECT_EQ(reach({{huge, -1000, 1000}, {1, 0, 5}}, 3 * huge + 6, 3 * huge + 7), Reach::no);
  EXPECT_EQ(reach({{huge, -100, 100}, {huge + 1, -100, 100}}, 7, 7), Reach::yes);
  EXPECT_EQ(reach({{huge, -100, 100}, {huge + 1, -100, 100}}, 107, 107), Reach::no);
}

}  // namespace
}  // namespace ddtscope::test::stride_sums_test
