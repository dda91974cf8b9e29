#include "plugin/registry/predefined_handles.h"

#include <gtest/gtest.h>

#include <vector>

namespace ddtscope::plugin::predefined_handles_test {
namespace {

using Items = std::vector<PredefinedHandles::Item>;

TEST(PredefinedHandles, ConstantsThatHaveANumberInTheirLowestBitsAreAllFound) {
  Items items;  // as MPICH has them: 0x4c00SSNN, of size SS
  for (std::uint32_t i = 0; i < 70; ++i) items.push_back({0x4c000000u | (1u << (8 + i % 5)) | i, DefinitionId{i}});
  const PredefinedHandles handles(items);
  for (const auto& item : items) EXPECT_EQ(handles.find(item.handle), item.definition);
  EXPECT_FALSE(handles.has(0x8c000000u));
  EXPECT_FALSE(handles.has(0x4c000000u | 70));
}

TEST(PredefinedHandles, AddressesOfLargeObjectsAreAllFound) {
  Items items;  // as Open MPI has them
  for (std::uint32_t i = 0; i < 70; ++i) items.push_back({0x7f1234567800u + i * 512u, DefinitionId{i}});
  const PredefinedHandles handles(items);
  for (const auto& item : items) EXPECT_EQ(handles.find(item.handle), item.definition);
  EXPECT_FALSE(handles.has(0x7f1234567800u + 70 * 512u));
  EXPECT_FALSE(handles.has(0x7f1234567800u + 8));
}

TEST(PredefinedHandles, NoOtherHandleIsFound) {
  const PredefinedHandles handles(Items{{0x1000, DefinitionId{3}}});
  for (HandleBits handle = 0; handle < 0x4000; ++handle) EXPECT_EQ(handles.has(handle), handle == 0x1000);
  EXPECT_FALSE(PredefinedHandles(Items{}).has(0));
}

TEST(PredefinedHandles, OfTwoOfOneHandleTheFirstCounts) {
  const PredefinedHandles handles(Items{{64, DefinitionId{1}}, {64, DefinitionId{2}}});
  EXPECT_EQ(handles.find(64), DefinitionId{1});
}

}  // namespace
}  // namespace ddtscope::plugin::predefined_handles_test
