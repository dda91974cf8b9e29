#include "plugin/pending/pending_calls.h"

#include <algorithm>
#include <utility>

#include "decoder/base/grouped.h"

namespace ddtscope::plugin {
namespace {

/// A buffer of a persistent request, as the call that gives it to the library has it.
Buffer with_origin(Buffer buffer, const EntryPoint* called, CallSiteId site) {
  buffer.called = called;
  buffer.site = site;
  return buffer;
}

}  // namespace

PendingCalls::PendingCalls(const Options& options, Parts parts)
    : options_(options),
      parts_(std::move(parts)),
      types_(parts_.registry.types_in_use()),
      buffers_(options.constants, types_, shapes_),
      pending_(options.most_pending),
      pairs_(parts_.verdicts, types_) {}

template <class Step>
PendingCalls::Outcome PendingCalls::run(const UsingCall& call, const Step& step) {
  constexpr int most_attempts = 3;  // a handle may be given again meanwhile
  Outcome outcome = Outcome::done;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    std::vector<BufferPairs::Told> told;
    std::vector<CallBuffers::Unknown> unknown;
    parts_.registry.beside([&] {
      unknown_.clear();
      outcome = step();
      told.swap(told_);
      unknown = unknown_;
      count_pending();
    });
    tell(told, *call.stack);
    if (outcome != Outcome::ask_for_shapes) break;
    learn_shapes(unknown);
  }
  return outcome;
}

void PendingCalls::tell(const std::vector<BufferPairs::Told>& told, const Stack& stack) const {
  for (const BufferPairs::Told& each : told) parts_.tell({each.message, each.id, stack.caller});
}

void PendingCalls::remember_to_tell(BufferPairs::Told told) {
  if (!told.message.empty()) told_.push_back(std::move(told));
}

void PendingCalls::learn_shapes(const std::vector<CallBuffers::Unknown>& unknown) {
  for (const CallBuffers::Unknown& each : unknown) {
    TypeShape shape = shape_of(each.type, parts_.library.bounds(each.handle));
    shape.key = each.key;
    parts_.registry.beside([&] {
      // Once the call has come back, another thread may have freed the type, and the handle may be another one's.
      const HandleEntry* const life = types_.life_of(each.handle);
      if (life != nullptr && types_.key_of(*life) == each.key) shapes_.learn(shape);
    });
  }
}

/// What another thread found meanwhile is told, too.
void PendingCalls::tell_all(const Stack& stack) {
  std::vector<BufferPairs::Told> told;
  parts_.registry.beside([&] { told.swap(told_); });
  tell(told, stack);
}

template <class Take>
[[gnu::always_inline]] inline PendingCalls::Outcome PendingCalls::with_plain_buffer(const UsingCall& call,
                                                                                    const PlainUse& plain,
                                                                                    const Take& take) {
  if (plain.elements == 0) return Outcome::done;
  const TypeShape* const shape = shapes_.find(plain.key);
  if (shape == nullptr) [[unlikely]] {
    unknown_.push_back({plain.type, plain.key, types_.find(plain.type)});
    return Outcome::ask_for_shapes;
  }
  if (shape->kind == TypeShape::Extent::empty) return Outcome::done;
  Buffer buffer;
  describe(buffer, call, plain);
  if (place(buffer, *shape)) [[likely]] {
    take(buffer);
  } else {
    ++not_watched_;
  }
  return Outcome::done;
}

PendingCalls::Seen PendingCalls::before(const UsingCall& call, const PlainUse& plain) {
  const Outcome outcome = run(call, [&] {
    if (is_plain(call, plain)) {
      return with_plain_buffer(call, plain, [&](const Buffer& buffer) { compare_with_pending(buffer); });
    }
    const Outcome found = find_buffers(call);
    if (found == Outcome::done) {
      compare_with_each_other(call.arguments.row);
      for (const CallBuffer& each : buffers_.buffers()) compare_with_pending(each.buffer);
    }
    return found;
  });
  if (outcome == Outcome::ask_for_shapes) count_unwatched();
  return outcome == Outcome::unknown ? Seen::too_little : Seen::all;
}

void PendingCalls::before_in_retrospect(const UsingCall& call, const PlainUse& plain) {
  if (before(call, plain) == Seen::too_little) count_unwatched();
}

void PendingCalls::after(const UsingCall& call, const PlainUse& plain, const Holder& holder) {
  if (is_plain(call, plain)) {
    bool is_done = true;
    bool is_to_be_told = false;
    parts_.registry.beside([&] {
      const Outcome outcome = with_plain_buffer(call, plain, [&](const Buffer& buffer) {
        compare_with_pending(buffer);
        pending_.begin_operation();
        add(buffer, holder);
        count_pending();
      });
      is_done = outcome == Outcome::done;
      is_to_be_told = !told_.empty();
    });
    if (is_to_be_told) [[unlikely]]
      tell_all(*call.stack);
    if (is_done) [[likely]]
      return;
  }
  const Outcome outcome = run(call, [&] {
    const Outcome found = find_buffers(call);
    if (found != Outcome::done) return found;
    compare_with_each_other(call.arguments.row);
    for (const CallBuffer& each : buffers_.buffers()) compare_with_pending(each.buffer);
    const PendingOperation operation{holder, pending_.begin_operation()};
    for (const CallBuffer& each : buffers_.buffers()) add(each.buffer, holder);
    const UseRow& row = call.arguments.row;
    if (row.window >= 0 && !buffers_.buffers().empty()) {
      const auto rank = static_cast<std::uint64_t>(call.arguments.integer(row.uses.first.peer));
      window_requests_.add({call.arguments.handle(row.window, options_.constants), rank}, operation);
    }
    return found;
  });
  if (outcome != Outcome::done) count_unwatched();
}

void PendingCalls::made(const UsingCall& call, HandleBits request) {
  const Outcome outcome = run(call, [&] {
    const Outcome found = find_buffers(call);
    if (found != Outcome::done) return found;
    compare_with_each_other(call.arguments.row);
    Persistent& kept = persistent_[request];
    discount(kept);
    kept = {};
    const std::size_t number = buffers_.buffers().size();
    if (persistent_buffers_ + number > options_.most_persistent) {
      persistent_.erase(request);
      too_many_ += number;
      return found;
    }
    kept.buffers = buffers_.buffers();
    kept.is_partitioned = call.arguments.row.uses.partitions >= 0 && number != 0;
    persistent_buffers_ += number;
    if (kept.is_partitioned_send()) partitioned_sends_.fetch_add(1, std::memory_order_relaxed);
    return found;
  });
  if (outcome != Outcome::done) count_unwatched();
}

void PendingCalls::discount(const Persistent& persistent) {
  persistent_buffers_ -= persistent.buffers.size();
  if (persistent.is_partitioned_send()) partitioned_sends_.fetch_sub(1, std::memory_order_relaxed);
}

/// Fills `buffers_`, which has none where they cannot be told.
CallBuffers::Found PendingCalls::look_for_buffers(const UsingCall& call) {
  const UseCall& arguments = call.arguments;
  const std::int8_t position = arguments.row.uses.communicator;
  const Communicator* const communicator =
      position >= 0 ? parts_.uses.communicators().find(arguments.handle(position, options_.constants)) : nullptr;
  const bool is_lacking = communicator == nullptr && arguments.row.needs_communicator;
  return is_lacking ? CallBuffers::Found::nobody_knows : buffers_.find(call, communicator);
}

std::vector<CallBuffer> PendingCalls::buffers_of(const UsingCall& call) {
  std::vector<CallBuffer> buffers;
  run(call, [&] {
    const CallBuffers::Found found = look_for_buffers(call);
    if (found == CallBuffers::Found::too_little) {
      unknown_ = buffers_.unknown_shapes();
      return Outcome::ask_for_shapes;
    }
    if (found == CallBuffers::Found::nobody_knows) return Outcome::unknown;
    buffers = buffers_.buffers();
    return Outcome::done;
  });
  return buffers;
}

PendingCalls::Outcome PendingCalls::find_buffers(const UsingCall& call) {
  switch (look_for_buffers(call)) {
    case CallBuffers::Found::too_little:
      unknown_ = buffers_.unknown_shapes();
      return Outcome::ask_for_shapes;
    case CallBuffers::Found::nobody_knows:
      return Outcome::unknown;
    case CallBuffers::Found::too_much:
      ++not_watched_;
      buffers_.clear();
      break;
    case CallBuffers::Found::all:
      break;
  }
  return Outcome::done;
}

/// The last one is the target, the filetype or what a collective's root receives.
void PendingCalls::compare_types() {
  const std::vector<Buffer>& types = buffers_.paired_types();
  for (std::size_t i = 0; i + 1 < types.size(); ++i) {
    const Buffer& other = types.back();
    const bool is_same = types[i].number == other.number && types[i].predefined == other.predefined &&
                         types[i].elements == other.elements;
    if (!is_same) pairs_.mismatch(types[i], other);
  }
}

void PendingCalls::compare_with_each_other(const UseRow& row) {
  compare_types();
  find_arguments();
  compare_blocks(row);
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) compare_arguments(arguments_[k], arguments_[i]);
  }
}

void PendingCalls::find_arguments() {
  const std::vector<CallBuffer>& all = buffers_.buffers();
  arguments_.clear();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || all[i].argument != all[i - 1].argument) arguments_.push_back({i, i});
    arguments_.back().end = i + 1;
  }
}

Hull PendingCalls::hull_of(const Blocks& blocks) const {
  const std::vector<CallBuffer>& all = buffers_.buffers();
  Hull hull = all[blocks.first].buffer.hull;
  for (std::size_t i = blocks.first + 1; i < blocks.end; ++i) {
    hull.begin = std::min(hull.begin, all[i].buffer.hull.begin);
    hull.end = std::max(hull.end, all[i].buffer.hull.end);
  }
  return hull;
}

/// All blocks of an argument are read, or all are written. Most arguments lie apart as a whole.
void PendingCalls::compare_arguments(const Blocks& earlier, const Blocks& later) {
  const std::vector<CallBuffer>& all = buffers_.buffers();
  const bool are_read =
      all[earlier.first].buffer.access != Access::writes && all[later.first].buffer.access != Access::writes;
  if (are_read || !overlap(hull_of(earlier), hull_of(later))) return;
  const Blocks both[] = {earlier, later};
  sweep_blocks(both, PairOf::same_call);
}

/// Of one argument each block is held against the others, of two against those of the other one.
void PendingCalls::sweep_blocks(std::span<const Blocks> arguments, PairOf pair) {
  const std::vector<CallBuffer>& all = buffers_.buffers();
  swept_.clear();
  for (std::size_t group = 0; group < arguments.size(); ++group) {
    for (std::size_t i = arguments[group].first; i < arguments[group].end; ++i) {
      swept_.push_back({all[i].buffer.hull, static_cast<std::uint32_t>(i), static_cast<std::uint8_t>(group)});
    }
  }
  const Against against = arguments.size() == 1 ? Against::own_group : Against::other_group;
  not_compared_ += sweep(swept_, against, PendingBuffers::most_met, [&](std::uint32_t later, std::uint32_t earlier) {
    // Of blocks the later one is told, of two arguments the first.
    const bool is_of_blocks = pair == PairOf::blocks;
    const Buffer& told = all[is_of_blocks ? later : earlier].buffer;
    const Buffer& other = all[is_of_blocks ? earlier : later].buffer;
    remember_to_tell(pairs_.overlap(told, other, pair));
  });
}

/// Whether each block lies before or behind all that stand before it, as most do: one behind the other, or one before
/// the other.
bool PendingCalls::lie_apart(const Blocks& blocks) const {
  const std::vector<CallBuffer>& all = buffers_.buffers();
  Hull before = all[blocks.first].buffer.hull;
  for (std::size_t i = blocks.first + 1; i < blocks.end; ++i) {
    const Hull& hull = all[i].buffer.hull;
    if (overlap(before, hull)) return false;
    before = {std::min(before.begin, hull.begin), std::max(before.end, hull.end)};
  }
  return true;
}

/// What one argument writes it writes once, and the root of a scatter reads nothing twice (MPI-4.1 6.5, 6.6).
void PendingCalls::compare_blocks(const UseRow& row) {
  const std::vector<CallBuffer>& all = buffers_.buffers();
  for (const Blocks& blocks : arguments_) {
    const Buffer& first = all[blocks.first].buffer;
    if (row.is_received_elsewhere() && first.access == Access::writes && first.number.valid()) pairs_.itself(first);
    const bool is_shared = first.access == Access::reads && row.uses.root < 0;
    if (is_shared || lie_apart(blocks)) continue;
    sweep_blocks({&blocks, 1}, PairOf::blocks);
  }
}

[[gnu::always_inline]] inline void PendingCalls::compare_with_pending(const Buffer& buffer) {
  if (pending_.empty()) return;
  pending_.find(buffer, met_);
  if (met_.others != 0) [[unlikely]] {
    not_compared_ += met_.others;
    are_more_not_compared_ = are_more_not_compared_ || met_.others_are_least;
  }
  for (std::size_t i = 0; i < met_.count; ++i) {
    remember_to_tell(pairs_.overlap(buffer, met_.buffers[i], PairOf::pending));
  }
}

[[gnu::always_inline]] inline void PendingCalls::add(const Buffer& buffer, const Holder& holder) {
  if (!pending_.add(buffer, holder)) ++too_many_;
}

void PendingCalls::started(const Start& start) {
  std::vector<BufferPairs::Told> told;
  parts_.registry.beside([&] {
    for (const Holder& request : start.requests) {
      const auto found = persistent_.find(request.handle);
      if (found != persistent_.end()) begin(found->second, request, start);
    }
    told.swap(told_);
    count_pending();
  });
  tell(told, *start.stack);
}

/// Of a partitioned send nothing is the library's yet (MPI-4.1 4.2.1).
void PendingCalls::begin(Persistent& persistent, const Holder& request, const Start& start) {
  persistent.started = request;
  if (persistent.is_partitioned) persistent.operations.assign(persistent.buffers.size(), 0);
  if (persistent.is_partitioned_send()) return;
  const CallSiteId site = types_.site_of(*start.stack);
  std::vector<Buffer> buffers;
  buffers.reserve(persistent.buffers.size());
  for (const CallBuffer& each : persistent.buffers) {
    buffers.push_back(with_origin(each.buffer, start.called, site));
    compare_with_pending(buffers.back());
  }
  pending_.begin_operation();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (persistent.is_partitioned) persistent.operations[i] = pending_.begin_operation();
    add(buffers[i], request);
  }
}

template <class Take>
void PendingCalls::each_partition(const Partitions& partitions, const Take& take) {
  const auto found = persistent_.find(partitions.request);
  if (found == persistent_.end()) return;
  for (const int partition : partitions.numbers) {
    const auto i = static_cast<std::size_t>(partition);
    if (partition >= 0 && i < found->second.operations.size()) take(found->second, i);
  }
}

void PendingCalls::ready(const Ready& ready) {
  std::vector<BufferPairs::Told> told;
  parts_.registry.beside([&] {
    const CallSiteId site = types_.site_of(*ready.stack);
    each_partition(ready.partitions, [&](Persistent& persistent, std::size_t i) {
      if (!persistent.is_partitioned_send()) return;
      const Buffer buffer = with_origin(persistent.buffers[i].buffer, ready.called, site);
      compare_with_pending(buffer);
      persistent.operations[i] = pending_.begin_operation();
      add(buffer, persistent.started);
    });
    told.swap(told_);
    count_pending();
  });
  tell(told, *ready.stack);
}

void PendingCalls::no_more_pending(const Partitions& partitions) {
  parts_.registry.beside([&] {
    each_partition(partitions, [&](Persistent& persistent, std::size_t i) {
      std::uint32_t& operation = persistent.operations[i];
      if (operation != 0) pending_.release_operation({persistent.started, operation});
      operation = 0;
    });
    count_pending();
  });
}

void PendingCalls::request_moved(const MovedRequest& request) {
  parts_.registry.beside([&] {
    const auto replaced = persistent_.find(request.now);
    if (replaced != persistent_.end()) discount(replaced->second);
    move_entry(persistent_, request);
  });
}

void PendingCalls::request_freed(const Holder& request) {
  parts_.registry.beside([&] {
    pending_.complete(request);
    count_pending();
    const auto found = persistent_.find(request.handle);
    if (found == persistent_.end()) return;
    discount(found->second);
    persistent_.erase(found);
  });
}

void PendingCalls::release(HandleBits holder) {
  parts_.registry.beside([&] {
    pending_.release(holder);
    window_requests_.release(holder);
    count_pending();
  });
}

void PendingCalls::release_at(const Holder& holder) {
  parts_.registry.beside([&] {
    pending_.release_at(holder);
    window_requests_.release_at(holder);
    count_pending();
  });
}

void PendingCalls::count_received(const Holder& request, std::uint64_t bytes) {
  if (const std::optional<Buffer> into = pending_.received_by(request)) count_arrived(*into, bytes);
}

[[gnu::noinline]] void PendingCalls::count_arrived_otherwise(const Buffer& into, std::uint64_t bytes) {
  parts_.uses.arrived({into.called, into.number, into.predefined, into.site, into.parameter, bytes});
}

void PendingCalls::write(trace::Writer& writer) {
  pairs_.write(writer);
  if (not_watched_ != 0) {
    writer.note(
        "The buffers of " + counted(not_watched_, "call", "calls") +
        " were not compared with others: a communicator or a type was not known yet, or they were too many, or a "
        "section of an array that only the library can describe.");
  }
  if (too_many_ != 0) {
    writer.note(counted(too_many_, "buffer was", "buffers were") +
                " not compared with later ones: there were too many pending or persistent requests.");
  }
  if (not_compared_ != 0) {
    writer.note((are_more_not_compared_ ? "At least " : "") +
                counted(not_compared_, "pair of buffers was", "pairs of buffers were") +
                " not compared: a buffer is held against the nearest " + std::to_string(PendingBuffers::most_met) +
                " of those that it lies over, pending ones or blocks of its argument.");
  }
}

}  // namespace ddtscope::plugin
