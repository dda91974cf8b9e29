// What the launcher says of this process's MPI_COMM_WORLD.
#pragma once

#include <string>

#include "reporters/trace/format/rank.h"

namespace ddtscope::plugin {

/// Alike in all processes of the world.
struct LaunchedWorld {
  std::string job;     // what it calls the world; empty where it says nothing
  WorldNumber number;  // among the worlds of one start of the launcher
  std::string parent;  // what it calls the world that spawned this one; empty where none did
  WorldNumber parent_number;
};

/// Whether the launcher's environment says that this process is the first of its world, or says nothing: for those that
/// cannot ask MPI.
bool is_first_by_launcher();

/// By the environment of Open MPI's launcher, versions 4 to 6.
LaunchedWorld launched_by_open_mpi();

}  // namespace ddtscope::plugin
