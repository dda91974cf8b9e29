// Counts what a program does with datatypes: one record for each (type, function, argument, call site), in the pages of
// the counter file, so that nothing is lost whatever becomes of the process.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "decoder/base/index_table.h"
#include "plugin/call/call_site.h"
#include "plugin/call/entry_point.h"
#include "plugin/registry/counter_pages.h"
#include "plugin/registry/registry.h"
#include "plugin/uses/communicators.h"
#include "plugin/uses/moved_request.h"
#include "plugin/uses/seen_counts.h"
#include "plugin/uses/use_amounts.h"
#include "plugin/uses/use_judge.h"

namespace ddtscope::plugin {

/// The start of persistent requests.
struct StartingCall {
  std::span<const HandleBits> requests;
  const EntryPoint* called = nullptr;
  const Stack* stack = nullptr;
};

/// What was seen of a call with one type and one count when it was counted.
struct PlainUse {
  HandleBits type = 0;
  TypeKey key = 0;  // of the type; 0: the call is not such a one, or its type is not known
  std::uint64_t elements = 0;
  CallSiteId site;
  trace::CounterRecord* record = nullptr;  // that counts it; null where it is not such a call, or there was no memory
};

/// Synchronised by the registry's lock. What it cannot record for lack of memory it counts.
class UseCounters {
 public:
  struct Options {
    UseConstants constants;
    HandleBits null_type = 0;
    std::size_t most_bytes = std::size_t{1} << 23;
    UseJudge* judge = nullptr;         // who is asked about calls that are not plainly right
    const SeenCounts* seen = nullptr;  // of which count_again() need not let anybody know; null: of none
  };
  /// All references must outlive it.
  UseCounters(const Options& options, Registry& registry, CounterPages& pages, CommunicatorQueries& library);

  /// What was known of a call before the library got it.
  enum class Known : std::uint8_t {
    all,      // it is counted
    too_few,  // a handle was not known yet: where the library takes it, it is
  };
  /// A call is about to begin. Inline as far as most calls go, so that what is seen of them stays in registers.
  [[gnu::always_inline]] inline Known begin(const UsingCall& call, PlainUse& plain) {
    if (!call.arguments.row.is_plain) [[unlikely]]
      return begin_otherwise(call, Plainly::unknown);
    Plainly plainly = Plainly::right;  // where nothing is recorded any more
    registry_.beside([&]() __attribute__((always_inline)) { plainly = count_plain(call, plain); });
    return plainly == Plainly::right ? Known::all : begin_otherwise(call, plainly);
  }
  /// The same of a call of a plain row that is plainly right and was counted before, with `plain.type` at
  /// `plain.site`, with a count that was seen, if `may_count(record)` says so, too, last of all: the record stands for
  /// function, type and call site. Under the registry's lock, with little memory looked at. False where nothing was
  /// done.
  template <class MayCount>
  [[gnu::always_inline]] inline bool count_again(const UsingCall& call, PlainUse& plain, const MayCount& may_count);
  Known begin(const UsingCall& call) {
    PlainUse plain;
    return begin(call, plain);
  }
  /// The library has returned. What failed keeps its call and gives its elements back.
  void end(const UsingCall& call, Known known, CallOutcome outcome);

  /// Whether a count is neither the least nor the greatest one so far: others have had a look at these.
  [[gnu::always_inline]] static inline bool is_between(const trace::UseRecord& counts, std::uint64_t elements) {
    return elements != counts.smallest && elements != counts.largest;
  }

  /// A status has told how many bytes came, of a use that was counted: of a buffer that was pending, or of a call that
  /// has come back. Under the registry's lock.
  struct Arrived {
    const EntryPoint* called = nullptr;
    DefinitionNumber number;  // of the type, as in TypeInUse
    PredefinedId predefined;
    CallSiteId site;
    UseParameter parameter = UseParameter::none;
    std::uint64_t bytes = 0;
  };
  void arrived(const Arrived& use);
  /// The same of a use that this record counts.
  [[gnu::always_inline]] static inline void arrived(trace::CounterRecord& record, std::uint64_t bytes) {
    trace::UseRecord& counts = trace::use_record_of(record);
    if (counts.received == 0) counts.received = 1;  // by which it says that a status told
    trace::add_up(counts.received, bytes);
  }
  /// The same of a call that was counted: of a plain one what was seen of it then. Without the lock.
  void arrived(const UsingCall& call, const PlainUse& plain, std::uint64_t bytes);

  void start(const StartingCall& call);
  void starting_failed(const StartingCall& call);
  void request_moved(const MovedRequest& request);
  void request_freed(HandleBits request);

  /// The library knows it to be valid.
  void communicator_is_alive(HandleBits communicator);
  /// The same, and it is new: what was learned of its handle, even by a call in a callback while it was freed, was of
  /// another one.
  void communicator_is_made(HandleBits communicator) {
    communicator_freed(communicator);
    communicator_is_alive(communicator);
  }
  void communicator_freed(HandleBits communicator);
  /// Under the registry's lock.
  const Communicators& communicators() const { return communicators_; }
  /// Under the registry's lock: stands for the function, the type and the call site of a call that was counted lately,
  /// as count_again() hands it on; null where it was not.
  const void* recent_record(const EntryPoint* called, const PlainUse& plain) {
    const RecentCall& recent = recent_call(called, plain);
    return is(recent, called, plain) ? recent.record : nullptr;
  }

  /// Writes all that was counted; what was not joins `unrecorded`. Under the registry's lock.
  void write(trace::Writer& writer, UnrecordedCalls& unrecorded);

 private:
  struct Key {
    const EntryPoint* called = nullptr;
    TypeInUse type;
    CallSiteId site;
    UseParameter parameter = UseParameter::none;
    friend bool operator==(const Key&, const Key&) = default;
  };
  static std::uint64_t hash_of(const Key& key);
  /// An amount whose type is known.
  struct Counted {
    TypeInUse type;
    UseParameter parameter = UseParameter::none;
    std::uint64_t elements = 0;
    std::uint64_t smallest = 0;
    std::uint64_t largest = 0;
    bool is_sent = false;  // of persistent requests
  };
  struct Record {
    Key key;
    trace::CounterRecord* record = nullptr;
  };
  /// A call of a function with one type and one count.
  struct alignas(32) RecentCall {
    const EntryPoint* called = nullptr;
    TypeKey key = 0;
    CallSiteId site;
    trace::CounterRecord* record = nullptr;
  };
  enum class Sign : std::uint8_t { add, give_back };
  /// What one look at a call with one type and one count tells.
  enum class Plainly : std::uint8_t {
    right,
    suspicious,  // it is counted, and left to the judge
    unknown      // it is not counted
  };

  static constexpr std::size_t most_recent = 256;
  static constexpr unsigned bits_of_recent_calls = 10;
  static constexpr std::size_t bytes_of_record =
      sizeof(trace::CounterRecord) + sizeof(Record) + IndexTable::bytes_per_number;

  Known count_before(const UsingCall& call);
  Plainly count_plain(const UsingCall& call, PlainUse& plain);
  /// Of a call that is plain: the rest is left to the judge.
  [[gnu::always_inline]] static inline bool is_plainly_right(const HandleEntry& life, const UseCall& call,
                                                             std::uint64_t elements) {
    if (!life.may_be_used()) return false;
    const Use& use = call.row.uses.first;
    return elements != 0 ? call.words[use.buffer] != 0 : call.integer_of(use.count, call.row.count_bytes) >= 0;
  }
  // By value, so that nobody has the addresses of what stays in registers where these are not called.
  bool remember(RecentCall& recent, UsingCall call, PlainUse plain);
  /// The same of one that was counted before. False where it was not.
  bool find_again(RecentCall& recent, UsingCall call, PlainUse plain) const;
  [[gnu::always_inline]] inline RecentCall& recent_call(const EntryPoint* called, const PlainUse& plain) {
    // Shifted by 32, the site would be loaded together with what stands behind it, which has to wait for the store.
    const std::uint64_t words =
        reinterpret_cast<std::uintptr_t>(called) ^ ((std::uint64_t{plain.site.value} << 24) + plain.key);
    return recent_calls_[(words * 0x9E3779B97F4A7C15u) >> (64 - bits_of_recent_calls)];
  }
  [[gnu::always_inline]] static inline bool is(const RecentCall& recent, const EntryPoint* called,
                                               const PlainUse& plain) {
    return recent.called == called && recent.site == plain.site && recent.key == plain.key;
  }
  Known begin_otherwise(UsingCall call, Plainly plainly);
  bool find_types(const UsingCall& call);
  bool has_new_operation(const TypeInUse& type, const UseCall& call) const;
  bool is_reduction_suspicious(const TypeInUse& type, const UseCall& call) const;
  void join_entries(std::size_t first);
  void count(std::span<const Counted> uses, const UsingCall& call, Sign sign);
  trace::CounterRecord* recent_record_of(const Key& key);
  void count_one(const Counted& use, const Key& key, Sign sign);
  static void add(trace::UseRecord& counts, const Counted& use);
  trace::CounterRecord* known_record_of(Key key) const;
  trace::CounterRecord* record_of(Key key);
  trace::CounterRecord* find_record(const Key& key) const;
  void adopt_unknown(const UsingCall& call);
  void remember_request(const UsingCall& call);
  void count_started(const StartingCall& call, Sign sign);
  bool may_adopt(const UseAmount& amount) const;

  const Options options_;
  Registry& registry_;
  TypesInUse& types_;
  CounterPages& pages_;
  CommunicatorQueries& library_;
  Communicators communicators_;
  UseAmounts amounts_;
  std::vector<Counted> found_;  // scratch
  std::vector<HandleBits> unknown_;
  bool is_suspicious_ = false;  // the call whose types were looked for
  std::vector<Record> records_;
  IndexTable numbers_;  // of records_, by the hash of a key
  std::array<Record, most_recent> recent_;
  std::array<RecentCall, std::size_t{1} << bits_of_recent_calls> recent_calls_;
  std::unordered_map<HandleBits, std::vector<Counted>> requests_;  // persistent ones
  std::map<const EntryPoint*, std::uint64_t> not_recorded_;        // uses, where there was no memory for them
};

[[gnu::always_inline]] inline void UseCounters::add(trace::UseRecord& counts, const Counted& use) {
  counts.smallest = counts.calls == 0 ? use.smallest : std::min(counts.smallest, use.smallest);
  counts.largest = std::max(counts.largest, use.largest);
  if (__builtin_add_overflow(counts.elements, use.elements, &counts.elements)) {
    counts.elements = std::numeric_limits<std::uint64_t>::max();
  }
  ++counts.calls;
}

/// As UseAmounts::of has it, and with a look at little memory: most calls come here.
[[gnu::always_inline]] inline UseCounters::Plainly UseCounters::count_plain(const UsingCall& call, PlainUse& plain) {
  const UseCall& arguments = call.arguments;
  const Use& use = arguments.row.uses.first;
  const HandleBits handle = arguments.handle(use.type, options_.constants);
  const HandleEntry* const life = types_.life_of(handle);
  if (life == nullptr) [[unlikely]]
    return Plainly::unknown;
  const bool is_at_nobody = use.peer >= 0 && arguments.integer(use.peer) == options_.constants.null_process;
  const std::uint64_t count = is_at_nobody ? 0 : arguments.count(use.count);
  const bool is_suspicious =
      !is_plainly_right(*life, arguments, count) ||
      (arguments.row.uses.op >= 0 && is_reduction_suspicious(types_.find(handle), UseCall(arguments)));
  const CallSiteId site = types_.site_of(*call.stack);
  const TypeKey key = types_.key_of(*life);
  // One by one: copied as a whole, they would be loaded before they have been stored.
  plain.type = handle;
  plain.key = key;
  plain.elements = count;
  plain.site = site;
  RecentCall& recent = recent_call(call.called, plain);
  if (is(recent, call.called, plain) || remember(recent, call, plain)) [[likely]] {
    plain.record = recent.record;
    add(trace::use_record_of(*recent.record), {.type = {}, .elements = count, .smallest = count, .largest = count});
  }
  return is_suspicious ? Plainly::suspicious : Plainly::right;
}

template <class MayCount>
[[gnu::always_inline]] inline bool UseCounters::count_again(const UsingCall& call, PlainUse& plain,
                                                            const MayCount& may_count) {
  const UseCall& arguments = call.arguments;
  const Use& use = arguments.row.uses.first;
  const HandleEntry* const life = types_.life_of(plain.type);
  if (life == nullptr) [[unlikely]]
    return false;
  const bool is_at_nobody = use.peer >= 0 && arguments.integer(use.peer) == options_.constants.null_process;
  plain.elements = is_at_nobody ? 0 : arguments.count(use.count);
  plain.key = types_.key_of(*life);
  if (!is_plainly_right(*life, arguments, plain.elements)) [[unlikely]]
    return false;
  RecentCall& recent = recent_call(call.called, plain);
  if (!is(recent, call.called, plain)) [[unlikely]] {
    if (!find_again(recent, UsingCall(call), PlainUse(plain))) return false;
  }
  trace::UseRecord& counts = trace::use_record_of(*recent.record);  // which were counted before
  const bool is_new = is_between(counts, plain.elements);
  if (is_new && plain.elements != 0) [[unlikely]] {
    if (options_.seen != nullptr && !options_.seen->has(recent.record, plain.elements)) return false;
  }
  if (!may_count(recent.record)) [[unlikely]]
    return false;
  plain.record = recent.record;
  if (is_new) [[unlikely]] {
    counts.smallest = std::min(counts.smallest, plain.elements);
    counts.largest = std::max(counts.largest, plain.elements);
  }
  if (__builtin_add_overflow(counts.elements, plain.elements, &counts.elements)) [[unlikely]]
    counts.elements = std::numeric_limits<std::uint64_t>::max();
  ++counts.calls;
  return true;
}

}  // namespace ddtscope::plugin
