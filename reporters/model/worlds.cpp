#include "reporters/model/worlds.h"

#include <algorithm>

namespace ddtscope::reporters {

std::vector<JobWorld> worlds_of(const Job& job) {
  std::vector<JobWorld> worlds;
  for (const JobRank& rank : job.ranks) {
    const HeaderRecord& header = rank.header;
    if (!header.rank) {
      continue;
    }
    if (worlds.empty() || worlds.back().number != header.world) {
      worlds.push_back({header.world, header.spawned_by, header.size, header.arguments, {}, true});
    }
    JobWorld& world = worlds.back();
    if (std::find(world.programs.begin(), world.programs.end(), header.program) == world.programs.end()) {
      world.programs.push_back(header.program);
    }
    world.complete = world.complete && rank.complete();
  }
  for (const Rank& missing : job.missing_ranks) {
    const auto world = std::find_if(worlds.begin(), worlds.end(),
                                    [&](const JobWorld& known) { return known.number == missing.world; });
    world->complete = false;
  }
  return worlds;
}

bool has_spawned_worlds(const Job& job) {
  return std::any_of(job.ranks.begin(), job.ranks.end(),
                     [](const JobRank& rank) { return rank.header.rank && !rank.header.world.is_first(); });
}

}  // namespace ddtscope::reporters
