// A spawned world writes into its parent's folder. No message can ask for it, because nobody knows whether the parent
// has the plugin: but the launcher names both worlds, and the parent's trace says its name.
#pragma once

#include <optional>
#include <string>

#include "plugin/library/launched_world.h"
#include "reporters/trace/format/rank.h"

namespace ddtscope::plugin {

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
