// The shadow registry: which definition each live handle has, and how many instances each (definition,
// call site) had. The sole owner of the plugin's lock; knows handles only by their bits.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "decoder/definition/definition.h"
#include "decoder/layout/layout.h"
#include "plugin/base/spin_lock.h"
#include "plugin/call/call_site.h"
#include "plugin/call/entry_point.h"
#include "plugin/debug_view/debug_memory.h"
#include "plugin/debug_view/debug_table.h"
#include "plugin/registry/counter_pages.h"
#include "plugin/registry/evicted_definitions.h"
#include "plugin/registry/fortran_handles.h"
#include "plugin/registry/handle_table.h"
#include "plugin/registry/library_queries.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// A constructor call that the library accepted.
struct Creation {
  ConstructorCall& call;  // the registry fills in its datatypes
  IntegerArray oldtypes;  // handles as the program passed them
  HandleBits newtype = 0;
  const EntryPoint* called = nullptr;
  const Stack* stack = nullptr;
};

/// A predefined datatype and its handle.
struct PredefinedHandle {
  HandleBits handle;
  PredefinedType type;
};

class Registry {
 public:
  struct Options {
    bool verify = false;        // compare each new definition with the library's own answers
    bool multithreaded = true;  // false below MPI_THREAD_MULTIPLE: nothing is locked until require_locking()
    // What is kept of definitions takes no more: those without live instances and parents make room, the least recently
    // made ones first.
    std::size_t most_bytes = std::size_t{1} << 25;
    // What they have counted stays where it is, in the file of counters, as long as it takes no more.
    std::size_t most_parked_bytes = std::size_t{1} << 27;
  };
  /// All references must outlive the registry.
  Registry(Options options, const LibraryConstants& constants, const std::vector<PredefinedHandle>& predefined,
           CallSites& sites, LibraryQueries& library, trace::Writer& writer, CounterPages& pages, DebugMemory& memory);

  const CallSites& sites() const { return sites_; }
  const DefinitionStore& store() const { return store_; }

  void created(const Creation& creation);
  void committed(HandleBits handle);
  void named(HandleBits handle, std::string_view name);
  bool knows(HandleBits handle);
  /// A library call took this handle and succeeded: it is a datatype, adopted if it is not known.
  void adopt_used(HandleBits handle, const EntryPoint& called, const Stack& stack);

  /// The library gave this handle, made by itself, to the program.
  void adopt_returned(HandleBits handle, const EntryPoint& called, const Stack& stack);

  /// A free in two steps: the handle stays resolvable while the library runs delete callbacks, and may
  /// be reused by another thread before the library's call returns.
  struct Free {
    HandleBits handle = 0;
    std::uint32_t generation = 0;
    std::uint32_t counter = 0;
    std::size_t slot = 0;
    bool known = false;
    DefinitionId definition = {};
  };
  Free begin_free(HandleBits handle);
  /// True where the handle still stands for the type, by an older reference.
  bool end_free(const Free& free, bool succeeded);
  /// The key of a type that is being freed, for those who listen to frees; 0 where it is not known.
  Key key_of(const Free& free);

  /// MPI_Type_get_contents on `type` gave these handles: the derived ones are live instances.
  struct Decoding {
    HandleBits type = 0;
    IntegerArray datatypes;  // at least as long as the type's envelope says
    const EntryPoint* called = nullptr;
    const Stack* stack = nullptr;
  };
  void decoded(const Decoding& decoding);

  /// The library has said which INTEGER stands for a handle in Fortran: for debuggers, which may have no more than
  /// that.
  void stands_in_fortran(HandleBits handle, std::int32_t integer);

  /// A call by the program that returned an error, and so made nothing.
  void failed(const EntryPoint& called, trace::ErrorClass error_class, const Stack& stack);

  // For what counts beside the registry, into the same trace: under its lock.
  /// Runs `work` under the lock, unless nothing is recorded any more. All below is for `work` alone.
  template <class Work>
  void beside(const Work& work) {
    const std::lock_guard guard(lock_);
    if (!closed_) work();
  }
  /// A type as the trace names it.
  struct TypeInUse {
    enum class State : std::uint8_t { unknown, freed, known };
    trace::LineId number = trace::no_line;      // of a definition
    trace::LineId predefined = trace::no_line;  // of a predefined type, in the registry
    State state = State::unknown;
    friend bool operator==(const TypeInUse&, const TypeInUse&) = default;
  };
  TypeInUse type_in_use(HandleBits handle);
  /// Its place among the predefined types of the trace; none for a definition.
  trace::LineId place_in_trace(const TypeInUse& type) const;
  /// Empty for a definition.
  std::string_view predefined_name(const TypeInUse& type) const;
  CallSiteId site_of(const Stack& stack) { return sites_.intern(stack, writer_); }
  CallSiteId site_not_recorded() { return sites_.not_recorded(writer_); }
  /// `write` runs when the counters are written into the trace, before its last line.
  void write_at_end(std::function<void(trace::Writer&)> write) { write_at_end_ = std::move(write); }

  struct Totals {
    std::uint64_t definitions = 0;
    std::uint64_t created = 0;
    std::uint64_t freed = 0;
    bool some_forgotten = false;  // then definitions made again may be among `definitions` twice
    std::uint64_t dropped = 0;    // counted by constructor and call site, without a definition
    Totals& operator+=(const Totals& other);
    Totals& operator-=(const Totals& other);
  };
  Totals totals();
  /// Writes the counters and the end of the trace. Once; nothing is recorded afterwards. False where the
  /// lock was not to be had.
  enum class Patience { endless, bounded };
  struct End {
    bool complete;
    std::string_view reason, time;
    Patience patience = Patience::endless;
  };
  bool close(const End& end);
  /// There was no memory in the middle of something: nothing is recorded afterwards, and the trace says so.
  void abandon();
  /// From now on several threads may call at once, though one may be in a call that began before.
  void require_locking() { lock_.require(); }
  bool closed() const { return closed_; }
  /// Why the trace takes no more lines; what is in it already is still counted.
  trace::Writer::Stop trace_stopped() const { return writer_.stopped(); }
  bool trace_is_removed() const { return writer_.is_removed(); }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  /// Debuggers read it as it stands.
  struct Counter : trace::DebugCounter {
    DefinitionId type() const { return DefinitionId{definition}; }
    /// Lives in the pages.
    trace::CounterRecord& counted() const { return *reinterpret_cast<trace::CounterRecord*>(counts); }
    /// No life is going on. Lives of F90 types never end.
    bool is_idle() const { return counted().created + counted().adopted == counted().freed; }
  };

  /// What eviction has to know of a counter.
  struct CounterUse {
    std::uint32_t next = none;  // counter of the same definition
    bool waits = false;         // its definition does, in unused_
  };

  /// The same of a definition.
  struct Use {
    std::uint32_t counter = none;  // the first of a chain
    std::uint32_t pins = 0;        // it is being worked with
    bool waits = false;            // in unused_
    bool was_counted = false;      // had a counter, now or before it was evicted
    // The first of a chain: what was counted before it was evicted, at places where it was not made since.
    RecordNumber parked = RecordNumber::none;
    std::uint64_t made = 0;  // lives that had begun when it was put there
  };

  struct FailedCall {
    std::string_view called;
    trace::ErrorClass error_class;
    CallSiteId site;
    friend auto operator<=>(const FailedCall&, const FailedCall&) = default;
  };

  struct Place {
    CallSiteId site;
    const EntryPoint* called;
  };

  /// Calls made lately, so that the same call from the same place is found by comparing a few words.
  /// Only calls without arrays; `called` tells combiner and form.
  struct RecentCall {
    const EntryPoint* called = nullptr;
    CallSiteId site;
    DefinitionId oldtype;
    std::int64_t scalars[3] = {};
    std::uint32_t counter = 0;
  };
  static constexpr std::size_t recent_calls = 256;
  static constexpr std::size_t evicted_share = 8;   // this part, and a quarter more, remembers evicted definitions
  static constexpr std::size_t counters_share = 4;  // this one counts the same definition at further call sites
  static constexpr std::size_t bytes_of_counter =
      sizeof(Counter) + sizeof(CounterUse) + sizeof(trace::CounterRecord) + 4 * sizeof(std::uint32_t);
  /// The slot where this call stands, if it was made lately, or will stand.
  bool is_named(HandleBits handle);
  RecentCall& recent_slot(const Place& place, DefinitionId oldtype, const ConstructorCall& call);
  /// The definition of a handle; adopts it through the library where no wrapper saw it being made.
  DefinitionId definition_of(HandleBits handle, const Place& place, std::string& problem);
  DefinitionId adopt(HandleBits handle, const Place& place, std::string& problem);
  DefinitionId adopt_named(HandleBits handle, std::string& problem);
  /// Interns; when new, asks the library for the bounds of `handle`, lays the type out and writes it. Invalid where the
  /// trace did not take its line.
  DefinitionId define(const ConstructorCall& call, const ArrayDigests& digests, HandleBits handle, const Place& place,
                      bool adopted);
  void describe_new(DefinitionId id, HandleBits handle, const Place& place, bool adopted);
  std::uint32_t counter_of(DefinitionId definition, Place place);
  std::size_t counter_home(const Counter& counter) const;
  /// The slot where it stands, or would.
  std::size_t slot_of_counter(const Counter& counter) const;
  /// Each definition has one counter; how many there are beside these is bounded.
  bool may_have_more_counters(DefinitionId definition) const;
  void remove_counter(std::uint32_t index);
  /// The record that has counted this definition at this place, before it was evicted; else null.
  trace::CounterRecord* unpark(DefinitionId definition, const CounterPages::Place& place);
  /// One life of the counter's has ended.
  void end_life(std::uint32_t counter) {
    ++counters_[counter].counted().freed;
    if (counters_[counter].is_idle() && !counter_uses_[counter].waits) [[unlikely]]
      enqueue(counters_[counter].type());
  }

  // Eviction (registry_evict.cpp).
  std::size_t bytes_held() const;
  Use& use_of(DefinitionId id);
  /// Keeps definitions from being evicted as long as it lives.
  class Pins;
  /// False where the memory does not suffice for a new definition of this call.
  bool make_room_for(const ConstructorCall& call, const ArrayDigests& digests);
  /// A second hash of a call, so that one of the same key is hardly ever taken for it; with the numbers that its
  /// oldtypes have in the trace, because it stands there as made of them.
  std::uint32_t check_of(const ConstructorCall& call) const;
  bool evict_one();
  bool evict(DefinitionId id);
  /// The definition may be evicted once it is found to be unused.
  void enqueue(DefinitionId id);
  void dequeue(DefinitionId id);
  std::uint64_t lives_begun(DefinitionId id) const;
  Totals lives_of(const Counter& counter) const;
  /// Of a definition that is not in use.
  static Totals ended_lives_of(const trace::CounterRecord& record);
  Totals count_totals() const;
  bool is_in_use(DefinitionId id) const;
  /// Writes into the trace what these records of a definition have counted, one line for each entry point; they count
  /// from 0 afterwards. False where the trace takes no more.
  using Records = std::vector<trace::CounterRecord*>;
  bool fold(Records& records);
  bool fold_line(std::span<trace::CounterRecord* const> records);
  bool fold_all();
  /// The definition of these records is not remembered any more: the trace's lines have its counts.
  void fold_forgotten(RecordNumber first);
  void forget_recent_call(DefinitionId id, std::uint32_t counter);
  /// The library gave a handle: to a new object, or once more to one that is alive.
  void begin_life_or_share(HandleBits handle, DefinitionId definition, std::uint32_t counter);
  void begin_life(HandleBits handle, DefinitionId definition, std::uint32_t counter);
  void unrecorded(const EntryPoint& called, std::string why);
  void write_counters(const End& end);
  void write_failed_calls();
  /// A type that the trace can take no more, or that there is no memory for.
  void dropped(HandleBits newtype, const Place& place);
  /// Ends the lives of a handle that the library gives anew, where no wrapper saw them ending.
  void end_unseen_lives(const HandleEntry& entry);

  SpinLock lock_;
  bool closed_ = false;
  const Options options_;
  DebugMemory& memory_;
  DefinitionStore store_;
  Layouts layouts_;
  CallSites& sites_;
  LibraryQueries& library_;
  trace::Writer& writer_;
  CounterPages& pages_;
  HandleTable handles_;
  std::optional<FortranHandles> fortran_;  // made when it is needed
  DebugTable<Counter> counters_;
  std::vector<CounterUse> counter_uses_;  // as many
  std::vector<std::uint32_t> free_counters_;
  std::size_t counted_definitions_ = 0;  // those that have a counter
  std::vector<Use> uses_;                // by DefinitionId
  std::deque<DefinitionId> unused_;      // those that may be, the least recently made first
  EvictedDefinitions evicted_;
  std::size_t bytes_at_start_ = 0;            // which the limit does not count
  std::vector<std::uint32_t> counter_slots_;  // index + 1; 0 is free; a power of two, at most half full
  std::vector<DefinitionId> oldtypes_;        // scratch of created()
  std::array<RecentCall, recent_calls> recent_;
  std::unordered_set<std::uint64_t> names_seen_;  // hashes of a definition's number and a name
  std::size_t parked_records_ = 0;
  Totals elsewhere_;  // all definitions, and the lives that lines of the trace and parked records have counted
  std::optional<Totals> at_end_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> unrecorded_;
  std::map<FailedCall, trace::CounterRecord*> failed_calls_;
  std::function<void(trace::Writer&)> write_at_end_;
};

}  // namespace ddtscope::plugin
