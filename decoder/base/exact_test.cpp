// Checked 128-bit integers.
#include "decoder/base/exact.h"

#include <gtest/gtest.h>

#include <limits>

namespace ddtscope::exact_test {
namespace {

constexpr std::int64_t largest64 = std::numeric_limits<std::int64_t>::max();
const Exact two_to_126 = Exact(std::int64_t{1} << 62) * Exact(std::int64_t{1} << 62) * Exact(4);
const Exact smallest = -two_to_126 - two_to_126;

TEST(Exact, ComputesBeyond64Bits) {
  EXPECT_EQ((Exact(largest64) * Exact(largest64)).to_string(), "85070591730234615847396907784232501249");
  EXPECT_EQ((Exact(largest64) + 1).to_int64(), std::nullopt);
  EXPECT_EQ((Exact(largest64) + 1 - 1).to_int64(), largest64);
}

TEST(Exact, SaysThatAResultDoesNotFit) {
  EXPECT_TRUE(two_to_126.fits());
  EXPECT_TRUE(smallest.fits());
  EXPECT_FALSE((two_to_126 + two_to_126).fits());
  EXPECT_FALSE((two_to_126 * 2).fits());
  EXPECT_FALSE((smallest - 1).fits());
  EXPECT_FALSE((-smallest).fits());
  EXPECT_FALSE(abs(smallest).fits());
}

TEST(Exact, StaysUnfitOnceUnfit) {
  const Exact unfit = Exact::unfit();
  EXPECT_FALSE((unfit - unfit).fits());
  EXPECT_FALSE((unfit * 0).fits());
  EXPECT_FALSE(min(unfit, Exact(1)).fits());
  EXPECT_FALSE(max(Exact(1), unfit).fits());
  EXPECT_FALSE(abs(unfit).fits());
  EXPECT_EQ(unfit.to_int64(), std::nullopt);
}

TEST(Exact, ComparesOnlyWhatFits) {
  const Exact unfit = Exact::unfit();
  EXPECT_FALSE(unfit == unfit);
  EXPECT_FALSE(unfit < Exact(1));
  EXPECT_FALSE(unfit >= Exact(1));
  EXPECT_TRUE(Exact(-1) < Exact(0));
}

TEST(Exact, WritesDecimalDigits) {
  EXPECT_EQ(Exact(0).to_string(), "0");
  EXPECT_EQ(Exact(-120).to_string(), "-120");
  EXPECT_EQ(smallest.to_string(), "-170141183460469231731687303715884105728");
  EXPECT_EQ(Exact::unfit().to_string(), "does not fit");
}

}  // namespace
}  // namespace ddtscope::exact_test
