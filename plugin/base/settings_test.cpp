// Variables that make no sense, and names that are nearly right.
#include "plugin/base/settings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace ddtscope::plugin::settings_test {
namespace {

/// What is complained of where this variable is set.
std::string problem_with(const char* name, const char* value) {
  setenv(name, value, 1);
  std::string problem = Settings::from_environment().problem;
  unsetenv(name);
  return problem;
}

TEST(Settings, AMisspeltVariableIsToldWithTheRightOne) {
  ASSERT_EQ(Settings::from_environment().problem, "");
  EXPECT_EQ(problem_with("DDTSCOPE_STAK", "3"), "DDTSCOPE_STAK is no variable of ddtscope's; is DDTSCOPE_STACK meant?");
  EXPECT_EQ(problem_with("DDTSCOPE_OUPTUT", "t"),
            "DDTSCOPE_OUPTUT is no variable of ddtscope's; is DDTSCOPE_OUTPUT meant?");
  EXPECT_EQ(problem_with("DDTSCOPE_LOGS", "file"),
            "DDTSCOPE_LOGS is no variable of ddtscope's; is DDTSCOPE_LOG meant?");
}

TEST(Settings, VariablesOfOthersAreTheirs) {
  EXPECT_EQ(problem_with("DDTSCOPE_SOMETHING_ELSE", "1"), "");
  EXPECT_EQ(problem_with("DDTSCOPE_DIR", "1"), "");
  EXPECT_EQ(problem_with("DDTSCOPE_PAGER", "cat"), "");
  EXPECT_EQ(problem_with("DDTSCOPE_PORTABLE", "0"), "");
  EXPECT_EQ(problem_with("STACK", "1"), "");
}

TEST(Settings, AValueThatMakesNoSenseLeavesTheDefault) {
  EXPECT_EQ(problem_with("DDTSCOPE_STACK", "abc"), "DDTSCOPE_STACK=abc is not a number of frames; the default is used");
}

}  // namespace
}  // namespace ddtscope::plugin::settings_test
