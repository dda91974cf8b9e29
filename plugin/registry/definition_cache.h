// The definitions that a process has at hand, and what is remembered of those that made room for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "decoder/definition/definition.h"
#include "decoder/layout/layout.h"
#include "plugin/debug_view/debug_memory.h"
#include "plugin/registry/evicted_definitions.h"
#include "plugin/registry/instance_counters.h"
#include "plugin/registry/place.h"
#include "plugin/registry/recent_calls.h"
#include "reporters/trace/write/definition_numbers.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// Whether definitions are laid out while the program runs: to compare them with what the library says of them.
enum class CachedLayouts : std::uint8_t { none, all };

/// How a process came by a type.
enum class Origin : std::uint8_t { made, adopted };

/// A constructor call that is not known, and what the library says of the type that it made.
struct NewDefinition {
  const ConstructorCall& call;
  const ArrayDigests& digests;
  const ObservedBounds& bounds;
  Place place;
  Origin origin = Origin::made;
  std::uint32_t since = 0;  // generation of the first handle that can stand for it
};

/// Takes no more memory than it may: definitions without live instances and parents make room, the least recently made
/// ones first. What remains of them is their line in the trace, their number, and their counts: made again, they count
/// on. Not synchronised.
class DefinitionCache {
 public:
  /// All must outlive the cache.
  struct Parts {
    const LibraryConstants& constants;
    InstanceCounters& counters;
    const CallSites& sites;
    trace::Writer& writer;
    DebugMemory& memory;
  };
  struct Options {
    std::size_t most_bytes;
    CachedLayouts layouts = CachedLayouts::none;
  };
  DefinitionCache(const Options& options, const Parts& parts);

  const DefinitionStore& store() const { return store_; }
  const std::optional<Layouts>& layouts() const { return layouts_; }
  RecentCalls& recent() { return recent_; }
  /// Whether made by a name that the standard has, or the library.
  bool is_predefined(DefinitionId id) const { return store_[id].predefined.valid(); }
  /// The number of its line in the trace.
  DefinitionNumber number_of(DefinitionId id) const { return numbers_[id]; }
  /// Whether the trace took its line.
  bool has_line(DefinitionId id) const { return numbers_.has(id); }

  /// A type of the standard's. The same name gives the same id.
  DefinitionId add_predefined(const PredefinedType& type);
  /// One of the library's own, of these bounds, which the trace's header does not list. Invalid where its name is
  /// another's.
  DefinitionId add_unlisted(const PredefinedType& type, const ObservedBounds& bounds);
  /// What is there now does not count against the limit.
  void begin_counting();

  /// Invalid where the call is not known.
  DefinitionId find(const ConstructorCall& call, const ArrayDigests& digests) const {
    return store_.find(call, digests).value_or(DefinitionId{});
  }
  struct Defined {
    DefinitionId id;        // invalid where there is no memory, or the trace did not take its line
    bool is_first = false;  // it has got a line of its own just now
  };
  /// The call's definition: where it is new, it is written, or known again as one that had made room. Its oldtypes must
  /// be pinned.
  Defined define(const NewDefinition& wanted);

  /// Keeps a definition from making room until it is unpinned.
  void pin(DefinitionId id) { ++use_of(id).pins; }
  void unpin(std::span<const DefinitionId> pinned) noexcept;
  /// The definition may make room once it is found to be unused.
  void enqueue(DefinitionId id);
  /// Whether one that made room is not remembered any more: where it is made again, it has two lines in the trace.
  bool has_forgotten_some() const { return evicted_.forgotten() != 0; }

 private:
  struct Use {
    std::uint32_t pins = 0;
    std::uint64_t begun = 0;  // lives, when it was enqueued
  };
  Use& use_of(DefinitionId id);
  bool is_in_use(DefinitionId id) const;
  std::size_t bytes_held() const;
  /// False where the memory does not suffice for a new definition of this call.
  bool make_room_for(const ConstructorCall& call);
  /// False where nothing may go, or the trace takes no more.
  bool evict_one();
  bool evict(DefinitionId id);
  /// The first record of a definition that is not remembered any more instead.
  RecordNumber remember(DefinitionId id, RecordNumber parked);
  /// A second hash of a call, so that one of the same key is hardly ever taken for it; with the numbers that its
  /// oldtypes have in the trace, because it stands there as made of them.
  std::uint32_t check_of(const ConstructorCall& call) const;
  void lay_out(DefinitionId id, const ObservedBounds& bounds);
  /// False where it has no line of its own before.
  bool recognise(DefinitionId id);
  /// False where the trace does not take its line.
  bool write(DefinitionId id, const NewDefinition& wanted);

  const std::size_t most_bytes_;
  InstanceCounters& counters_;
  const CallSites& sites_;
  trace::Writer& writer_;
  DebugMemory& memory_;
  DefinitionStore store_;
  trace::DefinitionNumbers numbers_;
  std::optional<Layouts> layouts_;
  EvictedDefinitions evicted_;
  RecentCalls recent_;
  std::vector<Use> uses_;            // by DefinitionId
  std::deque<DefinitionId> unused_;  // those that may be, the least recently made first
  std::size_t bytes_at_start_ = 0;
};

}  // namespace ddtscope::plugin
