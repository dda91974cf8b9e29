// Frames that are found, against what the compiler and the processor say of them.
#include "plugin/sources/call_frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace ddtscope::plugin::call_frames_test {
namespace {

TEST(CallFrames, AreWhatTheCompilerSays) {
#ifdef __x86_64__
  EXPECT_TRUE(CallFrames::are_right());
  std::thread([] { EXPECT_TRUE(CallFrames::are_right()); }).join();
#else
  EXPECT_FALSE(CallFrames::are_right());
#endif
}

#ifdef __x86_64__

/// As a wrapper is: it has a place to which it returns.
extern "C" [[gnu::used, gnu::noinline]] void find_frames_of_test(CallFrames* found) {
  found->find(DDTSCOPE_RETURN_PLACE, 3);
  __asm__ volatile("");
}

/// Calls it with known values in all registers that a called function leaves alone, but for the frame pointer.
[[gnu::noinline]] void call_with_registers(CallFrames& found) {
  void* argument = &found;
  __asm__ volatile(
      "movq $0x1111, %%rbx\n\t"
      "movq $0x2222, %%r12\n\t"
      "movq $0x3333, %%r13\n\t"
      "movq $0x4444, %%r14\n\t"
      "movq $0x5555, %%r15\n\t"
      "movq %%rsp, %%rax\n\t"
      "subq $128, %%rsp\n\t"
      "andq $-16, %%rsp\n\t"
      "pushq %%rax\n\t"
      "pushq %%rax\n\t"
      "call find_frames_of_test\n\t"
      "popq %%rsp"
      : "+D"(argument)
      :
      : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc");
}

TEST(CallFrames, HaveTheRegistersThatCalledFunctionsLeaveAlone) {
  CallFrames found;
  call_with_registers(found);
  ASSERT_FALSE(found.addresses().empty());
  ASSERT_FALSE(found.frames().empty());
  const KeptRegisters& registers = found.frames()[0].registers;
  const auto value_of = [&](std::uint8_t number) {
    const auto place = static_cast<std::size_t>(std::ranges::find(kept_registers, number) - kept_registers.begin());
    return registers.known[place] ? registers.values[place] : 0;
  };
  EXPECT_EQ(value_of(3), 0x1111U);
  EXPECT_EQ(value_of(12), 0x2222U);
  EXPECT_EQ(value_of(13), 0x3333U);
  EXPECT_EQ(value_of(14), 0x4444U);
  EXPECT_EQ(value_of(15), 0x5555U);
}

TEST(CallFrames, AreAsManyAsAreWantedAndHoldTheirVariables) {
  CallFrames found;
  std::uintptr_t variable = 0x6666;
  __asm__ volatile("" : : "r"(&variable) : "memory");
  find_frames_of_test(&found);
  ASSERT_EQ(found.frames().size(), 3U);
  EXPECT_TRUE(found.frames()[0].holds(reinterpret_cast<std::uintptr_t>(&variable)));
  EXPECT_FALSE(found.frames()[1].holds(reinterpret_cast<std::uintptr_t>(&variable)));
  EXPECT_EQ(CallFrames::word_at(reinterpret_cast<std::uintptr_t>(&variable)), 0x6666U);
  EXPECT_EQ(found.frames()[0].cfa, reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa()));
  EXPECT_EQ(found.frames()[1].stack_pointer, found.frames()[0].cfa);
}

TEST(CallFrames, AreNoneFromNowhere) {
  CallFrames found;
  EXPECT_FALSE(found.find({}, 3));
  EXPECT_TRUE(found.frames().empty());
}

#endif

}  // namespace
}  // namespace ddtscope::plugin::call_frames_test
