#include "reporters/model/job_communicators.h"

#include <algorithm>

namespace ddtscope::reporters {

JobCommunicators::JobCommunicators(const Job& job) : job_(job) {
  for (const RankChannels& channels : job.messages.channels) add(place_of(channels));
  for (const RankCollectives& collectives : job.messages.collectives) add(place_of(collectives));
  add_told();
}

void JobCommunicators::add(const Place& place) {
  const std::optional<Identity> identity = identity_of(place);
  if (!identity || !numbers_.try_emplace(*identity, static_cast<std::uint32_t>(all_.size())).second) return;
  Joined& joined = all_.emplace_back();
  joined.world = place.rank.world;
  joined.predefined = place.predefined;
  joined.made = place.made;
}

std::optional<JobCommunicators::Identity> JobCommunicators::identity_of(const Place& place) const {
  switch (place.predefined) {
    case PredefinedCommunicator::world:
      return Identity(place.rank.world, place.predefined, 0);
    case PredefinedCommunicator::self:
      return Identity(place.rank.world, place.predefined, static_cast<std::uint64_t>(place.rank.number));
    case PredefinedCommunicator::none:
      break;
  }
  if (!place.made) return std::nullopt;
  const std::optional<Key> name = job_.communicators[place.made->value].name;
  return name ? std::optional(Identity(place.rank.world, place.predefined, *name)) : std::nullopt;
}

std::optional<JoinedCommunicator> JobCommunicators::of(const Place& place) const {
  const std::optional<Identity> identity = identity_of(place);
  if (!identity) return std::nullopt;
  return JoinedCommunicator{numbers_.find(*identity)->second};
}

void JobCommunicators::add_told() {
  const auto number_of = [&](const JobCommunicator& made, WorldNumber world) {
    return made.name ? numbers_.find({world, PredefinedCommunicator::none, *made.name}) : numbers_.end();
  };
  for (const JobCommunicator& made : job_.communicators) {
    for (const RankRange& range : made.ranks.ranges()) {
      const auto found = number_of(made, range.world);
      if (found == numbers_.end()) continue;
      RankRanges ranks;
      ranks.add(range);
      all_[found->second].told.add(ranks);
    }
  }
  for (const JobCommunicator& made : job_.communicators) {
    std::set<WorldNumber> worlds;
    for (const RankRange& range : made.ranks.ranges()) worlds.insert(range.world);
    for (const WorldNumber world : worlds) {
      const auto found = number_of(made, world);
      if (found == numbers_.end()) continue;
      Joined& joined = all_[found->second];
      for (const GroupRuns& group : made.groups) {
        for (const RankRun& run : group) {
          if (!joined.is_whole) break;
          const auto [least, most] = std::minmax(run.first, run.last);
          // Most often all ranks between have told it, too.
          if (joined.told.contains_all({least, most, world})) continue;
          joined.is_whole = run.step != 1 && run.step != -1;
          for (std::int64_t rank = run.first; joined.is_whole; rank += run.step) {
            joined.is_whole = joined.told.contains({world, rank});
            if (rank == run.last) break;
          }
        }
      }
    }
  }
}

bool JobCommunicators::is_told(JoinedCommunicator communicator, Rank one, Rank other) {
  Joined& joined = all_[communicator.value];
  if (!joined.made) return true;
  return joined.is_whole && joined.told.contains(one) && joined.told.contains(other);
}

}  // namespace ddtscope::reporters
