// Which function this thread is in the middle of. A Fortran procedure reaches the C function of its name through the
// library, and a tool that is preloaded behind the plugin passes MPI_X on to PMPI_X: all of that is one call.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "plugin/call/entry_point.h"
#include "plugin/call/functions.h"
#include "plugin/call/program_call.h"
#include "plugin/call/stack.h"
#include "plugin/intercept/caller.h"
#include "plugin/uses/use_row.h"

namespace ddtscope::plugin {

/// Copied out and in by the wrappers, never a chain of pointers into the stack: an error handler may leave through a
/// wrapper by an exception or a longjmp, and what stays behind then must do no harm.
struct CallInProgress {
  Function function = Function::none;
  bool is_awaited = false;           // a Fortran procedure that has not reached its C function yet
  std::intptr_t first_argument = 0;  // of a C function: a tool in between passes it on as it is
};

/// The counts and types that a program gives with buffers which the library describes by types of its own before it
/// calls the C function: sections of arrays that are not contiguous (MPI-4.1 19.1.12). One for each of the row's uses.
struct ProgramAmounts {
  std::array<std::intptr_t, Uses::most> counts = {};
  std::array<std::intptr_t, Uses::most> types = {};  // handles
};

/// The Fortran procedure that this thread is in.
struct FortranCall {
  const EntryPoint* entry = nullptr;
  ReturnPlace caller;
  std::optional<ProgramAmounts> amounts;  // of a procedure that gets descriptors of arrays
  // Where handles are no INTEGERs: those that the program gave, for each of the row's uses that has one type.
  std::array<std::int32_t, Uses::most> types = {};
  // And where the INTEGERs of the others are, which have an array of them.
  std::array<std::intptr_t, Uses::most> type_arrays = {};
  const std::intptr_t* with_descriptors = nullptr;  // its arguments, where buffers are given by descriptors
};

// The plugin is loaded with the program, so it has a place in every thread's static block: no call to find it.
extern thread_local constinit CallInProgress call_in_progress [[gnu::tls_model("initial-exec")]];
extern thread_local constinit FortranCall fortran_call [[gnu::tls_model("initial-exec")]];

/// Restores what was in progress before.
class Progress {
 public:
  explicit Progress(const CallInProgress& call) : before_(call_in_progress) { call_in_progress = call; }
  ~Progress() { call_in_progress = before_; }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  CallInProgress before_;
};

/// What a wrapper of a C name knows of the call.
struct Arrival {
  const EntryPoint& entry;
  Function function;
  bool is_profiling_name;  // PMPI_X
  ReturnPlace return_place;
};

[[gnu::always_inline]] inline ProgramCall program_call(const Arrival& arrival, std::intptr_t first_argument) {
  CallInProgress& now = call_in_progress;
  if (now.function == arrival.function) [[unlikely]] {
    if (now.is_awaited) {
      now.is_awaited = false;
      return {fortran_call.entry, fortran_call.caller, true};
    }
    if (arrival.is_profiling_name && now.first_argument == first_argument) return {};
  }
  if (caller_of(arrival.return_place.address) == Caller::library) return {};
  return {&arrival.entry, arrival.return_place, false};
}

}  // namespace ddtscope::plugin
