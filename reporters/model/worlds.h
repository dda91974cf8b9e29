// The worlds of a job: the one that the launcher started, and those that MPI_Comm_spawn made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

struct JobWorld {
  WorldNumber number;
  std::optional<WorldNumber> spawned_by;
  std::optional<std::int64_t> size;    // as its processes say
  std::vector<std::string> arguments;  // of its first process
  std::vector<std::string> programs;   // that its processes run, as far as known; the first process's first
  bool complete = true;                // all its processes are there and ended in order
};

/// Ascending. Processes without a rank are of none.
std::vector<JobWorld> worlds_of(const Job& job);

/// Whether anything was spawned, as far as the traces tell: else nobody needs to hear of worlds.
bool has_spawned_worlds(const Job& job);

}  // namespace ddtscope::reporters
