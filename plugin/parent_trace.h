// A spawned world writes into its parent's folder. No message can ask for it, because nobody knows whether the parent
// has the plugin: but the launcher names both worlds, and the parent's trace says its name.
#pragma once

#include <optional>
#include <string>

#include "reporters/trace/rank.h"

namespace ddtscope::plugin {

/// What the launcher says of this process's MPI_COMM_WORLD, alike in all its processes.
struct LaunchedWorld {
  std::string job;     // what it calls the world; empty where it says nothing
  WorldNumber number;  // among the worlds of one start of the launcher
  std::string parent;  // what it calls the world that spawned this one; empty where none did
  WorldNumber parent_number;
};

struct ParentTrace {
  std::string folder;
  std::string job;
  WorldNumber world;  // the parent's, as its trace has it
};

/// The trace of the world that spawned `world`, where it is found: in the folder `wanted`, or in one that stands beside
/// it because that was taken; where `wanted` is empty, in the folders ddtscope-*. Relative names are looked for where
/// this process runs and where the launcher was started.
std::optional<ParentTrace> find_parent_trace(const LaunchedWorld& world, const std::string& wanted);

}  // namespace ddtscope::plugin
