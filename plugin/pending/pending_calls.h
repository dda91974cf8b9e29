// What becomes of buffers while calls are pending: held against each other when one begins, and let go when it is
// complete (MPI-4.1 2.9, 3.7, 3.9, 4.2, 12.5, 14.4.5).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "plugin/pending/buffer_pairs.h"
#include "plugin/pending/call_buffers.h"
#include "plugin/pending/hull_sweep.h"
#include "plugin/pending/pending_buffers.h"
#include "plugin/pending/window_requests.h"
#include "plugin/uses/moved_request.h"

namespace ddtscope::plugin {

/// Called by the wrappers, without the registry's lock, which it takes.
class PendingCalls {
 public:
  struct Options {
    UseConstants constants;
    std::size_t most_pending = std::size_t{1} << 18;     // buffers
    std::size_t most_persistent = std::size_t{1} << 16;  // those of persistent requests
  };
  /// All must outlive it.
  struct Parts {
    Registry& registry;
    LibraryQueries& library;
    UseCounters& uses;
    Verdicts& verdicts;
    std::function<void(const ToldError&)> tell;
  };
  PendingCalls(const Options& options, Parts parts);

  /// Whether anything is pending: else no completion need be looked at.
  bool any() const { return number_.load(std::memory_order_relaxed) != 0; }
  /// Whether a completion may concern something: while one waits, others may give it partitions of a send.
  bool may_complete() const { return any() || partitioned_sends_.load(std::memory_order_relaxed) != 0; }
  /// Whether before() has something to do.
  bool concerns(const UseRow& row) const {
    return row.lasts == Lasts::call && row.uses.request < 0 &&
           (row.has_several_buffers || row.uses.first.is_of_view() || row.is_received_elsewhere() || any());
  }
  /// What was known of a call's communicator and types before the library got it.
  enum class Seen : std::uint8_t { all, too_little };
  /// A call that is complete when it returns is about to begin; or has come back, where too little was known.
  Seen before(const UsingCall& call, const PlainUse& plain);
  /// The same, once it has come back, of a call of which too little was known.
  void before_in_retrospect(const UsingCall& call, const PlainUse& plain);
  /// A call has come back that leaves one buffer with the library (UseRow::leaves_plain_buffer). False where that is
  /// left to after(), because it is not as with most of them.
  [[gnu::always_inline]] inline bool after_plain(const UsingCall& call, const PlainUse& plain, const Holder& holder);
  /// Whether the buffer of a plain call that is about to begin may collide with none that is pending, as is found out
  /// at once. Under the registry's lock.
  [[gnu::always_inline]] inline bool is_plainly_apart(const UsingCall& call, const PlainUse& plain);
  /// A call has come back that leaves its buffers with the library.
  void after(const UsingCall& call, const PlainUse& plain, const Holder& holder);
  /// The buffers of a call, as many as anyone looks at; none where something of it is not known.
  std::vector<CallBuffer> buffers_of(const UsingCall& call);
  /// A call has made a persistent request.
  void made(const UsingCall& call, HandleBits request);

  /// Of persistent requests.
  struct Start {
    std::span<const Holder> requests;
    const EntryPoint* called = nullptr;
    const Stack* stack = nullptr;
  };
  void started(const Start& start);
  struct Partitions {
    HandleBits request = 0;
    std::span<const int> numbers;
  };
  /// A call is about to give them to the library.
  struct Ready {
    Partitions partitions;
    const EntryPoint* called = nullptr;
    const Stack* stack = nullptr;
  };
  void ready(const Ready& ready);
  /// Partitions that were received, or that the library refuses to send.
  void no_more_pending(const Partitions& partitions);
  /// A request is complete, or nobody will tell when it is.
  [[gnu::always_inline]] inline void complete(const Holder& request) {
    parts_.registry.beside([&]() __attribute__((always_inline)) {
      pending_.complete(request);
      count_pending();
    });
  }
  /// The status of a request that is complete has told how many bytes came. Before complete().
  void received(const Holder& request, std::uint64_t bytes) {
    parts_.registry.beside([&] { count_received(request, bytes); });
  }
  /// `each(complete)` calls `complete(holder, which)` for several, always the same ones. `bytes_of(which)` is how many
  /// bytes have come, negative where no status tells that; under the lock.
  template <class Each, class BytesOf>
  [[gnu::always_inline]] inline void complete_those(const Each& each, const BytesOf& bytes_of) {
    parts_.registry.beside([&]() __attribute__((always_inline)) {
      std::size_t done = 0;
      bool are_plain = true;
      each([&](const Holder& holder, std::size_t which) __attribute__((always_inline)) {
        const auto count = [&](const Buffer& into) __attribute__((always_inline)) {
          if (!is_told_of(into)) return;
          const std::int64_t bytes = bytes_of(which);
          if (bytes >= 0) count_arrived(into, static_cast<std::uint64_t>(bytes));
        };
        are_plain = are_plain && pending_.complete_one(count, holder);
        if (are_plain) ++done;
      });
      if (!are_plain) [[unlikely]]
        complete_others(each, bytes_of, done);
      count_pending();
    });
  }
  /// Under the registry's lock.
  const PendingBuffers& buffers() const { return pending_; }
  /// Nobody can say which memory a call leaves with the library.
  void count_unwatched() {
    parts_.registry.beside([&] { ++not_watched_; });
  }
  /// It was started, and is not told as such yet.
  void request_moved(const MovedRequest& request);
  /// It is no more; what it started goes on, unseen.
  void request_freed(const Holder& request);
  /// A window was synchronised, a split collective has ended.
  void release(HandleBits holder);
  /// A window was, at one target.
  void release_at(const Holder& holder);

  /// Under the registry's lock, when nothing else comes.
  void write(trace::Writer& writer);

 private:
  enum class Outcome : std::uint8_t { done, ask_for_shapes, unknown };

  bool is_plain(const UsingCall& call, const PlainUse& plain) const {
    return call.arguments.row.has_one_plain_buffer && plain.key != 0;
  }
  /// What complete_those() does of those after the first `done`, whatever they are: all are told of what has come
  /// before any is let go, for others may go with it.
  template <class Each, class BytesOf>
  [[gnu::noinline]] void complete_others(const Each& each, const BytesOf& bytes_of, std::size_t done) {
    std::size_t number = 0;
    each([&](const Holder& holder, std::size_t which) {
      if (number++ < done) return;
      const std::int64_t bytes = bytes_of(which);
      if (bytes >= 0) count_received(holder, static_cast<std::uint64_t>(bytes));
    });
    number = 0;
    each([&](const Holder& holder, std::size_t) {
      if (number++ >= done) pending_.complete(holder);
    });
  }
  void count_received(const Holder& request, std::uint64_t bytes);
  [[gnu::always_inline]] inline void count_arrived(const Buffer& into, std::uint64_t bytes) {
    if (into.record != nullptr) [[likely]] {
      UseCounters::arrived(*into.record, bytes);
    } else {
      count_arrived_otherwise(into, bytes);
    }
  }
  void count_arrived_otherwise(const Buffer& into, std::uint64_t bytes);
  [[gnu::always_inline]] inline bool add_plain(const UsingCall& call, const PlainUse& plain, const Holder& holder);
  /// What is known of the one buffer of a plain call without its type.
  [[gnu::always_inline]] static inline void describe(Buffer& buffer, const UsingCall& call, const PlainUse& plain);
  /// Calls `take(buffer)` with the one buffer of a plain call where it has one.
  template <class Take>
  Outcome with_plain_buffer(const UsingCall& call, const PlainUse& plain, const Take& take);
  /// What a persistent request has the library do when it is started.
  struct Persistent {
    std::vector<CallBuffer> buffers;  // of a partitioned operation one for each partition
    bool is_partitioned = false;
    Holder started;
    std::vector<std::uint32_t> operations;  // of each partition since it was started, 0 where it is not pending
    bool is_partitioned_send() const { return is_partitioned && buffers.front().buffer.access == Access::reads; }
  };
  CallBuffers::Found look_for_buffers(const UsingCall& call);
  Outcome find_buffers(const UsingCall& call);
  void begin(Persistent& persistent, const Holder& request, const Start& start);
  /// What was kept of it counts no more.
  void discount(const Persistent& persistent);
  /// Calls `take(persistent, i)` for each partition of an active request that exists.
  template <class Take>
  void each_partition(const Partitions& partitions, const Take& take);
  void compare_with_each_other(const UseRow& row);
  void compare_types();
  void compare_blocks(const UseRow& row);
  /// Blocks of one argument, or of two, by their numbers among the call's buffers.
  struct Blocks {
    std::size_t first = 0, end = 0;
  };
  void compare_arguments(const Blocks& earlier, const Blocks& later);
  void sweep_blocks(std::span<const Blocks> arguments, PairOf pair);
  void find_arguments();
  bool lie_apart(const Blocks& blocks) const;
  Hull hull_of(const Blocks& blocks) const;
  void compare_with_pending(const Buffer& buffer);
  void add(const Buffer& buffer, const Holder& holder);
  /// Runs it under the lock, until the shapes of all types are known, and tells what it has found.
  template <class Step>
  Outcome run(const UsingCall& call, const Step& step);
  void tell_all(const Stack& stack);
  void tell(const std::vector<BufferPairs::Told>& told, const Stack& stack) const;
  void remember_to_tell(BufferPairs::Told told);
  void learn_shapes(const std::vector<CallBuffers::Unknown>& unknown);
  void count_pending() { number_.store(static_cast<std::uint32_t>(pending_.size()), std::memory_order_relaxed); }

  const Options options_;
  Parts parts_;
  TypesInUse& types_;
  TypeShapes shapes_;
  CallBuffers buffers_;
  PendingBuffers pending_;
  PendingBuffers::Met met_;  // scratch
  BufferPairs pairs_;
  WindowRequests window_requests_{pending_};
  std::unordered_map<HandleBits, Persistent> persistent_;
  std::size_t persistent_buffers_ = 0;
  std::vector<Blocks> arguments_;  // scratch
  std::vector<SweptHull> swept_;   // the same
  std::vector<BufferPairs::Told> told_;
  std::vector<CallBuffers::Unknown> unknown_;
  std::atomic<std::uint32_t> number_{0};             // of those that are pending
  std::atomic<std::uint32_t> partitioned_sends_{0};  // of `persistent_`
  // Calls whose buffers were not looked at; buffers that were not kept; and pairs that nobody compared.
  std::uint64_t not_watched_ = 0, too_many_ = 0, not_compared_ = 0;
  bool are_more_not_compared_ = false;
};

[[gnu::always_inline]] inline void PendingCalls::describe(Buffer& buffer, const UsingCall& call,
                                                          const PlainUse& plain) {
  const UseRow& row = call.arguments.row;
  buffer.address = call.arguments.words[row.uses.first.buffer];
  buffer.elements = plain.elements;
  buffer.called = call.called;
  buffer.site = plain.site;
  buffer.parameter = row.uses.first.parameter;
  buffer.access = row.access[0];
  buffer.status_tells = row.status_tells;
  buffer.record = plain.record;
}

/// Most calls: the type is known, few buffers are pending, and none of them lies over this one.
[[gnu::always_inline]] inline bool PendingCalls::add_plain(const UsingCall& call, const PlainUse& plain,
                                                           const Holder& holder) {
  if (plain.elements == 0) [[unlikely]]
    return true;
  const TypeShape* const shape = shapes_.find(plain.key);
  if (shape == nullptr || !pending_.has_room_for_few()) [[unlikely]]
    return false;
  const UseRow& row = call.arguments.row;
  Hull hull;
  if (!find_hull(call.arguments.words[row.uses.first.buffer], plain.elements, *shape, hull) ||
      !pending_.is_apart_from_few(hull, row.access[0])) [[unlikely]]
    return false;
  pending_.begin_operation();
  Buffer& buffer = pending_.add_to_few(holder);
  buffer.hull.begin = hull.begin;
  buffer.hull.end = hull.end;
  buffer.number = shape->number;
  buffer.predefined = shape->predefined;
  buffer.is_solid = shape->is_solid;
  describe(buffer, call, plain);
  count_pending();
  return true;
}

[[gnu::always_inline]] inline bool PendingCalls::after_plain(const UsingCall& call, const PlainUse& plain,
                                                             const Holder& holder) {
  bool is_done = true;  // where nothing is recorded any more
  parts_.registry.beside([&]() __attribute__((always_inline)) {
    is_done = plain.key != 0 && add_plain(call, plain, holder);
  });
  return is_done;
}

[[gnu::always_inline]] inline bool PendingCalls::is_plainly_apart(const UsingCall& call, const PlainUse& plain) {
  if (pending_.empty() || plain.elements == 0) [[likely]]
    return true;
  const TypeShape* const shape = shapes_.find(plain.key);
  const UseRow& row = call.arguments.row;
  Hull hull;
  return shape != nullptr && pending_.are_few() &&
         find_hull(call.arguments.words[row.uses.first.buffer], plain.elements, *shape, hull) &&
         pending_.is_apart_from_few(hull, row.access[0]);
}

}  // namespace ddtscope::plugin
