// The functions of the tables, numbered. All names of a function (MPI_, PMPI_, Fortran, those that MPI-1 had) share one
// number.
#pragma once

namespace ddtscope::plugin {

#define DDTSCOPE_CALL(arity, function, ...) P##function,
#define DDTSCOPE_CALL_AS(...)
#define DDTSCOPE_USES(arity, function, ...) P##function, P##function##_c,
#define DDTSCOPE_USES_ALONE(arity, function, ...) P##function,
#define DDTSCOPE_COMMUNICATOR(arity, function, ...) P##function,
#define DDTSCOPE_COLLECTIVE(arity, function, ...) P##function,
#define DDTSCOPE_WINDOW(arity, function, ...) P##function, P##function##_c,
#define DDTSCOPE_WINDOW_ALONE(arity, function, ...) P##function,
#define DDTSCOPE_SYNCHRONISATION(arity, function, ...) P##function,
enum class Function : unsigned short {
  none,
  PMPI_Start,
  PMPI_Startall,
  PMPI_Pready,
  PMPI_Pready_range,
  PMPI_Pready_list,
  PMPI_Pcontrol,
  PMPI_Abort,
  PMPI_File_open,
#include "plugin/call/calls.def"
#include "plugin/call/collectives.def"
#include "plugin/call/communicators.def"
#include "plugin/call/synchronisations.def"
#include "plugin/call/uses.def"
#include "plugin/call/windows.def"
};

/// Where MPI begins or ends.
constexpr bool is_lifetime(Function function) {
  switch (function) {
    case Function::PMPI_Init:
    case Function::PMPI_Init_thread:
    case Function::PMPI_Finalize:
    case Function::PMPI_Session_init:
    case Function::PMPI_Session_finalize:
      return true;
    default:
      return false;
  }
}

}  // namespace ddtscope::plugin
