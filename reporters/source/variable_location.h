// Where debugging information says that a variable is, as far as that follows from a frame and from values that may be
// compared with what was recorded: no register and no memory is there any more.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "reporters/source/frame_facts.h"

namespace ddtscope::reporters {

/// A value that an expression has: so much more than a base.
struct SymbolicValue {
  enum class Base : std::uint8_t {
    constant,     // nothing, or an address of the module
    thread,       // where the memory begins that the thread has of the module
    cfa,          // of the frame
    slot,         // the value in memory at `at` bytes from the CFA
    in_register,  // the value in register `at`
  };
  Base base = Base::constant;
  std::int64_t at = 0;
  std::int64_t plus = 0;
};

/// A part of a variable.
struct VariablePiece {
  enum class Kind : std::uint8_t {
    memory,       // at the address that `value` is
    in_register,  // in register `value.at`
    value,        // it is `value`, and lies nowhere
    unknown,
  };
  Kind kind = Kind::unknown;
  SymbolicValue value;
  std::int64_t offset = 0;           // in the variable, bytes
  std::optional<std::int64_t> size;  // none: all that is left of it
  /// What the information says of a place shortly before the call, and no longer of the call itself.
  bool is_over = false;
};

/// A function that calls, at the call.
struct CallingFrame {
  Dwarf_Addr pc = 0;                          // the return address less one, of the debugging information
  Dwarf_Die function = {};                    // the one that was compiled
  std::optional<std::int64_t> stack_pointer;  // at the call, from the CFA, where it was recorded
};

/// Where a variable lives that the information has before the call and behind it, and not at it: the slot of the stack
/// that it is in behind it. Nothing where that is no slot.
std::optional<VariablePiece> slot_behind(Dwarf_Die* variable, const CallingFrame& frame, FrameTables& tables);
/// All slots that the information says at any place that the variable is in, as bytes from the CFA.
std::vector<std::int64_t> slots_of(Dwarf_Die* variable, const CallingFrame& frame, FrameTables& tables);

/// The parts of the variable that has this DIE. Empty where the information says nothing for the place; without a frame
/// only static variables have a place.
std::vector<VariablePiece> pieces_of(Dwarf_Die* variable, const CallingFrame* frame, FrameTables& tables);

}  // namespace ddtscope::reporters
