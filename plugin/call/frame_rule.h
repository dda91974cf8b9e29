// How one gets from a frame to that of its caller, by the tables that compilers leave in every module for exceptions
// (.eh_frame; the DWARF standard's call frame information).
#pragma once

#include <array>
#include <cstddef>
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

/// Registers that a called function leaves to its caller as they were, by their numbers in the tables (System V ABI for
/// x86-64, 3.6.2): rbx, rbp, r12 to r15.
inline constexpr std::array<std::uint8_t, 6> kept_registers{3, 6, 12, 13, 14, 15};
inline constexpr std::size_t place_of_frame_pointer = 1;  // among them

/// A rule, and where a function has put what its caller had in those registers.
struct FrameRegisters {
  struct Place {
    enum class Kind : std::uint8_t { kept, below_cfa, by_frame_pointer, lost };
    Kind kind = Kind::kept;
    std::int64_t offset = 0;  // from the CFA, or from the frame pointer
    friend bool operator==(const Place&, const Place&) = default;
  };
  FrameRule rule;
  std::array<Place, kept_registers.size()> places;  // as kept_registers has them
};

/// As frame_rule_at(), and of the registers, too.
FrameRegisters frame_registers_at(std::uintptr_t return_address) noexcept;

/// The rule at the call instruction that returns to `return_address`, `unknown` on processors other than x86-64. Looks
/// through the loader's list of modules; allocates nothing, and reads nothing outside of the module, whatever stands
/// in its tables.
FrameRule frame_rule_at(std::uintptr_t return_address) noexcept;

}  // namespace ddtscope::plugin
