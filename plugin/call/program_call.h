// A call as it came from the program.
#pragma once

#include "plugin/call/entry_point.h"
#include "plugin/call/stack.h"

namespace ddtscope::plugin {

/// `entry` is nullptr where it did not come from there: the library calls for itself, or the call was counted when it
/// came in by another name.
struct ProgramCall {
  const EntryPoint* entry = nullptr;
  ReturnPlace caller;       // in the program
  bool is_fortran = false;  // it came through the library's Fortran layer
};

}  // namespace ddtscope::plugin
