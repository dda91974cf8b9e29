// The functions of the table, numbered. All names of a function (MPI_, PMPI_, Fortran, those that MPI-1 had) share one
// number.
#pragma once

#include <mpi.h>

namespace ddtscope::plugin {

#define DDTSCOPE_CALL(arity, function, ...) P##function,
#define DDTSCOPE_CALL_AS(...)
#if MPI_VERSION >= 4
#define DDTSCOPE_LARGE_CALL(arity, function, ...) P##function,
#define DDTSCOPE_SESSION_CALL(arity, function, ...) P##function,
#endif
enum class Function : unsigned char {
  none,
#include "plugin/calls.def"
};

/// Where MPI begins or ends.
constexpr bool is_lifetime(Function function) {
  switch (function) {
    case Function::PMPI_Init:
    case Function::PMPI_Init_thread:
    case Function::PMPI_Finalize:
#if MPI_VERSION >= 4
    case Function::PMPI_Session_init:
    case Function::PMPI_Session_finalize:
#endif
      return true;
    default:
      return false;
  }
}

}  // namespace ddtscope::plugin
