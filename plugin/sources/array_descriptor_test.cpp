#include "plugin/sources/array_descriptor.h"

#include <gtest/gtest.h>

#include <vector>

#include "plugin/sources/thread_memory.h"

namespace ddtscope::plugin::array_descriptor_test {
namespace {

using Element = ArrayDescriptor::Element;

/// As libgfortran.h has it.
struct Dimension {
  std::intptr_t stride, lower, upper;
};
struct Head {
  const void* address;
  std::size_t offset, bytes;
  int version;
  signed char rank, type;
  short attribute;
  std::intptr_t span;
  Dimension dimensions[3];
};

class Descriptors : public testing::Test {
 protected:
  std::optional<ArrayDescriptor> of(const Head& head) const {
    return described_array(memory_, reinterpret_cast<std::uintptr_t>(&head), reinterpret_cast<std::uintptr_t>(&data_));
  }
  Head head(signed char type, std::size_t bytes, std::vector<Dimension> dimensions) const {
    Head made{
        &data_, 0, bytes, 0, static_cast<signed char>(dimensions.size()), type, 0, static_cast<std::intptr_t>(bytes),
        {}};
    std::copy(dimensions.begin(), dimensions.end(), made.dimensions);
    return made;
  }
  const OwnMemory memory_;
  double data_[4] = {};
};

TEST_F(Descriptors, SayWhatTheElementsAre) {
  if (!memory_.works()) GTEST_SKIP() << "a process may not read itself here";
  EXPECT_EQ(of(head(3, 8, {{1, 1, 40}})), (ArrayDescriptor{Element::real, 8, false}));
  EXPECT_EQ(of(head(1, 4, {})), (ArrayDescriptor{Element::integer, 4, false}));
  EXPECT_EQ(of(head(4, 16, {{1, 0, 3}, {4, 1, 5}})), (ArrayDescriptor{Element::complex, 16, false}));
  EXPECT_EQ(of(head(5, 40, {{1, 1, 3}})), (ArrayDescriptor{Element::derived, 40, false}));
  EXPECT_EQ(of(head(6, 24, {})), (ArrayDescriptor{Element::character, 24, false}));
}

TEST_F(Descriptors, TellSectionsWhoseElementsDoNotFollowEachOther) {
  if (!memory_.works()) GTEST_SKIP() << "a process may not read itself here";
  EXPECT_TRUE(of(head(3, 8, {{2, 1, 12}}))->is_section);
  EXPECT_TRUE(of(head(3, 8, {{1, 1, 3}, {6, 1, 4}}))->is_section);
  EXPECT_TRUE(of(head(3, 8, {{-1, 1, 12}}))->is_section);
  EXPECT_FALSE(of(head(3, 8, {{24, 1, 1}}))->is_section) << "one element";
  EXPECT_FALSE(of(head(3, 8, {{1, 1, 3}, {3, 1, 0}}))->is_section) << "of assumed size";
  Head component = head(3, 8, {{1, 1, 4}});
  component.span = 32;
  EXPECT_TRUE(of(component)->is_section);
}

TEST_F(Descriptors, AreRefusedWhereAPartIsNotGfortrans) {
  if (!memory_.works()) GTEST_SKIP() << "a process may not read itself here";
  const auto changed = [&](auto change) {
    Head made = head(3, 8, {{1, 1, 4}});
    change(made);
    return of(made);
  };
  EXPECT_TRUE(changed([](Head&) {}));
  EXPECT_FALSE(changed([](Head& h) { h.address = &h; }));
  EXPECT_FALSE(changed([](Head& h) { h.version = 1; }));
  EXPECT_FALSE(changed([](Head& h) { h.rank = 16; }));
  EXPECT_FALSE(changed([](Head& h) { h.rank = -1; }));
  EXPECT_FALSE(changed([](Head& h) { h.type = 0; }));
  EXPECT_FALSE(changed([](Head& h) { h.type = 7; }));
  EXPECT_FALSE(changed([](Head& h) { h.bytes = 12; }));
  EXPECT_FALSE(changed([](Head& h) { h.bytes = 0; }));
  EXPECT_FALSE(changed([](Head& h) { h.dimensions[0].upper = INTPTR_MAX; }));
  EXPECT_FALSE(described_array(memory_, 0, reinterpret_cast<std::uintptr_t>(&data_)));
  EXPECT_FALSE(described_array(memory_, 8, reinterpret_cast<std::uintptr_t>(&data_)));
  // ISO_Fortran_binding.h's: the address, bytes, then version, rank, attribute and type.
  const std::uintptr_t iso[] = {reinterpret_cast<std::uintptr_t>(&data_),
                                8,
                                1 | (std::uintptr_t{1} << 32) | (std::uintptr_t{0x803} << 48),
                                0,
                                4,
                                8,
                                0,
                                0};
  EXPECT_FALSE(described_array(memory_, reinterpret_cast<std::uintptr_t>(iso), iso[0]));
}

thread_local int of_thread[4] = {1, 2, 3, 4};

TEST(ThreadMemory, IsOfTheThreadThatAsks) {
  int on_stack = 0;
  static int shared = 0;
  EXPECT_FALSE(place_in_thread(reinterpret_cast<std::uintptr_t>(&on_stack)));
  EXPECT_FALSE(place_in_thread(reinterpret_cast<std::uintptr_t>(&shared)));
  const auto first = place_in_thread(reinterpret_cast<std::uintptr_t>(&of_thread[0]));
  const auto third = place_in_thread(reinterpret_cast<std::uintptr_t>(&of_thread[2]));
  ASSERT_TRUE(first && third);
  EXPECT_EQ(third->offset, first->offset + 2 * sizeof(int));
  EXPECT_EQ(third->in_module, first->in_module);
}

}  // namespace
}  // namespace ddtscope::plugin::array_descriptor_test
