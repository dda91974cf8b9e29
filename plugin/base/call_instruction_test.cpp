// Calls as compilers write them, for both processors on either.
#include "plugin/base/call_instruction.h"

#include <gtest/gtest.h>

#include <vector>

namespace ddtscope::plugin::call_instruction_test {
namespace {

/// Of a module whose code lies from 0x1000 to 0x2000; the call ends at 0x1800.
CalledBy called(Instructions instructions, const std::vector<unsigned char>& bytes) {
  const auto is_code = [](std::uintptr_t address) { return address >= 0x1000 && address < 0x2000; };
  return called_by(instructions, {bytes, 0x1800}, is_code);
}

CalledBy called_on_arm(const std::vector<std::uint32_t>& words) {
  std::vector<unsigned char> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return called(Instructions::aarch64, bytes);
}

TEST(CallInstruction, OnX86ACallOfAnAddressIsByName) {
  EXPECT_EQ(called(Instructions::x86_64, {0x90, 0xE8, 0x00, 0x01, 0x00, 0x00}), CalledBy::name);
  EXPECT_EQ(called(Instructions::x86_64, {0x90, 0xE8, 0x00, 0xFF, 0xFF, 0xFF}), CalledBy::name);     // backwards
  EXPECT_EQ(called(Instructions::x86_64, {0x90, 0xE8, 0x00, 0x00, 0x01, 0x00}), CalledBy::pointer);  // no code there
  EXPECT_EQ(called(Instructions::x86_64, {0xFF, 0x15, 0x10, 0x20, 0x00, 0x00}), CalledBy::name);     // *offset(%rip)
}

TEST(CallInstruction, OnX86ACallThroughARegisterIsByPointer) {
  EXPECT_EQ(called(Instructions::x86_64, {0x48, 0x89, 0xC7, 0x90, 0xFF, 0xD0}), CalledBy::pointer);  // *%rax
  EXPECT_EQ(called(Instructions::x86_64, {0x89, 0xC7, 0x90, 0xFF, 0x53, 0x18}), CalledBy::pointer);  // *24(%rbx)
}

TEST(CallInstruction, OnArmABranchWithLinkIsByName) {
  EXPECT_EQ(called_on_arm({0xD503201F, 0x94000010}), CalledBy::name);     // bl +64
  EXPECT_EQ(called_on_arm({0xD503201F, 0x97FFFFF0}), CalledBy::name);     // bl -64
  EXPECT_EQ(called_on_arm({0xD503201F, 0x94010000}), CalledBy::pointer);  // no code there
}

TEST(CallInstruction, OnArmACallThroughTheTableOfAddressesIsByName) {
  // adrp x16, ...; ldr x17, [x16, #8]; blr x17
  EXPECT_EQ(called_on_arm({0x90000010, 0xF9400611, 0xD63F0220}), CalledBy::name);
  EXPECT_EQ(called_on_arm({0x90000013, 0xF9400611, 0xD63F0220}), CalledBy::pointer);  // another page
  EXPECT_EQ(called_on_arm({0x90000010, 0xF9400611, 0xD63F0240}), CalledBy::pointer);  // another register
}

TEST(CallInstruction, OnArmACallThroughARegisterIsByPointer) {
  EXPECT_EQ(called_on_arm({0xD503201F, 0xAA0003E1, 0xD63F0060}), CalledBy::pointer);  // mov x1, x0; blr x3
  EXPECT_EQ(called_on_arm({0xD63F0060}), CalledBy::pointer);
}

TEST(CallInstruction, WhereThereIsNoRoomForACallOrNothingIsReadItIsByName) {
  EXPECT_EQ(called(Instructions::x86_64, {0xFF, 0xD0}), CalledBy::name);
  EXPECT_EQ(called(Instructions::aarch64, {}), CalledBy::name);
  EXPECT_EQ(called(Instructions::any, {0x48, 0x89, 0xC7, 0x90, 0xFF, 0xD0}), CalledBy::name);
}

}  // namespace
}  // namespace ddtscope::plugin::call_instruction_test
