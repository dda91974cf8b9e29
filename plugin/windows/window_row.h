// What the arguments of a function that makes a window mean: the positions that a row of windows.def names. Nothing of
// mpi.h.
#pragma once

#include <cstdint>

#include "reporters/trace/format/records.h"

namespace ddtscope::plugin {

/// Positions count from 0; -1 where there is none: a dynamic window has no memory of its own (MPI-4.1 12.2.4).
struct MakesWindow {
  WindowFlavour flavour = WindowFlavour::create;
  std::int8_t size = -1;               // an MPI_Aint, in bytes
  std::int8_t displacement_unit = -1;  // an int, or in the large form an MPI_Aint
  std::int8_t communicator = -1;
  std::int8_t made = -1;  // where the new handle is put
};

}  // namespace ddtscope::plugin
