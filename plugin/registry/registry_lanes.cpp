// Where several threads call at once: what needs no more than the lane of one handle, and else has everything locked.
#include <mutex>

#include "plugin/registry/registry.h"

namespace ddtscope::plugin {

void Registry::require_locking() {
  lock_.require();
  const std::lock_guard guard(lock_);
  lives_.split();
}

/// The definition of the oldtype, which the program keeps alive.
[[gnu::always_inline]] inline DefinitionId Registry::definition_in_lane(const PlainCreation& creation) const {
  if (creation.predefined.valid()) return creation.predefined;
  const HandleEntry* entry = lives_.find_beside_lanes(creation.oldtype);
  return entry ? entry->type() : DefinitionId{};
}

/// False where created() has it all to do.
bool Registry::created_again_in_lane(PlainCreation creation) {
  if (creation.combiner == Combiner::dup) return false;  // which looks at the old type's slot as well
  const Lane lane = lane_of(creation.newtype);
  const LanedLock::LaneGuard guard(lock_, lane);
  if (closed_) return true;
  const DefinitionId oldtype = definition_in_lane(creation);
  const RecentCall& recent = cache_.recent().slot_of(creation.place, oldtype, creation.numbers, lane);
  if (!recent.is(creation.place, oldtype, creation.numbers)) return false;
  const std::uint32_t counter = recent.counter();
  const bool has_begun =
      counters_.is_of(counter, lane) &&
      lives_.begin_in_lane(creation.newtype,
                           {.definition = counters_.type(counter), .counter = counter, .predefined = false});
  if (has_begun) ++counters_.counted(counter).created;
  return has_begun;
}

Registry::Commit Registry::begin_commit_in_lane(HandleBits handle) {
  {
    const Lane lane = lane_of(handle);
    const LanedLock::LaneGuard guard(lock_, lane);
    if (closed_) return {};
    const auto commit =
        lives_.begin_commit_in_lane(handle, [&](std::uint32_t counter) { return counters_.is_of(counter, lane); });
    if (commit && commit->of == Commit::Of::first) ++counters_.counted(commit->counter).committed;
    if (commit) return *commit;
  }
  const std::lock_guard guard(lock_);
  return closed_ ? Commit{} : commit(handle);
}

Registry::Free Registry::begin_free_in_lane(HandleBits handle) {
  {
    const LanedLock::LaneGuard guard(lock_, lane_of(handle));
    if (closed_) return {};
    if (const auto free = lives_.begin_free_in_lane(handle)) return *free;
  }
  const std::lock_guard guard(lock_);
  return closed_ ? Free{} : lives_.begin_free(handle);
}

/// False where nothing was done.
[[gnu::always_inline]] inline bool Registry::count_free_in_lane(const Free& free, const FreedAt& at) {
  const Lane lane = lane_of(free.handle);
  const LanedLock::LaneGuard guard(lock_, lane);
  if (closed_) return true;
  const std::uint32_t counter = free.counter;
  if (counter == trace::debug_view_none || !counters_.is_of(counter, lane) || !counters_.may_end_quietly(counter))
    return false;
  if (!lives_.end_free_in_lane(free)) return false;
  remember_free(free, at);
  ++counters_.counted(counter).freed;
  return true;
}

bool Registry::end_free_in_lane(Free free, CallOutcome outcome, FreedAt at) {
  if (free.known && outcome == CallOutcome::succeeded && count_free_in_lane(free, at)) return false;
  const std::lock_guard guard(lock_);
  return !closed_ && finish_free(free, outcome, at);
}

}  // namespace ddtscope::plugin
