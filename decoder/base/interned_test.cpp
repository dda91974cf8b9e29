#include "decoder/base/interned.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace ddtscope::interned_test {
namespace {

/// All alike: equality must not rest on the hash.
struct NoHash {
  std::uint64_t operator()(const std::string&) const { return 7; }
};

TEST(Interned, AValueHasOneNumberHoweverOftenItComes) {
  Interned<std::string, NoHash> values;
  EXPECT_EQ(values.find("a"), IndexTable::none);
  std::vector<std::string> first;
  std::minstd_rand random(1);  // NOLINT(cert-msc51-cpp): the same values every time
  for (int i = 0; i < 2000; ++i) {
    const std::string value = std::to_string(random() % 100);
    const bool was_there = values.find(value) != IndexTable::none;
    const auto [number, is_new] = values.intern(value);
    EXPECT_EQ(is_new, !was_there);
    if (is_new) first.push_back(value);
    EXPECT_EQ(values[number], value);
    EXPECT_EQ(values.find(value), number);
  }
  EXPECT_EQ(values.all(), first) << "numbers are in the order in which the values came first";
  EXPECT_EQ(values.size(), 100u);
}

}  // namespace
}  // namespace ddtscope::interned_test
