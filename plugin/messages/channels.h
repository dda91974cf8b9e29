// What went to, and came from, each other process: of each channel the folded sequence of the operations, in the order
// in which the program started them.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "decoder/base/hash_of_words.h"
#include "decoder/base/index_table.h"
#include "plugin/in_flight/pending_file.h"
#include "plugin/messages/folded_sequence.h"
#include "plugin/messages/message_operation.h"
#include "plugin/uses/use_row.h"

namespace ddtscope::plugin {

/// Why it is not known what a channel had.
enum class Unknown : std::uint8_t { none, wildcard, memory, switched_off, cancel, failed, type, target };
/// As the trace has it.
std::string_view word_of(Unknown why);

/// The program's thread that runs this, as long as it lives.
extern thread_local constinit char own_thread [[gnu::tls_model("initial-exec")]];
using ThreadMark = const void*;
inline ThreadMark this_thread() { return &own_thread; }

/// Of one process; `communicator` counts those that it has sent or received in.
struct ChannelKey {
  std::uint32_t communicator = 0;
  int peer = 0;  // its rank in the communicator
  int tag = 0;
  MessageDirection direction = MessageDirection::none;
  bool is_partitioned = false;  // MPI-4.1 4: such operations match each other alone
  friend auto operator<=>(const ChannelKey&, const ChannelKey&) = default;
  std::uint64_t hash() const {
    const auto ends = std::uint64_t{static_cast<std::uint32_t>(peer)} << 32 | static_cast<std::uint32_t>(tag);
    const std::uint64_t kind = static_cast<std::uint64_t>(direction) << 1 | (is_partitioned ? 1 : 0);
    return HashOfWords(ends).add(std::uint64_t{communicator} << 8 | kind).value();
  }
};

class WaitingReceives;

/// Stays where it is.
class Channel {
 public:
  /// At the other end: the peer's rank in MPI_COMM_WORLD, and the receives of the communicator that wait.
  struct End {
    int process = -1;
    const WaitingReceives* waiting = nullptr;
    trace::PendingChannel* in_flight = nullptr;  // what others see of it; may be nullptr
    std::uint32_t number_in_flight = trace::pending_none;
  };
  Channel(const ChannelKey& key, const End& end, FoldedSymbols& symbols) : key_(key), end_(end), operations_(symbols) {}

  const ChannelKey& key() const { return key_; }
  /// The peer's rank in MPI_COMM_WORLD.
  int process() const { return end_.process; }
  const WaitingReceives* waiting() const { return end_.waiting; }
  std::uint32_t number_in_flight() const { return end_.number_in_flight; }
  std::uint64_t size() const { return operations_.size(); }
  bool is_unordered() const { return is_unordered_; }
  Unknown unknown() const { return unknown_; }
  /// From this operation on.
  std::uint64_t unknown_from() const { return unknown_from_; }

  /// Where nothing else is to be looked at: it is known, and of one thread, or unordered already.
  [[gnu::always_inline]] inline void append_again(std::uint32_t operation) {
    operations_.append(operation);
    tell_started();
  }
  /// Who has started an operation, and by which of the calls that start several (0: by another one).
  struct Start {
    ThreadMark thread = nullptr;
    std::uint64_t call = 0;
  };
  void append(std::uint32_t operation, const Start& start) {
    if (unknown_ != Unknown::none) return;
    if (thread_ != nullptr && thread_ != start.thread) become_unordered();
    if (start.call != 0 && start.call == call_ && operation != of_call_) become_unordered();
    thread_ = start.thread;
    call_ = start.call;
    of_call_ = operation;
    operations_.append(operation);
    tell_started();
  }
  /// One that was appended did not take place: where it cannot be found any more, nothing is known from there on.
  void take_back(std::uint32_t operation, std::uint64_t place, Unknown why) {
    if (unknown_ != Unknown::none && unknown_from_ <= place) return;
    if ((is_unordered_ || place + 1 == size()) && operations_.take_back(operation)) return tell_started();
    lose(is_unordered_ ? 0 : place, why);
  }
  void become_unordered() {
    is_unordered_ = true;
    tell(trace::PendingChannel::is_unordered);
  }
  /// Nothing is known from here on.
  void lose(Unknown why) { lose(size(), why); }
  void lose(std::uint64_t from, Unknown why) {
    if (unknown_ != Unknown::none && unknown_from_ <= from) return;
    unknown_ = why;
    unknown_from_ = from;
    tell(trace::PendingChannel::is_unknown);
  }
  /// Nothing is appended afterwards.
  std::span<const std::uint32_t> end() { return operations_.end(); }

 private:
  [[gnu::always_inline]] inline void tell_started() {
    if (end_.in_flight != nullptr) std::atomic_ref(end_.in_flight->started).store(size(), std::memory_order_relaxed);
  }
  void tell(std::uint32_t flag) {
    if (end_.in_flight != nullptr) std::atomic_ref(end_.in_flight->flags).fetch_or(flag, std::memory_order_relaxed);
  }

  const ChannelKey key_;
  const End end_;
  bool is_unordered_ = false;
  Unknown unknown_ = Unknown::none;
  std::uint64_t unknown_from_ = 0;
  // Who has started the last one.
  ThreadMark thread_ = nullptr;
  std::uint64_t call_ = 0;
  std::uint32_t of_call_ = 0;
  FoldedSequence operations_;
};

/// Not synchronised.
class Channels {
 public:
  explicit Channels(std::size_t most_bytes) : most_bytes_(most_bytes) {}
  Channels(const Channels&) = delete;
  Channels& operator=(const Channels&) = delete;

  /// nullptr where there is none.
  Channel* find(const ChannelKey& key) {
    const std::uint32_t found =
        by_key_.find(key.hash(), [&](std::uint32_t number) { return all_[number].key() == key; });
    return found != IndexTable::none ? &all_[found] : nullptr;
  }
  Channel& add(const ChannelKey& key, const Channel::End& end);
  std::uint32_t intern(const MessageOperation& operation);
  /// IndexTable::none where there is none.
  std::uint32_t find(const MessageOperation& operation) const { return operations_.find(operation); }
  const std::vector<MessageOperation>& operations() const { return operations_.all(); }
  const FoldedSymbols& symbols() const { return symbols_; }
  std::deque<Channel>& all() { return all_; }
  /// Whether nothing more may be kept.
  bool are_full() const { return symbols_.bytes() >= most_bytes_; }
  template <class Choose>
  void lose_those(const Choose& choose, Unknown why) {
    for (Channel& channel : all_) {
      if (choose(channel)) channel.lose(why);
    }
  }

 private:
  const std::size_t most_bytes_;
  FoldedSymbols symbols_;  // counts all the bytes
  MessageOperations operations_;
  std::deque<Channel> all_;
  IndexTable by_key_;
};

}  // namespace ddtscope::plugin
