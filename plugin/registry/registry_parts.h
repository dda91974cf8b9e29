// What a registry consists of, and what all that is done under its lock has in common.
#pragma once

#include <cstdint>
#include <vector>

#include "plugin/base/laned_lock.h"
#include "plugin/registry/definition_cache.h"
#include "plugin/registry/failed_calls.h"
#include "plugin/registry/handle_lives.h"
#include "plugin/registry/instance_counters.h"
#include "plugin/registry/names_seen.h"
#include "plugin/registry/predefined_handles.h"
#include "plugin/registry/registry_setup.h"
#include "plugin/registry/types_in_use.h"

namespace ddtscope::plugin {

/// Its functions are called with everything locked. To the lanes belong the slots of handles (HandleLives) and the
/// frees that are remembered, each in the lane of its handle, and the counts of counters that are of one lane.
class RegistryParts {
 protected:
  RegistryParts(const RegistryOptions& options, const RegistrySurroundings& around);
  ~RegistryParts() = default;

  Place place_of(const EntryPoint& called, const Stack& stack) { return {sites_.intern(stack, writer_), &called}; }
  /// The lane in which the handle's lives are counted.
  Lane counting_lane(HandleBits handle) const { return lock_.has_lanes() ? lane_of(handle) : Lane{}; }
  /// For a life of the handle.
  std::uint32_t counter_of(DefinitionId definition, const Place& place, HandleBits handle);
  void begin_life(HandleBits handle, DefinitionId definition, std::uint32_t counter);
  void end_life(std::uint32_t counter) {
    if (counters_.end_life(counter)) [[unlikely]]
      cache_.enqueue(counters_.type(counter));
  }
  /// A type that the trace can take no more, or that there is no memory for.
  void drop(HandleBits newtype, const Place& place);
  Totals count_totals() const;

  LanedLock lock_;
  bool closed_ = false;
  const bool verifies_;
  // These begin beside the lock, which most calls look at as well.
  RecentFrees frees_;
  PredefinedHandles predefined_;
  CallSites& sites_;
  LibraryQueries& library_;
  trace::Writer& writer_;
  CounterPages& pages_;
  InstanceCounters counters_;
  DefinitionCache cache_;
  HandleLives lives_;
  TypesInUse types_in_use_;
  NamesSeen names_;
  FailedCalls failed_;
  UnrecordedCalls unrecorded_;

 private:
  std::vector<PredefinedHandles::Item> begin_predefined(const std::vector<PredefinedHandle>& predefined);
};

}  // namespace ddtscope::plugin
