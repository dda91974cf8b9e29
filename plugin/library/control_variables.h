// The library's MPI_T control variables that concern datatypes.
#pragma once

#include <vector>

#include "plugin/library/library.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// Asks the library through its tools interface (MPI-4.1 15.3.6). Costs 16 ms on Open MPI: only on request.
std::vector<HeaderRecord::ControlVariable> datatype_control_variables(const MpiFunctions& mpi);

}  // namespace ddtscope::plugin
