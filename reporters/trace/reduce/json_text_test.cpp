// A line's text taken apart, as it was written and where it was not.
#include "reporters/trace/reduce/json_text.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ddtscope::reduce {
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
}  // namespace ddtscope::reduce
