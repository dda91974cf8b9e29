// Frames that are found, against what the compiler and the processor say of them.
#include "plugin/sources/call_frames.h"

#include <gtest/gtest.h>

namespace ddtscope::plugin {
namespace {

TEST(CallFrames, AreWhatTheCompilerSays) { EXPECT_TRUE(CallFrames::are_right()); }

}  // namespace
}  // namespace ddtscope::plugin
