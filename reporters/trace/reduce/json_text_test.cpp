// A line's text taken apart, as it was written and where it was not.
#include "reporters/trace/reduce/json_text.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ddtscope::reduce::json_text_test {
namespace {

std::vector<std::string> walked(std::string_view text) {
  std::vector<std::string> found;
  for (JsonWalk walk(text); walk.next();) {
    found.push_back(std::string(walk.name()) + (walk.name().empty() ? "" : "=") + std::string(walk.value()));
  }
  return found;
}
using Found = std::vector<std::string>;

TEST(JsonText, WalksOverMembersAndElements) {
  EXPECT_EQ(walked(R"({"a":1,"b":[1,[2,{"c":3}],[]],"d":{"e":{}},"f":null,"g":-2})"),
            (Found{"a=1", R"(b=[1,[2,{"c":3}],[]])", R"(d={"e":{}})", "f=null", "g=-2"}));
  EXPECT_EQ(walked("[]"), Found{});
  EXPECT_EQ(walked("{}"), Found{});
  EXPECT_EQ(walked(R"(["x",[1,2],"",true])"), (Found{R"("x")", "[1,2]", R"("")", "true"}));
}

TEST(JsonText, BracketsAndQuotesInStringsAreText) {
  EXPECT_EQ(walked(R"({"a":"]},{[","b":["}",{"]":"\"]"}],"c":1})"),
            (Found{R"(a="]},{[")", R"(b=["}",{"]":"\"]"}])", "c=1"}));
  EXPECT_EQ(walked(R"(["\\","\"","\\\"",2])"), (Found{R"("\\")", R"("\"")", R"("\\\"")", "2"}));
}

TEST(JsonText, IntegersOfAnArrayAreTakenAtOnce) {
  JsonWalk walk(R"([1,-9223372036854775808,"3",[4,5,6],7,9223372036854775808,8.5,9])");
  std::int64_t value = 0;
  const auto next = [&] { return walk.next_integer(value) ? std::to_string(value) : "none"; };
  EXPECT_EQ(next(), "1");
  EXPECT_EQ(next(), "-9223372036854775808");
  for (const char* other : {R"("3")", "[4,5,6]"}) {
    EXPECT_EQ(next(), "none");
    ASSERT_TRUE(walk.next());
    EXPECT_EQ(walk.value(), other);
  }
  EXPECT_EQ(next(), "7");
  EXPECT_EQ(walk.value(), "7");
  for (const char* other : {"9223372036854775808", "8.5"}) {
    EXPECT_EQ(next(), "none");
    ASSERT_TRUE(walk.next());
    EXPECT_EQ(walk.value(), other);
  }
  EXPECT_EQ(next(), "9");
  EXPECT_EQ(next(), "none");
  EXPECT_FALSE(walk.next());
  EXPECT_FALSE(JsonWalk("[12").next_integer(value));  // cut off
  EXPECT_FALSE(JsonWalk("[]").next_integer(value));
  EXPECT_FALSE(JsonWalk(R"({"a":1})").next_integer(value));
}

TEST(JsonText, WhatIsCutOffEndsTheWalk) {
  const std::string whole = R"({"a":"x\"y","b":[1,{"c":"\\"}],"d":22})";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Found found = walked(std::string_view(whole).substr(0, length));
    const Found all = walked(whole);
    ASSERT_LE(found.size(), all.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], all[i]) << length;
  }
}

TEST(JsonText, SeveralMembersAreFoundByOneWalk) {
  const auto [c, none, a] = members_of(R"({"a":1,"b":"c","c":[2],"a":3})", std::array{"c", "d", "a"});
  EXPECT_EQ(c, "[2]");
  EXPECT_EQ(none, "");
  EXPECT_EQ(a, "1");
}

}  // namespace
}  // namespace ddtscope::reduce::json_text_test
