// The program's frames under a call, with what its debugging information needs to say which variable lies where: the
// canonical frame address of each, and the registers that called functions leave alone, as they are in it.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "plugin/call/frame_rule.h"
#include "plugin/call/stack.h"
#include "plugin/call/stack_walk.h"

namespace ddtscope::plugin {

/// Registers that called functions leave alone, in the order of kept_registers.
struct KeptRegisters {
  std::array<std::uintptr_t, kept_registers.size()> values{};
  std::bitset<kept_registers.size()> known;
};

struct CallFrame {
  std::uintptr_t return_address = 0;
  std::uintptr_t stack_pointer = 0;  // at the call that it has made
  std::uintptr_t cfa = 0;
  KeptRegisters registers;  // at that call
  bool holds(std::uintptr_t address) const { return address >= stack_pointer && address < cfa; }
};

/// Large: not for a stack of which nobody knows how much there is. Of the thread that asks, while the frames are there.
/// Reads nothing but that thread's stack and the modules' tables, allocates nothing.
class CallFrames {
 public:
  static constexpr std::size_t most = trace::largest_stack_depth;

  /// Finds the frames from the place on, at most `depth`. False where not even the first one's canonical frame address
  /// is known, as on processors other than x86-64. Where the frames above the place have lost what was in registers,
  /// these are not known.
  [[gnu::noinline]] bool find(const ReturnPlace& place, std::size_t depth) noexcept;

  /// Those whose canonical frame address is known, innermost first.
  std::span<const CallFrame> frames() const { return {frames_.data(), count_}; }
  /// Where all frames return to, one more perhaps than frames().
  std::span<void* const> addresses() const { return {addresses_.data(), number_of_addresses_}; }
  /// The thread's stack.
  const Mapping& stack() const { return stack_; }
  /// A word of one of the frames.
  static std::uintptr_t word_at(std::uintptr_t address) noexcept;

  /// Whether the frames of three functions that are known are found to be what their compiler says.
  static bool are_right() noexcept;

 private:
  Mapping stack_;
  std::size_t count_ = 0, number_of_addresses_ = 0;
  std::array<CallFrame, most> frames_;
  std::array<void*, most> addresses_;
};

}  // namespace ddtscope::plugin
