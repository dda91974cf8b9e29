// Libraries whose predefined handles are constants of mpi.h.
#pragma once

#include "plugin/library/library.h"

namespace ddtscope::plugin {

struct PredefinedConstant {
  std::string_view name;
  MPI_Datatype handle;
  int since = 0;  // the version of MPI whose libraries have it
};

/// Whether the library in this process, which may be another release than that of mpi.h, can be asked about the handle.
bool can_be_asked_about(const PredefinedConstant& constant);

}  // namespace ddtscope::plugin
