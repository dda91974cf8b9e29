#include "decoder/definition/observed.h"

#include <gtest/gtest.h>

#include <random>

namespace ddtscope::test::observed_test {
namespace {

TEST(PackedObserved, GivesBackWhatWasPutIn) {
  constexpr std::int64_t values[] = {0,   1,   -1,      63,        64,        -64,          -65,
                                     127, 128, 1 << 20, INT64_MAX, INT64_MIN, INT64_MIN + 1};
  std::mt19937 random(5);
  const auto value = [&]() -> std::optional<std::int64_t> {
    const std::size_t i = random() % (std::size(values) + 1);
    return i == std::size(values) ? std::nullopt : std::optional(values[i]);
  };
  PackedObserved packed;
  std::vector<ObservedBounds> all;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    all.push_back({value(), value(), value(), value(), value()});
    packed.add(DefinitionId{2 * i + 1}, all.back());
  }
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(packed.observed(DefinitionId{2 * i}), std::nullopt);
    ASSERT_EQ(packed.observed(DefinitionId{2 * i + 1}), all[i]) << i;
  }
  EXPECT_EQ(packed.observed(DefinitionId{40000}), std::nullopt);
}

}  // namespace
}  // namespace ddtscope::test::observed_test
