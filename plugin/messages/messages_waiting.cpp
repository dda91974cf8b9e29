// Receives whose channels are known when they are complete, and persistent requests.
#include <algorithm>
#include <utility>

#include "plugin/messages/messages.h"

namespace ddtscope::plugin {

Messages::Placed Messages::let_wait(const Message& message, std::uint32_t operation) {
  Communicator& communicator = communicators_[message.key.communicator];
  if (communicator.waiting.size() >= options_.most_waiting) {
    const std::optional<WaitingReceives::Receive> oldest = communicator.waiting.take_oldest_unknown();
    if (oldest) lose(message.key.communicator, oldest->pattern, Unknown::wildcard);
    let_go(message.key.communicator);
  }
  Placed placed{.state = message.is_wildcard() ? Placed::State::unknown : Placed::State::waits, .operation = operation};
  placed.communicator = message.key.communicator;
  placed.in_flight = {pattern_in_flight(message, trace::PendingDirection::receive), operation_in_flight(operation)};
  placed.waiting = communicator.waiting.add(
      {.pattern = message.pattern(), .process = message.process, .operation = operation, .start = message.start});
  return placed;
}

/// Those that need not wait any more take their places.
void Messages::let_go(std::uint32_t communicator) {
  communicators_[communicator].waiting.let_go([&](const WaitingReceives::Receive& receive) {
    const ChannelKey key{.communicator = communicator,
                         .peer = *receive.pattern.source,
                         .tag = *receive.pattern.tag,
                         .direction = MessageDirection::receive};
    Channel* const channel = channel_of(key, receive.process);
    if (channel != nullptr) channel->append(*receive.operation, receive.start);
  });
}

/// Nothing is known of what the channels got that a receive may have had its message from.
void Messages::lose(std::uint32_t number, const ReceivePattern& pattern, Unknown why) {
  constexpr std::size_t most_lost = 16;
  show_lost(number, pattern);
  std::vector<ReceivePattern>& lost = communicators_[number].lost;
  const auto covers = [&](const ReceivePattern& other) { return other.covers(pattern); };
  // All that there are were lost then, and each that came later when it was made.
  if (std::any_of(lost.begin(), lost.end(), covers)) return;
  if (lost.size() >= most_lost && !pattern.takes_all()) return lose(number, {}, why);
  const auto is_concerned = [&](const Channel& channel) {
    const ChannelKey& key = channel.key();
    return key.communicator == number && key.direction == MessageDirection::receive && !key.is_partitioned &&
           pattern.covers({key.peer, key.tag});
  };
  channels_.lose_those(is_concerned, why);
  forget_recent();
  lost.push_back(pattern);
}

void Messages::lose_waiting(std::uint32_t communicator, WaitingReceives::Id id, Unknown why) {
  WaitingReceives& waiting = communicators_[communicator].waiting;
  const WaitingReceives::Receive* const receive = waiting.find(id);
  if (receive == nullptr) return;
  const ReceivePattern pattern = receive->pattern;
  waiting.remove(id);
  lose(communicator, pattern, why);
  let_go(communicator);
}

void Messages::resolve(const Awaited& awaited, const ReceivedMessage& message) {
  Communicator& communicator = communicators_[awaited.communicator];
  WaitingReceives::Receive* const receive = communicator.waiting.find(awaited.waiting);
  if (receive == nullptr) return;
  if (message.outcome == ReceivedMessage::Outcome::cancelled) {
    communicator.waiting.remove(awaited.waiting);
  } else {
    int process = -1;
    const bool is_told = message.outcome == ReceivedMessage::Outcome::received &&
                         find_process(awaited.communicator, message.source, process) == Found::yes;
    if (!is_told) return lose_waiting(awaited.communicator, awaited.waiting, Unknown::wildcard);
    receive->pattern = {message.source, message.tag};
    receive->process = process;
  }
  let_go(awaited.communicator);
}

void Messages::received(const Placed& placed, const ReceivedMessage& message) {
  if (placed.state != Placed::State::unknown) return;
  HandleBits to_ask = 0;
  const Awaited awaited{.communicator = placed.communicator, .waiting = placed.waiting};
  const auto step = [&] {
    int process = -1;
    const Communicator& communicator = communicators_[placed.communicator];
    const bool is_unasked = to_ask == 0 && message.outcome == ReceivedMessage::Outcome::received &&
                            find_process(placed.communicator, message.source, process) == Found::ask_process;
    to_ask = is_unasked ? communicator.handle : 0;
    if (!is_unasked) resolve(awaited, message);
  };
  parts_.registry.beside(step);
  if (to_ask == 0) return;
  ask(to_ask, message.source);
  parts_.registry.beside(step);
}

void Messages::wait_for(const Placed& placed, const Holder& request) {
  if (placed.state != Placed::State::unknown) return;
  parts_.registry.beside([&] {
    by_request_.emplace(request.handle, Awaited{request.place, ++awaited_before_, placed.communicator, placed.waiting});
    awaited_.store(static_cast<std::uint32_t>(by_request_.size()), std::memory_order_relaxed);
  });
}

/// Of those that share a handle the one that the program keeps at that place; or else the oldest: the library gives a
/// handle anew when what it stood for is complete.
std::optional<Messages::Awaited> Messages::find_awaited(const Holder& request, std::uint64_t last) const {
  const auto [begin, end] = by_request_.equal_range(request.handle);
  std::optional<Awaited> oldest;
  for (auto each = begin; each != end; ++each) {
    if (each->second.number > last) continue;
    if (each->second.place == request.place) return each->second;
    if (!oldest || each->second.number < oldest->number) oldest = each->second;
  }
  return oldest;
}

bool Messages::awaits(const Holder& request) {
  bool is_awaited = false;
  parts_.registry.beside([&] { is_awaited = by_request_.contains(request.handle); });
  return is_awaited;
}

std::optional<Messages::Awaited> Messages::take_awaited(const Holder& request, std::uint64_t last) {
  const std::optional<Awaited> found = find_awaited(request, last);
  if (!found) return std::nullopt;
  const auto [begin, end] = by_request_.equal_range(request.handle);
  const auto is_it = [&](const auto& each) {
    return each.second.communicator == found->communicator && each.second.waiting == found->waiting;
  };
  by_request_.erase(std::find_if(begin, end, is_it));
  awaited_.store(static_cast<std::uint32_t>(by_request_.size()), std::memory_order_relaxed);
  return found;
}

std::uint64_t Messages::last_awaited() {
  std::uint64_t last = 0;
  parts_.registry.beside([&] { last = awaited_before_; });
  return last;
}

void Messages::completed(const Holder& request, const ReceivedMessage& message, std::uint64_t last) {
  std::optional<Awaited> awaited;
  parts_.registry.beside([&] { awaited = take_awaited(request, last); });
  if (!awaited) return;
  Placed placed{.state = Placed::State::unknown};
  placed.communicator = awaited->communicator;
  placed.waiting = awaited->waiting;
  received(placed, message);
}

void Messages::lost(const Holder& request, std::uint64_t last) {
  parts_.registry.beside([&] {
    const std::optional<Awaited> awaited = take_awaited(request, last);
    if (awaited) lose_waiting(awaited->communicator, awaited->waiting, Unknown::wildcard);
  });
}

/// Under the registry's lock.
void Messages::cancelling(const Holder& request, const PendingBuffers& pending) {
  const Buffer* const buffer = pending.buffer_of(request);
  if (is_stopped_ || by_request_.contains(request.handle)) return;
  std::uint32_t operation = IndexTable::none;
  if (buffer != nullptr) {
    operation = channels_.find({.number = buffer->number,
                                .predefined = buffer->predefined,
                                .elements = buffer->elements,
                                .called = buffer->called,
                                .site = buffer->site,
                                .parameter = buffer->parameter});
  }
  if (operation != IndexTable::none) {
    cancelled_.insert(operation);
    return;
  }
  // Messages without elements have no buffer.
  const std::vector<MessageOperation>& all = channels_.operations();
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (buffer != nullptr || !pending.are_few() || all[i].elements == 0) cancelled_.insert(i);
  }
}

void Messages::matched(const Matched& matched) {
  Message message;
  message.key = {.peer = matched.source, .tag = matched.tag, .direction = MessageDirection::receive};
  message.start.thread = this_thread();
  Found found = Found::no;
  const auto step = [&] {
    if (by_message_.contains(matched.message)) return;  // seen already, under the function's other name
    found = find(matched.communicator, message);
    if (found != Found::yes) return;
    Communicator& communicator = communicators_[message.key.communicator];
    const WaitingReceives::Id id = communicator.waiting.add(
        {.pattern = message.pattern(), .process = message.process, .operation = {}, .start = message.start});
    by_message_[matched.message] = {.communicator = message.key.communicator, .waiting = id};
  };
  parts_.registry.beside(step);
  if (found != Found::ask_process) return;
  ask(matched.communicator, matched.source);
  parts_.registry.beside(step);
}

/// The receive of a message that a probe has matched: its place waits for what it is.
Messages::Placed Messages::begin_matched(const UsingCall& call) {
  const UseRow& row = call.arguments.row;
  const auto* const address = reinterpret_cast<const void*>(call.arguments.words[row.message.matched]);
  if (address == nullptr) return {};
  const HandleBits handle = handle_in_memory(address, 0, options_.constants.handle_bytes);
  Placed placed;
  parts_.registry.beside([&] {
    const auto found = by_message_.find(handle);
    if (found == by_message_.end() || is_stopped_) return;
    const Awaited awaited = found->second;
    by_message_.erase(found);  // the library may give the handle to another message
    MessageOperation operation{.elements = elements_of(call.arguments, row.message.sides[0]), .called = call.called};
    operation.parameter = row.uses.first.parameter;
    if (!find_type(call.arguments.handle(row.uses.first.type, options_.constants), operation)) {
      return lose_waiting(awaited.communicator, awaited.waiting, Unknown::type);
    }
    if (channels_.are_full()) return lose_waiting(awaited.communicator, awaited.waiting, Unknown::memory);
    operation.site = types_.site_of(*call.stack);
    if (auto* const receive = communicators_[awaited.communicator].waiting.find(awaited.waiting)) {
      receive->operation = channels_.intern(operation);
    }
    let_go(awaited.communicator);
  });
  return placed;
}

void Messages::made(const UsingCall& call, HandleBits request) {
  const UseRow& row = call.arguments.row;
  std::optional<Message> message = message_of(call.arguments, row.message.sides[0]);
  if (!message || row.message.communicator < 0) return;
  const HandleBits communicator = call.arguments.handle(row.message.communicator, options_.constants);
  const HandleBits type = call.arguments.handle(row.uses.first.type, options_.constants);
  message->operation.called = call.called;
  Found found = Found::no;
  bool is_known = true;
  const auto step = [&] {
    persistent_.erase(request);
    is_known = find_type(type, message->operation);
    found = is_known ? find(communicator, *message) : Found::no;
    if (found != Found::yes) return;
    message->operation.site = types_.site_of(*call.stack);
    if (message->key.is_partitioned) {
      place(*message);
    } else {
      persistent_[request] = *message;
    }
  };
  parts_.registry.beside(step);
  if (!is_known) lose_side(call, 0, Unknown::type);
  if (found != Found::ask_process) return;
  ask(communicator, message->key.peer);
  parts_.registry.beside(step);
}

std::vector<Messages::Placed> Messages::start(const StartingCall& call) {
  std::vector<Placed> placed(call.requests.size());
  parts_.registry.beside([&] {
    if (is_stopped_) return;
    ++starting_calls_;
    const CallSiteId site = types_.site_of(*call.stack);
    for (std::size_t i = 0; i < placed.size(); ++i) {
      const auto found = persistent_.find(call.requests[i]);
      if (found == persistent_.end()) continue;
      Message message = found->second;
      message.operation.called = call.called;
      message.operation.site = site;
      message.start = {this_thread(), starting_calls_};
      placed[i] = place(message);
    }
  });
  return placed;
}

void Messages::starting_failed(const std::vector<Placed>& placed) {
  parts_.registry.beside([&] {
    for (std::size_t i = placed.size(); i-- > 0;) take_back(placed[i]);
  });
}

void Messages::request_moved(const MovedRequest& request) {
  parts_.registry.beside([&] { move_entry(persistent_, request); });
}

void Messages::request_freed(const Holder& request) {
  lost(request);
  parts_.registry.beside([&] { persistent_.erase(request.handle); });
}

/// What has not told its channel by now never does.
void Messages::give_up_waiting() {
  for (std::uint32_t i = 0; i < communicators_.size(); ++i) {
    while (const std::optional<WaitingReceives::Receive> oldest = communicators_[i].waiting.take_oldest_unknown()) {
      lose(i, oldest->pattern, Unknown::wildcard);
      let_go(i);
    }
  }
  by_request_.clear();
  by_message_.clear();
  awaited_.store(0, std::memory_order_relaxed);
}

}  // namespace ddtscope::plugin
