// What the arguments of a function that makes or synchronises a window mean: the positions that a row of windows.def or
// synchronisations.def names. Nothing of mpi.h.
#pragma once

#include <cstdint>

#include "reporters/trace/format/records.h"

namespace ddtscope::plugin {

/// Positions count from 0; -1 where there is none: a dynamic window has no memory of its own (MPI-4.1 12.2.4).
struct MakesWindow {
  WindowFlavour flavour = WindowFlavour::create;
  std::int8_t base = -1;               // of an MPI_Win_create the address, else where that is put
  std::int8_t size = -1;               // an MPI_Aint, in bytes
  std::int8_t displacement_unit = -1;  // an int, or in the large form an MPI_Aint
  std::int8_t communicator = -1;
  std::int8_t info = -1;
  std::int8_t made = -1;  // where the new handle is put
};

/// Positions count from 0; -1 where there is none.
struct Synchronises {
  WindowEventKind kind = WindowEventKind::fence;
  std::int8_t window = -1;  // a handle, or of one that frees it its address
  std::int8_t target = -1;  // a rank
  std::int8_t group = -1;
  std::int8_t assertion = -1;
  std::int8_t lock_type = -1;
  std::int8_t info = -1;
  std::int8_t flag = -1;  // of one that may have done nothing yet
  bool frees = false;
};

}  // namespace ddtscope::plugin
