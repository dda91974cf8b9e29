// How many instances each definition had at each place: created, adopted, committed, freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "decoder/base/index_table.h"
#include "decoder/definition/definition.h"
#include "plugin/base/laned_lock.h"
#include "plugin/debug_view/debug_memory.h"
#include "plugin/debug_view/debug_table.h"
#include "plugin/registry/counter_pages.h"
#include "plugin/registry/place.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// What a process has made so far.
struct Totals {
  std::uint64_t definitions = 0;
  std::uint64_t created = 0;
  std::uint64_t freed = 0;
  bool some_forgotten = false;  // then definitions made again may be among `definitions` twice
  std::uint64_t dropped = 0;    // counted by constructor and call site, without a definition
  Totals& operator+=(const Totals& other);
  Totals& operator-=(const Totals& other);
};

/// Counters are known by their numbers, which stay the same until their definition is retired. What they have counted
/// is in records of CounterPages, which outlive the process; what a retired definition's counters have counted is
/// parked there, or moves into the trace. Not synchronised.
class InstanceCounters {
 public:
  static constexpr std::uint32_t none = IndexTable::none;

  struct Limits {
    std::size_t most_bytes;         // of counters beyond the first of each definition
    std::size_t most_parked_bytes;  // of records of retired definitions
  };
  /// All must outlive the counters.
  struct Parts {
    CounterPages& pages;
    CallSites& sites;
    trace::Writer& writer;
    DebugMemory& memory;
  };
  InstanceCounters(const Limits& limits, const Parts& parts);

  /// The counter of what the place's call makes of a definition, whose number in the trace is `number`; without a
  /// definition that of types that cannot be recorded. Beyond the limit it is one without a call site. There is one for
  /// each lane, as far as half the limit goes: then that of the first lane.
  std::uint32_t of(DefinitionId definition, DefinitionNumber number, Place place, Lane lane = {});
  DefinitionId type(std::uint32_t counter) const { return counters_[counter].type(); }
  /// Its place, as it was given, or without a call site.
  Place place(std::uint32_t counter) const;
  trace::CounterRecord& counted(std::uint32_t counter) { return counters_[counter].counted(); }
  /// Whether all lives that it counts are of this lane's handles, and whoever has the lane counts.
  bool is_of(std::uint32_t counter, Lane lane) const { return counters_[counter].lane() == lane; }
  /// Whether a life may end with nothing more to be done than to count it.
  bool may_end_quietly(std::uint32_t counter) const {
    const Counter& ending = counters_[counter];
    return ending.is_enqueued() || ending.counted().created + ending.counted().adopted != ending.counted().freed + 1;
  }
  /// One of the counter's lives has ended. True where its definition may have none left, and is not enqueued.
  [[nodiscard]] bool end_life(std::uint32_t counter) {
    const Counter& ended = counters_[counter];
    ++ended.counted().freed;
    return ended.is_idle() && !ended.is_enqueued();
  }

  /// Calls visit(counter) for each counter of a definition.
  template <class Visit>
  void each_of(DefinitionId definition, const Visit& visit) const {
    if (definition.value >= definitions_.size()) return;
    for (std::uint32_t i = definitions_[definition.value].first; i != none; i = next_[i]) visit(i);
  }
  /// No life of the definition's is going on. Lives of F90 types never end.
  bool is_idle(DefinitionId definition) const;
  std::uint64_t lives_begun(DefinitionId definition) const;
  /// Whoever is told of ended lives knows that the definition may be without any: it need not be told again.
  void enqueue(DefinitionId definition);
  void dequeue(DefinitionId definition);
  bool is_enqueued(DefinitionId definition) const;

  /// The definition has no lives and goes: what its counters have counted is parked, or stands in the trace. The first
  /// of the parked records; nothing where the trace takes no more, and all is as before.
  std::optional<RecordNumber> retire(DefinitionId definition);
  /// A definition that was retired is there again, and counts on.
  void resume(DefinitionId definition, RecordNumber parked);
  /// Nobody will resume these records: the trace's lines have their counts from now on.
  void fold_parked(RecordNumber first);
  /// Writes all counts of definitions into the trace. False where it takes no more. Nothing is counted afterwards; what
  /// was counted stays for debuggers to read.
  bool fold_all();

  /// Of what was made of `store`'s definitions, now or before they were retired.
  Totals totals(const DefinitionStore& store) const;
  /// What types that could not be recorded were made by, for the trace's last line.
  std::vector<UnrecordedRecord> unrecorded() const;
  std::size_t bytes() const { return (counters_.used() - free_.size()) * bytes_of_counter; }

 private:
  /// Debuggers read it as it stands. What the end of each life asks stands beside what it looks at anyway.
  struct Counter : trace::DebugCounter {
    DefinitionId type() const { return DefinitionId{definition}; }
    bool is_enqueued() const { return own & 1; }  // its definition is
    void enqueue() { own |= 1; }
    void dequeue() { own &= ~std::uint32_t{1}; }
    Lane lane() const { return Lane(own >> 1); }
    void set_lane(Lane lane) { own = static_cast<std::uint32_t>(lane) << 1; }
    trace::CounterRecord& counted() const { return *reinterpret_cast<trace::CounterRecord*>(counts); }
    bool is_idle() const { return counted().created + counted().adopted == counted().freed; }
    bool is_of(const Counter& other) const {
      return definition == other.definition && site == other.site && entry == other.entry && lane() == other.lane();
    }
  };
  struct OfDefinition {
    std::uint32_t first = none;
    bool enqueued = false;
    bool was_counted = false;                  // it had a counter, now or before it was retired
    RecordNumber parked = RecordNumber::none;  // what was counted then, at places where it was not made since
  };
  using Records = std::vector<trace::CounterRecord*>;
  /// What becomes of records whose counts the trace has: they count on from 0, or nothing is counted any more.
  enum class Folding : std::uint8_t { in_between, at_end };

 public:
  static constexpr std::size_t bytes_of_counter =
      sizeof(Counter) + sizeof(std::uint32_t) + sizeof(trace::CounterRecord) + IndexTable::bytes_per_number;

 private:
  static std::uint64_t hash_of(const Counter& counter);
  std::uint32_t find(const Counter& counter) const;
  std::uint32_t add(Counter counter, DefinitionNumber number, const Place& place);
  /// Each definition has one counter; how many there are beside these is bounded.
  bool may_have_more(DefinitionId definition, std::size_t most_bytes) const;
  void remove(std::uint32_t counter);
  OfDefinition& of_definition(DefinitionId id);
  /// The parked record that has counted this definition at this place; else null.
  trace::CounterRecord* unpark(DefinitionId definition, const CounterPages::Place& place);
  RecordNumber park(DefinitionId definition, const Records& records);
  bool may_park(const trace::CounterRecord& record, std::size_t others) const;
  /// Writes into the trace what these records of a definition have counted, one line for each entry point. False where
  /// the trace takes no more.
  bool fold(Records& records, Folding when = Folding::in_between);
  bool fold_line(std::span<trace::CounterRecord* const> records, Folding when);
  Totals lives_of(const Counter& counter, const DefinitionStore& store) const;

  const Limits limits_;
  CounterPages& pages_;
  CallSites& sites_;
  trace::Writer& writer_;
  DebugMemory& memory_;
  DebugTable<Counter> counters_;
  std::vector<std::uint32_t> next_;  // as many: the next counter of the same definition
  std::vector<std::uint32_t> free_;
  IndexTable table_;
  std::vector<OfDefinition> definitions_;  // by DefinitionId
  std::size_t counted_definitions_ = 0;    // those that have a counter
  std::size_t parked_records_ = 0;
  Totals elsewhere_;  // all definitions, and the lives that lines of the trace and parked records have counted
};

}  // namespace ddtscope::plugin
