// What the bar says, and that nothing is drawn where no terminal is.
#include "reporters/cli/progress.h"

#include <gtest/gtest.h>

namespace ddtscope::reporters::progress_test {
namespace {

TEST(Progress, SaysHowMuchOfHowMuch) {
  EXPECT_EQ(progress_line({500000000, 2000000000}), "reading [#######.......................]  25 %  0.5 of 2.0 GB");
  EXPECT_EQ(progress_line({0, 2000000000}), "reading [..............................]   0 %  0.0 of 2.0 GB");
}

TEST(Progress, ATraceThatGrowsIsNeverReadBeyondItsEnd) {
  EXPECT_EQ(progress_line({3000000000, 2000000000}), "reading [##############################] 100 %  3.0 of 3.0 GB");
  EXPECT_EQ(progress_line({0, 0}), "reading [##############################] 100 %  0.0 of 0.0 GB");
}

}  // namespace
}  // namespace ddtscope::reporters::progress_test
