// How one gets from a frame to that of its caller, by the tables that compilers leave in every module for exceptions
// (.eh_frame; the DWARF standard's call frame information).
#pragma once

#include <cstdint>

namespace ddtscope::plugin {

/// What holds at one return address. The canonical frame address (CFA) of a frame is the stack pointer that its caller
/// has after the call; the word below it is the return address. One word, to be loaded and stored as one.
struct alignas(8) FrameRule {
  enum class Cfa : std::uint8_t {
    unknown,        // no tables, or such as are not for two loads and an addition
    outermost,      // nobody called this function
    stack_pointer,  // stack pointer + cfa_offset
    frame_pointer,  // frame pointer + cfa_offset
    word_of_frame,  // the word at frame pointer + cfa_offset: functions that align their stack
  };
  /// Where the caller's frame pointer is.
  enum class FramePointer : std::uint8_t {
    kept,              // in its register
    below_cfa,         // at CFA + frame_pointer_offset
    by_frame_pointer,  // at frame pointer + frame_pointer_offset
    lost,
  };
  Cfa cfa = Cfa::unknown;
  FramePointer frame_pointer = FramePointer::kept;
  std::int16_t frame_pointer_offset = 0;
  std::int32_t cfa_offset = 0;
  friend bool operator==(const FrameRule&, const FrameRule&) = default;
};

/// The rule at the call instruction that returns to `return_address`, `unknown` on processors other than x86-64. Looks
/// through the loader's list of modules; allocates nothing, and reads nothing outside of the module, whatever stands
/// in its tables.
FrameRule frame_rule_at(std::uintptr_t return_address) noexcept;

}  // namespace ddtscope::plugin
