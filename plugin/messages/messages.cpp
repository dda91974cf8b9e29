#include "plugin/messages/messages.h"

#include <algorithm>
#include <utility>

namespace ddtscope::plugin {
namespace {

constexpr std::string_view without_name = "communicator without a name";
constexpr std::string_view of_other_world = "process of another world";

}  // namespace

Messages::Messages(const Options& options, const Parts& parts)
    : options_(options), parts_(parts), types_(parts.registry.types_in_use()), channels_(options.most_bytes) {}

/// None where no message goes to or comes from anybody.
std::optional<Messages::Message> Messages::message_of(const UseCall& call, const MessageSide& side) const {
  if (side.direction == MessageDirection::none || side.peer < 0) return std::nullopt;
  const int peer = call.integer(side.peer);
  if (peer == options_.constants.null_process) return std::nullopt;
  Message message;
  message.key = {.communicator = no_communicator,
                 .peer = peer,
                 .tag = call.integer(side.tag),
                 .direction = side.direction,
                 .is_partitioned = call.row.uses.partitions >= 0};
  if (side.direction == MessageDirection::receive) {
    message.has_any_source = peer == options_.any_source;
    message.has_any_tag = message.key.tag == options_.any_tag;
  }
  message.operation.elements = elements_of(call, side);
  message.operation.parameter = call.row.uses.all()[side.use]->parameter;
  message.start.thread = this_thread();
  return message;
}

std::uint64_t Messages::elements_of(const UseCall& call, const MessageSide& side) const {
  const std::uint64_t count = call.count(call.row.uses.all()[side.use]->count);
  if (call.row.uses.partitions < 0) return count;
  const int partitions = call.integer(call.row.uses.partitions);
  std::uint64_t elements = 0;
  const bool fits = !__builtin_mul_overflow(count, static_cast<std::uint64_t>(std::max(partitions, 0)), &elements);
  return fits ? elements : UINT64_MAX;
}

/// False where nobody knows yet which type it is.
bool Messages::find_type(HandleBits handle, MessageOperation& operation) {
  const TypeInUse type = types_.find(handle);
  if (type.state != TypeInUse::State::known) return operation.elements == 0;
  operation.number = type.number;
  operation.predefined = type.predefined;
  return true;
}

/// None where it has no name, or no line.
std::uint32_t Messages::communicator_of(HandleBits handle) {
  if (last_communicator_ != no_communicator && last_handle_ == handle) return last_communicator_;
  const auto found = communicator_by_handle_.find(handle);
  if (found != communicator_by_handle_.end()) {
    last_handle_ = handle;
    return last_communicator_ = found->second;
  }
  auto predefined = PredefinedCommunicator::none;
  if (handle == options_.world) predefined = PredefinedCommunicator::world;
  if (handle == options_.self) predefined = PredefinedCommunicator::self;
  const CommunicatorNumber line = parts_.communicators.line_of(handle);
  if (predefined == PredefinedCommunicator::none && !line.valid()) return no_communicator;
  Communicator& communicator = communicators_.emplace_back();
  communicator.handle = handle;
  communicator.predefined = predefined;
  communicator.line = line;
  communicator.name = parts_.communicators.name_of(handle);
  const auto number = static_cast<std::uint32_t>(communicators_.size() - 1);
  communicator_by_handle_[handle] = number;
  return number;
}

Messages::Found Messages::find_process(std::uint32_t number, int peer, int& process) {
  const Communicator& communicator = communicators_[number];
  process = communicator.predefined == PredefinedCommunicator::self ? options_.rank : peer;
  if (communicator.predefined != PredefinedCommunicator::none) return Found::yes;
  const auto found = communicator.processes.find(peer);
  if (found == communicator.processes.end()) return communicator.is_freed ? Found::no : Found::ask_process;
  process = found->second;
  return process >= 0 ? Found::yes : Found::no;
}

/// Completes what the message's channel is known by.
Messages::Found Messages::find(HandleBits handle, Message& message) {
  if (is_stopped_) return Found::no;
  message.key.communicator = communicator_of(handle);
  if (message.key.communicator == no_communicator) {
    leave_out(parts_.communicators.name_of(handle) ? word_of(Unknown::memory) : without_name);
    return Found::no;
  }
  if (!communicators_[message.key.communicator].is_asked) return Found::ask_process;
  if (message.has_any_source) return Found::yes;
  const Found found = find_process(message.key.communicator, message.key.peer, message.process);
  if (found == Found::no) leave_out(of_other_world);
  return found;
}

void Messages::ask(HandleBits handle, int peer) {
  bool is_known = false;
  bool is_asked = false;
  bool has_processes = false;
  parts_.registry.beside([&] {
    const std::uint32_t number = communicator_of(handle);
    is_known = number != no_communicator;
    if (!is_known) return;
    is_asked = communicators_[number].is_asked;
    has_processes = communicators_[number].predefined == PredefinedCommunicator::none;
  });
  if (!is_known) return;
  const bool allows_overtaking = !is_asked && parts_.library.allows_overtaking(handle);
  const int process = has_processes && peer >= 0 ? parts_.library.process_of(handle, peer) : -1;
  parts_.registry.beside([&] {
    const std::uint32_t number = communicator_of(handle);
    if (number == no_communicator) return;
    Communicator& communicator = communicators_[number];
    communicator.is_asked = true;
    if (!is_asked) communicator.allows_overtaking = allows_overtaking;
    if (has_processes && peer >= 0) communicator.processes.emplace(peer, process);
  });
}

void Messages::communicator_info_set(HandleBits handle) {
  const bool allows_overtaking = parts_.library.allows_overtaking(handle);
  parts_.registry.beside([&] {
    const auto found = communicator_by_handle_.find(handle);
    if (found == communicator_by_handle_.end()) return;  // it is asked for when it is met
    communicators_[found->second].allows_overtaking = allows_overtaking;
    for (Channel& channel : channels_.all()) {
      if (allows_overtaking && channel.key().communicator == found->second) channel.become_unordered();
    }
  });
}

/// None where there is no memory for it.
Channel* Messages::channel_of(const ChannelKey& key, int process) {
  Channel* channel = channels_.find(key);
  if (channels_.are_full()) {
    if (!std::exchange(are_full_, true)) forget_recent();
    if (channel != nullptr) channel->lose(Unknown::memory);
    if (channel == nullptr) leave_out(word_of(Unknown::memory)), others_ = Unknown::memory;
    if (channel == nullptr && parts_.in_flight != nullptr) parts_.in_flight->leave_out_channel();
    return channel;
  }
  if (channel != nullptr) return channel;
  const Communicator& communicator = communicators_[key.communicator];
  const bool is_received = key.direction == MessageDirection::receive;
  const std::uint32_t shown =
      show_channel(key, process, is_received ? trace::PendingDirection::receive : trace::PendingDirection::send);
  trace::PendingChannel* const in_flight = parts_.in_flight != nullptr ? parts_.in_flight->channel(shown) : nullptr;
  channel = &channels_.add(key, {process, is_received ? &communicator.waiting : nullptr, in_flight, shown});
  if (communicator.allows_overtaking) channel->become_unordered();
  for (const ReceivePattern& lost : communicator.lost) {
    if (is_received && !key.is_partitioned && lost.covers({key.peer, key.tag})) channel->lose(Unknown::wildcard);
  }
  return channel;
}

bool Messages::remember_operation(RecentMessage& recent, UsingCall call, PlainUse plain, const void* counted) {
  MessageOperation operation{.elements = plain.elements,
                             .called = call.called,
                             .site = plain.site,
                             .parameter = call.arguments.row.uses.first.parameter};
  if (is_stopped_ || !find_type(plain.type, operation)) return false;
  const std::uint32_t number = channels_.intern(operation);
  recent = {.counted = counted,
            .elements = plain.elements,
            .site = plain.site,
            .operation = number,
            .operation_in_flight = operation_in_flight(number)};
  return true;
}

Channel* Messages::channel_at_once(HandleBits handle, const ChannelKey& wanted) {
  if (is_stopped_) return nullptr;
  ChannelKey key = wanted;
  key.communicator = communicator_of(handle);
  if (key.communicator == no_communicator) return nullptr;
  const Communicator& communicator = communicators_[key.communicator];
  if (!communicator.is_asked) return nullptr;
  if (key.direction == MessageDirection::receive) {
    const bool is_wildcard = key.peer == options_.any_source || key.tag == options_.any_tag;
    if (is_wildcard || !communicator.waiting.empty()) return nullptr;
  }
  Channel* channel = channels_.find(key);
  if (channel == nullptr) {
    int process = -1;
    if (find_process(key.communicator, key.peer, process) != Found::yes) return nullptr;
    channel = channel_of(key, process);
  }
  return channel != nullptr && channel->unknown() == Unknown::none ? channel : nullptr;
}

Messages::Placed Messages::place_in_channel(const Message& message, std::uint32_t operation) {
  Channel* const channel = channel_of(message.key, message.process);
  if (channel == nullptr || channel->unknown() != Unknown::none) return {};
  Placed placed{.state = Placed::State::in_channel, .operation = operation, .channel = channel};
  placed.place = channel->size();
  channel->append(operation, message.start);
  placed.in_flight = {channel->number_in_flight(), operation_in_flight(operation), placed.place};
  return placed;
}

Messages::Placed Messages::place(const Message& message) {
  if (channels_.are_full()) {
    if (message.is_wildcard()) {
      lose(message.key.communicator, message.pattern(), Unknown::memory);
    } else {
      channel_of(message.key, message.process);  // which is lost
    }
    return {};
  }
  const std::uint32_t operation = channels_.intern(message.operation);
  const bool may_wait = message.key.direction == MessageDirection::receive && !message.key.is_partitioned;
  if (may_wait &&
      (message.is_wildcard() || communicators_[message.key.communicator].waiting.must_wait(message.pattern()))) {
    return let_wait(message, operation);
  }
  return place_in_channel(message, operation);
}

void Messages::remember(const UsingCall& call, const PlainUse& plain, const Placed& placed) {
  const UseRow& row = call.arguments.row;
  if (!row.has_one_plain_buffer || plain.key == 0 || placed.state != Placed::State::in_channel) return;
  const void* const counted = parts_.uses.recent_record(call.called, plain);
  if (counted == nullptr || placed.channel->unknown() != Unknown::none) return;
  recent_message(counted, plain.elements) = {
      .counted = counted,
      .elements = plain.elements,
      .site = plain.site,
      .operation = placed.operation,
      .operation_in_flight = placed.in_flight.operation,
      .communicator = call.arguments.handle(row.message.communicator, options_.constants),
      .peer_and_tag = peer_and_tag_of(row, call.arguments),
      .thread = this_thread(),
      .channel = placed.channel};
}

Messages::Placed Messages::begin_side(const UsingCall& call, const PlainUse& plain, std::size_t which) {
  const UseRow& row = call.arguments.row;
  const MessageSide& side = row.message.sides[which];
  std::optional<Message> message = message_of(call.arguments, side);
  if (!message) return {};
  const HandleBits communicator = call.arguments.handle(row.message.communicator, options_.constants);
  const HandleBits type = call.arguments.handle(row.uses.all()[side.use]->type, options_.constants);
  message->operation.called = call.called;
  Placed placed;
  Found found = Found::no;
  const auto step = [&] {
    if (!find_type(type, message->operation)) {
      placed.state = Placed::State::left;
      return;
    }
    found = find(communicator, *message);
    if (found == Found::no) placed.in_flight = call_in_flight(*call.called, types_.site_of(*call.stack));
    if (found != Found::yes) return;
    message->operation.site = types_.site_of(*call.stack);
    placed = place(*message);
    remember(call, plain, placed);
  };
  parts_.registry.beside(step);
  if (found != Found::ask_process) return placed;
  ask(communicator, message->key.peer);
  parts_.registry.beside(step);
  return placed;
}

Messages::Begun Messages::begin(const UsingCall& call, const PlainUse& plain) {
  Begun begun;
  const UseRow& row = call.arguments.row;
  places_in_flight = {};
  if (row.uses.request >= 0) return begun;
  if (row.message.matched >= 0) {
    begun[0] = begin_matched(call);
    return begun;
  }
  for (std::size_t i = 0; i < begun.size(); ++i) begun[i] = begin_side(call, plain, i);
  const bool is_second_alone = begun[0].in_flight.operation == trace::pending_none;
  places_in_flight = {begun[is_second_alone ? 1 : 0].in_flight, is_second_alone ? PlaceInFlight() : begun[1].in_flight};
  return begun;
}

void Messages::end(const UsingCall& call, Begun& begun) {
  for (std::size_t i = 0; i < begun.size(); ++i) {
    if (begun[i].state != Placed::State::left) continue;
    begun[i] = begin_side(call, {}, i);
    if (begun[i].state != Placed::State::left) continue;
    lose_side(call, i, Unknown::type);
    begun[i] = {};
  }
}

/// Nobody will say what there was of it, or whether there was.
void Messages::lose_side(const UsingCall& call, std::size_t which, Unknown why, std::optional<std::uint64_t> from) {
  const UseRow& row = call.arguments.row;
  std::optional<Message> message = message_of(call.arguments, row.message.sides[which]);
  if (!message || row.message.communicator < 0) return;
  const HandleBits communicator = call.arguments.handle(row.message.communicator, options_.constants);
  ask(communicator, message->key.peer);
  parts_.registry.beside([&] {
    if (find(communicator, *message) == Found::no) return;
    const std::uint32_t number = message->key.communicator;
    if (message->is_wildcard()) return lose(number, message->pattern(), why);
    Channel* const channel = message->process >= 0 ? channel_of(message->key, message->process) : nullptr;
    if (channel != nullptr) channel->lose(channel->is_unordered() ? 0 : from.value_or(channel->size()), why);
    forget_recent();
  });
}

void Messages::take_back(const Placed& placed) {
  switch (placed.state) {
    case Placed::State::in_channel:
      placed.channel->take_back(placed.operation, placed.place, Unknown::failed);
      if (placed.channel->unknown() != Unknown::none) forget_recent();
      break;
    case Placed::State::waits:
    case Placed::State::unknown:
      communicators_[placed.communicator].waiting.remove(placed.waiting);
      let_go(placed.communicator);
      break;
    case Placed::State::nowhere:
    case Placed::State::left:
      break;
  }
}

void Messages::failed(const Begun& begun) {
  parts_.registry.beside([&] {
    for (const Placed& placed : begun) take_back(placed);
  });
}

void Messages::failed_again(const UsingCall& call, const PlainUse& plain) {
  bool is_taken_back = false;
  parts_.registry.beside([&] {
    const UseRow& row = call.arguments.row;
    const void* const counted = parts_.uses.recent_record(call.called, plain);
    const std::uint64_t peer_and_tag = peer_and_tag_of(row, call.arguments);
    const RecentMessage recent = recent_message(counted, plain.elements);
    const HandleBits communicator = call.arguments.handle(row.message.communicator, options_.constants);
    // Another call may have taken the slot meanwhile.
    const bool is_it = counted != nullptr && recent.counted == counted && recent.elements == plain.elements &&
                       recent.is_on(communicator, peer_and_tag);
    if (!is_it) return;
    Placed placed{.state = Placed::State::in_channel, .operation = recent.operation, .channel = recent.channel};
    placed.place = std::max<std::uint64_t>(recent.channel->size(), 1) - 1;
    take_back(placed);
    is_taken_back = true;
  });
  if (!is_taken_back) lose_side(call, 0, Unknown::failed, places_in_flight[0].place);
}

void Messages::communicator_freed(HandleBits handle) {
  parts_.registry.beside([&] {
    const auto found = communicator_by_handle_.find(handle);
    if (found == communicator_by_handle_.end()) return;
    communicators_[found->second].is_freed = true;
    communicator_by_handle_.erase(found);
    last_communicator_ = no_communicator;
    for (RecentMessage& recent : recent_) {
      if (recent.communicator == handle) recent = {};
    }
  });
}

void Messages::stop(Unknown why) {
  if (is_stopped_) return;
  is_stopped_ = true;
  give_up_waiting();
  channels_.lose_those([](const Channel&) { return true; }, why);
  others_ = why;
  forget_recent();
}

}  // namespace ddtscope::plugin
