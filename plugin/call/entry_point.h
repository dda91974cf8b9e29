// The name by which a program calls a function of the MPI library.
#pragma once

namespace ddtscope::plugin {

/// One static object per name: compared by address.
struct EntryPoint {
  const char* name;     // "MPI_Type_vector", "mpi_type_vector_"
  const char* binding;  // as the trace has it: "c", "mpif.h", "mpi_f08", "pmpi"
};

}  // namespace ddtscope::plugin
