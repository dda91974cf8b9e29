// What a registry consists of, and what all that is done under its lock has in common.
#pragma once

#include <cstdint>
#include <vector>

#include "plugin/base/spin_lock.h"
#include "plugin/registry/definition_cache.h"
#include "plugin/registry/failed_calls.h"
#include "plugin/registry/handle_lives.h"
#include "plugin/registry/instance_counters.h"
#include "plugin/registry/names_seen.h"
#include "plugin/registry/predefined_handles.h"
#include "plugin/registry/registry_setup.h"
#include "plugin/registry/types_in_use.h"

namespace ddtscope::plugin {

/// Its functions are called under the lock.
class RegistryParts {
 protected:
  RegistryParts(const RegistryOptions& options, const RegistrySurroundings& around);
  ~RegistryParts() = default;

  Place place_of(const EntryPoint& called, const Stack& stack) { return {sites_.intern(stack, writer_), &called}; }
  std::uint32_t counter_of(DefinitionId definition, const Place& place);
  void begin_life(HandleBits handle, DefinitionId definition, std::uint32_t counter);
  void end_life(std::uint32_t counter) {
    if (counters_.end_life(counter)) [[unlikely]]
      cache_.enqueue(counters_.type(counter));
  }
  /// A type that the trace can take no more, or that there is no memory for.
  void drop(HandleBits newtype, const Place& place);
  Totals count_totals() const;

  SpinLock lock_;
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
