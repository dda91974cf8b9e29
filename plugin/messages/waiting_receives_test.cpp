#include "plugin/messages/waiting_receives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace ddtscope::plugin::waiting_receives_test {
namespace {

using Receive = WaitingReceives::Receive;

TEST(WaitingReceives, OfOneChannelGoAtOnceWhereNothingCompetes) {
  WaitingReceives waiting;
  waiting.add({.pattern = {std::nullopt, 5}, .operation = 1});
  EXPECT_TRUE(waiting.must_wait({3, 5}));
  EXPECT_TRUE(waiting.must_wait({std::nullopt, std::nullopt}));
  EXPECT_FALSE(waiting.must_wait({3, 6}));
}

TEST(WaitingReceives, AreForgottenWhenTheyAreCancelled) {
  WaitingReceives waiting;
  const WaitingReceives::Id first = waiting.add({.pattern = {}, .operation = 1});
  waiting.add({.pattern = {1, 2}, .operation = 7});
  std::vector<std::uint32_t> gone;
  const auto place = [&](const Receive& receive) { gone.push_back(*receive.operation); };
  waiting.let_go(place);
  EXPECT_TRUE(gone.empty());
  waiting.remove(first);
  waiting.let_go(place);
  EXPECT_EQ(gone, std::vector<std::uint32_t>{7});
  EXPECT_TRUE(waiting.empty());
}

TEST(WaitingReceives, GiveUpTheOldestThatIsNotKnown) {
  WaitingReceives waiting;
  waiting.add({.pattern = {1, 2}, .operation = 7});
  waiting.add({.pattern = {std::nullopt, 4}, .operation = 8});
  waiting.add({.pattern = {1, 3}, .operation = {}});
  EXPECT_EQ(waiting.take_oldest_unknown()->pattern, (ReceivePattern{std::nullopt, 4}));
  EXPECT_EQ(waiting.take_oldest_unknown()->pattern, (ReceivePattern{1, 3}));
  EXPECT_FALSE(waiting.take_oldest_unknown());
}

/// Whatever they are, and in whatever order they tell their channels: in each channel they stand as they were started.
TEST(WaitingReceives, TakeTheirPlacesInTheOrderOfTheirStarts) {
  std::mt19937 random(1);
  for (int run = 0; run < 2000; ++run) {
    WaitingReceives waiting;
    std::map<std::pair<int, int>, std::vector<std::uint32_t>> wanted, found;
    std::vector<std::pair<WaitingReceives::Id, ReceivePattern>> unknown;
    const auto place = [&](const Receive& receive) {
      found[{*receive.pattern.source, *receive.pattern.tag}].push_back(*receive.operation);
    };
    const auto tell_one = [&] {
      const std::size_t i = random() % unknown.size();
      waiting.find(unknown[i].first)->pattern = unknown[i].second;
      unknown.erase(unknown.begin() + static_cast<std::ptrdiff_t>(i));
      waiting.let_go(place);
    };
    const auto count = static_cast<std::uint32_t>(1 + random() % 30);
    for (std::uint32_t operation = 0; operation < count; ++operation) {
      const int source = static_cast<int>(random() % 3);
      const int tag = static_cast<int>(random() % 3);
      wanted[{source, tag}].push_back(operation);
      ReceivePattern pattern{source, tag};
      if (random() % 3 == 0) pattern.source = std::nullopt;
      if (random() % 4 == 0) pattern.tag = std::nullopt;
      if (!pattern.is_of_one_channel()) {
        unknown.emplace_back(waiting.add({.pattern = pattern, .operation = operation}), ReceivePattern{source, tag});
      } else if (waiting.must_wait(pattern)) {
        waiting.add({.pattern = pattern, .operation = operation});
      } else {
        found[{source, tag}].push_back(operation);
      }
      while (!unknown.empty() && random() % 3 == 0) tell_one();
    }
    while (!unknown.empty()) tell_one();
    ASSERT_TRUE(waiting.empty()) << run;
    ASSERT_EQ(found, wanted) << run;
  }
}

}  // namespace
}  // namespace ddtscope::plugin::waiting_receives_test
