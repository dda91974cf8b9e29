// What a program sends to and receives from other processes: each call's messages take their places in their channels
// when it begins.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plugin/in_flight/pending_file.h"
#include "plugin/messages/channels.h"
#include "plugin/messages/named_communicators.h"
#include "plugin/messages/waiting_receives.h"
#include "plugin/pending/pending_buffers.h"
#include "plugin/registry/registry.h"
#include "plugin/uses/use_counters.h"

namespace ddtscope::plugin {

class Collectives;
class SequenceLines;

/// What a status says of a message that was received.
struct ReceivedMessage {
  int source = 0, tag = 0;
  /// Of one that failed nobody knows whether it took a message, unless that was too long for it.
  enum class Outcome : std::uint8_t { received, cancelled, failed } outcome = Outcome::received;
};

/// Called by the wrappers, without the registry's lock, which it takes.
class Messages {
 public:
  struct Options {
    UseConstants constants;
    int any_source = 0, any_tag = 0;  // MPI_ANY_SOURCE, MPI_ANY_TAG
    HandleBits world = 0, self = 0;
    int rank = 0;  // of this process, in MPI_COMM_WORLD
    std::size_t most_bytes = std::size_t{1} << 23;
    std::size_t most_waiting = 1024;  // receives of a communicator
  };
  /// All must outlive it.
  struct Parts {
    Registry& registry;
    UseCounters& uses;
    NamedCommunicators& communicators;
    GroupQueries& library;
    PendingFile* in_flight = nullptr;  // where others can see what is under way; may be nullptr
  };
  Messages(const Options& options, const Parts& parts);

  /// A message that took its place, or waits for it.
  struct Placed {
    enum class State : std::uint8_t {
      nowhere,
      in_channel,
      waits,    // behind receives whose channels are not known
      unknown,  // its channel is not known itself
      left      // its type is not known: it takes its place when the call has come back
    };
    State state = State::nowhere;
    std::uint32_t operation = 0;
    Channel* channel = nullptr;
    std::uint64_t place = 0;  // in the channel
    std::uint32_t communicator = 0;
    WaitingReceives::Id waiting = 0;
    PlaceInFlight in_flight = {};
  };
  /// A call's messages, as they were when it began; what others see of them is in `places_in_flight`, too.
  using Begun = std::array<Placed, 2>;
  /// A call that sends or receives (UseRow::message) is about to begin, and was counted.
  Begun begin(const UsingCall& call, const PlainUse& plain);
  /// The same of a plain call that was counted before; `counted` stands for its function, type and site
  /// (UseCounters::count_again). Under the registry's lock. False where nothing was done: it has to wait for its place,
  /// or the library is to be asked.
  template <const UseRow& row>
  [[gnu::always_inline]] inline bool append_again(const UsingCall& call, const PlainUse& plain, const void* counted);
  /// The library has returned, and the call's types are known.
  void end(const UsingCall& call, Begun& begun);
  /// The library refused it: it has sent and received nothing.
  void failed(const Begun& begun);
  /// The same of one that append_again() took.
  void failed_again(const UsingCall& call, const PlainUse& plain);

  /// A blocking receive has come back.
  void received(const Placed& placed, const ReceivedMessage& message);
  /// A request will tell what a receive that was begun has got.
  void wait_for(const Placed& placed, const Holder& request);
  /// Whether a completion may tell what a receive has got.
  bool awaits_requests() const { return awaited_.load(std::memory_order_relaxed) != 0; }
  bool awaits(const Holder& request);
  /// The number of the latest receive of which that is so.
  std::uint64_t last_awaited();
  /// By a call before which `last` was last_awaited(): handles that the library frees may be another thread's before
  /// this is told.
  void completed(const Holder& request, const ReceivedMessage& message, std::uint64_t last = UINT64_MAX);
  /// Nobody will tell. The same of `last`.
  void lost(const Holder& request, std::uint64_t last = UINT64_MAX);
  /// The program asks for a request to be cancelled. Whether that was in time shows only in its status; of one that a
  /// status is not read of, its buffer says which operation it was, if not on which channel.
  void cancelling(const Holder& request, const PendingBuffers& pending);
  /// A probe has taken a message out of those that others may receive (MPI-4.1 3.8.2).
  struct Matched {
    HandleBits communicator = 0;
    HandleBits message = 0;
    int source = 0, tag = 0;
  };
  void matched(const Matched& matched);

  /// A collective operation of this call begins: its place among those of its communicator. Under the registry's lock.
  PlaceInFlight begin_collective(const UsingCall& call);
  void collective_failed(const PlaceInFlight& place);
  /// A probe that waits for a message.
  PlaceInFlight begin_probe(const Matched& probe, const EntryPoint& called, CallSiteId site);

  /// A call has made a persistent request.
  void made(const UsingCall& call, HandleBits request);
  /// Persistent requests are about to be started: for each what became of it.
  std::vector<Placed> start(const StartingCall& call);
  void starting_failed(const std::vector<Placed>& placed);
  void request_moved(const MovedRequest& request);
  void request_freed(const Holder& request);

  void communicator_freed(HandleBits handle);
  /// The program has said something of it (MPI_Comm_set_info).
  void communicator_info_set(HandleBits handle);
  /// Under the registry's lock: nothing is known from here on.
  void stop(Unknown why);
  /// Under the registry's lock, when nothing else comes: with the process's collective operations, where these are
  /// recorded.
  std::uint32_t write(trace::Writer& writer, Collectives* collectives = nullptr);

 private:
  static constexpr std::uint32_t no_communicator = UINT32_MAX;
  struct Communicator {
    HandleBits handle = 0;
    PredefinedCommunicator predefined = PredefinedCommunicator::none;
    CommunicatorNumber line;
    CommunicatorName name;
    bool is_freed = false, is_asked = false;
    bool allows_overtaking = false;
    std::unordered_map<int, int> processes;  // of ranks that were asked for
    WaitingReceives waiting;
    std::vector<ReceivePattern> lost;                 // of receives that never told their channels
    std::uint32_t collectives = trace::pending_none;  // the channel of those in flight
  };
  /// A message on its way to its place.
  struct Message {
    ChannelKey key;
    bool has_any_source = false, has_any_tag = false;
    int process = -1;  // the other one's rank in MPI_COMM_WORLD
    MessageOperation operation;
    Channel::Start start = {};
    bool is_wildcard() const { return has_any_source || has_any_tag; }
    ReceivePattern pattern() const {
      return {has_any_source ? std::nullopt : std::optional(key.peer),
              has_any_tag ? std::nullopt : std::optional(key.tag)};
    }
  };
  enum class Found : std::uint8_t { yes, ask_process, no };
  /// An operation of lately, and the channel on which it was last.
  struct alignas(64) RecentMessage {
    const void* counted = nullptr;
    std::uint64_t elements = 0;
    CallSiteId site;
    std::uint32_t operation = 0;
    std::uint32_t operation_in_flight = trace::pending_none;
    HandleBits communicator = 0;
    std::uint64_t peer_and_tag = 0;
    ThreadMark thread = nullptr;
    Channel* channel = nullptr;
    bool is_on(HandleBits handle, std::uint64_t peer_and_tag_there) const {
      return communicator == handle && peer_and_tag == peer_and_tag_there && thread == this_thread();
    }
  };
  static_assert(sizeof(RecentMessage) == 64);
  static constexpr unsigned bits_of_recent = 10;
  /// A receive whose request will tell its channel.
  struct Awaited {
    std::uint64_t place = 0;   // of the request
    std::uint64_t number = 0;  // in the order in which they were begun
    std::uint32_t communicator = 0;
    WaitingReceives::Id waiting = 0;
  };

  [[gnu::always_inline]] static inline std::uint64_t peer_and_tag_of(const UseRow& row, const UseCall& call) {
    return (std::uint64_t{static_cast<std::uint32_t>(call.integer(row.message.sides[0].peer))} << 32) |
           static_cast<std::uint32_t>(call.integer(row.message.sides[0].tag));
  }
  [[gnu::always_inline]] inline RecentMessage& recent_message(const void* counted, std::uint64_t elements) {
    const std::uint64_t words = reinterpret_cast<std::uintptr_t>(counted) + (elements << 16);
    return recent_[(words * 0x9E3779B97F4A7C15u) >> (64 - bits_of_recent)];
  }
  /// Its operation, which may be a new one. False where its type is not known.
  [[gnu::noinline]] bool remember_operation(RecentMessage& recent, UsingCall call, PlainUse plain, const void* counted);
  /// The channel of a message, which may be its first; nullptr where somebody is to be asked, or it has to wait, or
  /// nothing is known of the channel.
  [[gnu::noinline]] Channel* channel_at_once(HandleBits handle, const ChannelKey& wanted);

  std::optional<Message> message_of(const UseCall& call, const MessageSide& side) const;
  std::uint64_t elements_of(const UseCall& call, const MessageSide& side) const;
  Placed begin_side(const UsingCall& call, const PlainUse& plain, std::size_t which);
  Placed begin_matched(const UsingCall& call);
  /// `from`: a place in the channel, where that is known.
  void lose_side(const UsingCall& call, std::size_t which, Unknown why, std::optional<std::uint64_t> from = {});
  /// Without the lock: what find() wants to know.
  void ask(HandleBits handle, int peer);

  // Under the registry's lock.
  Found find(HandleBits handle, Message& message);
  Found find_process(std::uint32_t number, int peer, int& process);
  std::uint32_t communicator_of(HandleBits handle);
  bool find_type(HandleBits handle, MessageOperation& operation);
  Placed place(const Message& message);
  Placed place_in_channel(const Message& message, std::uint32_t operation);
  Placed let_wait(const Message& message, std::uint32_t operation);
  Channel* channel_of(const ChannelKey& key, int process);
  /// Others see it from now on.
  std::uint32_t show_channel(const ChannelKey& key, int process, trace::PendingDirection direction);
  std::uint32_t pattern_in_flight(const Message& message, trace::PendingDirection direction);
  std::uint32_t operation_in_flight(std::uint32_t number);
  PlaceInFlight call_in_flight(const EntryPoint& called, CallSiteId site);
  void show_lost(std::uint32_t communicator, const ReceivePattern& pattern);
  void let_go(std::uint32_t communicator);
  void take_back(const Placed& placed);
  void resolve(const Awaited& awaited, const ReceivedMessage& message);
  void lose(std::uint32_t number, const ReceivePattern& pattern, Unknown why);
  void lose_waiting(std::uint32_t communicator, WaitingReceives::Id id, Unknown why);
  std::optional<Awaited> find_awaited(const Holder& request, std::uint64_t last) const;
  std::optional<Awaited> take_awaited(const Holder& request, std::uint64_t last);
  void leave_out(std::string_view why) { ++left_out_[why]; }
  void remember(const UsingCall& call, const PlainUse& plain, const Placed& placed);
  void forget_recent() { recent_.fill({}); }
  void give_up_waiting();
  struct Lines;
  void write_operations(trace::Writer& writer);
  void write_channels(trace::Writer& writer, std::uint32_t& next);
  void lose_cancelled(Channel& channel);
  void add_channels(Lines& lines, SequenceLines& sequences);
  void add_lost_channels(Lines& lines, SequenceLines& sequences);

  const Options options_;
  const Parts parts_;
  TypesInUse& types_;
  bool is_stopped_ = false;
  Channels channels_;
  std::deque<Communicator> communicators_;  // each stays where it is
  std::unordered_map<HandleBits, std::uint32_t> communicator_by_handle_;
  HandleBits last_handle_ = 0;  // of them, which was looked up last
  std::uint32_t last_communicator_ = no_communicator;
  std::unordered_map<HandleBits, Message> persistent_;
  std::unordered_multimap<HandleBits, Awaited> by_request_;
  std::unordered_map<HandleBits, Awaited> by_message_;  // those that a probe has matched
  std::atomic<std::uint32_t> awaited_{0};               // requests
  std::uint64_t starting_calls_ = 0, awaited_before_ = 0;
  std::map<std::string_view, std::uint64_t> left_out_;
  std::vector<std::uint32_t> operations_in_flight_;  // of those in `channels_` how others see them
  std::map<std::pair<ChannelKey, trace::PendingDirection>, std::uint32_t> patterns_in_flight_;
  std::set<std::uint32_t> cancelled_;  // operations that may not have taken place
  Unknown others_ = Unknown::none;     // why nothing is known of other channels
  bool are_full_ = false;              // the channels, and `recent_` has none of them
  std::array<RecentMessage, std::size_t{1} << bits_of_recent> recent_;
};

template <const UseRow& row>
[[gnu::always_inline]] inline bool Messages::append_again(const UsingCall& call, const PlainUse& plain,
                                                          const void* counted) {
  static_assert(row.has_one_plain_buffer && row.uses.partitions < 0);
  constexpr MessageSide side = row.message.sides[0];
  const UseCall& arguments = call.arguments;
  places_in_flight[0].operation = trace::pending_none;
  if (arguments.integer(side.peer) == options_.constants.null_process) return true;  // it is none
  if (channels_.are_full()) [[unlikely]]
    return false;
  RecentMessage& recent = recent_message(counted, plain.elements);
  if (recent.counted != counted || recent.elements != plain.elements || recent.site != plain.site) [[unlikely]] {
    if (!remember_operation(recent, UsingCall(call), PlainUse(plain), counted)) return false;
  }
  const std::uint64_t peer_and_tag = peer_and_tag_of(row, arguments);
  const HandleBits communicator = arguments.handle(row.message.communicator, options_.constants);
  if (recent.is_on(communicator, peer_and_tag)) [[likely]] {
    constexpr bool is_received = side.direction == MessageDirection::receive;
    if (is_received && !recent.channel->waiting()->empty()) [[unlikely]]
      return false;
    recent.channel->append_again(recent.operation);
  } else {
    Channel* const found = channel_at_once(communicator, {.communicator = no_communicator,
                                                          .peer = arguments.integer(side.peer),
                                                          .tag = arguments.integer(side.tag),
                                                          .direction = side.direction});
    if (found == nullptr) [[unlikely]]
      return false;
    recent.communicator = communicator;
    recent.peer_and_tag = peer_and_tag;
    recent.thread = this_thread();
    recent.channel = found;
    found->append(recent.operation, {.thread = this_thread()});
  }
  const Channel& channel = *recent.channel;
  places_in_flight[0] = {channel.number_in_flight(), recent.operation_in_flight, channel.size() - 1};
  places_in_flight[1].channel = trace::pending_none;
  return true;
}

}  // namespace ddtscope::plugin
