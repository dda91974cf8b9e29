// MPI_INFO_NULL, whichever the library's binary interface has it as.
#pragma once

#include <mpi.h>

namespace ddtscope::plugin {

MPI_Info null_info();

}  // namespace ddtscope::plugin
