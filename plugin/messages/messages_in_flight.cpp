// What others see of messages and collective operations that are under way (plugin/in_flight).
#include <utility>

#include "plugin/messages/messages.h"

namespace ddtscope::plugin {
namespace {

constexpr std::uint32_t none = trace::pending_none;

std::uint32_t number_of(PredefinedCommunicator predefined) {
  switch (predefined) {
    case PredefinedCommunicator::world:
      return 1;
    case PredefinedCommunicator::self:
      return 2;
    case PredefinedCommunicator::none:
      break;
  }
  return 0;
}

}  // namespace

std::uint32_t Messages::show_channel(const ChannelKey& key, int process, trace::PendingDirection direction) {
  if (parts_.in_flight == nullptr) return none;
  const Communicator& communicator = communicators_[key.communicator];
  trace::PendingChannel channel{};
  channel.predefined = number_of(communicator.predefined);
  if (channel.predefined == 0) channel.communicator = communicator.name.value;
  channel.direction = static_cast<std::uint32_t>(direction);
  channel.peer = process;
  channel.tag = key.tag;
  channel.flags = key.is_partitioned ? trace::PendingChannel::is_partitioned : 0;
  return parts_.in_flight->add_channel(channel);
}

/// The channels that a receive without source or tag would take its message from, or whose place is not known yet, as
/// one.
std::uint32_t Messages::pattern_in_flight(const Message& message, trace::PendingDirection direction) {
  if (parts_.in_flight == nullptr) return none;
  ChannelKey key = message.key;
  if (message.has_any_source) key.peer = trace::pending_any;
  if (message.has_any_tag) key.tag = trace::pending_any;
  if (const auto found = patterns_in_flight_.find({key, direction}); found != patterns_in_flight_.end()) {
    return found->second;
  }
  const int process = message.has_any_source ? trace::pending_any : message.process;
  const std::uint32_t number = show_channel(key, process, direction);
  trace::PendingChannel* const shown = parts_.in_flight->channel(number);
  if (shown == nullptr) return none;  // nor is it kept: there may be one for each tag
  std::atomic_ref(shown->flags).fetch_or(trace::PendingChannel::is_pattern);
  patterns_in_flight_.emplace(std::pair(key, direction), number);
  return number;
}

/// Nobody knows what these channels have got.
void Messages::show_lost(std::uint32_t communicator, const ReceivePattern& pattern) {
  if (parts_.in_flight == nullptr) return;
  Message message;
  message.key = {.communicator = communicator, .direction = MessageDirection::receive};
  // Of a source that is given only its rank in the communicator is known: it is taken for any.
  message.has_any_source = true;
  message.has_any_tag = !pattern.tag;
  if (pattern.tag) message.key.tag = *pattern.tag;
  trace::PendingChannel* const shown =
      parts_.in_flight->channel(pattern_in_flight(message, trace::PendingDirection::receive));
  if (shown != nullptr) std::atomic_ref(shown->flags).fetch_or(trace::PendingChannel::is_unknown);
}

std::uint32_t Messages::operation_in_flight(std::uint32_t number) {
  if (parts_.in_flight == nullptr) return none;
  for (std::size_t i = operations_in_flight_.size(); i <= number; ++i) {
    const MessageOperation& operation = channels_.operations()[i];
    const TypeInUse type{operation.number, operation.predefined, TypeInUse::State::known};
    operations_in_flight_.push_back(
        parts_.in_flight->add_operation({.called = operation.called,
                                         .site = operation.site,
                                         .definition = operation.number.value,
                                         .predefined = types_.place_in_trace(type).value,
                                         .parameter = static_cast<std::uint32_t>(operation.parameter),
                                         .elements = operation.elements}));
  }
  return operations_in_flight_[number];
}

/// One that is on no channel: that it is under way is known, not for what it waits.
PlaceInFlight Messages::call_in_flight(const EntryPoint& called, CallSiteId site) {
  PlaceInFlight place;
  if (parts_.in_flight != nullptr && !is_stopped_) place.operation = parts_.in_flight->operation_of(called, site);
  return place;
}

PlaceInFlight Messages::begin_collective(const UsingCall& call) {
  PlaceInFlight place = call_in_flight(*call.called, types_.site_of(*call.stack));
  if (parts_.in_flight == nullptr || is_stopped_) return place;
  const HandleBits handle = call.arguments.handle(call.arguments.row.collective.communicator, options_.constants);
  const std::uint32_t number = communicator_of(handle);
  if (number == no_communicator) return place;
  Communicator& communicator = communicators_[number];
  if (communicator.collectives == none) {
    communicator.collectives = show_channel({.communicator = number}, 0, trace::PendingDirection::collective);
  }
  trace::PendingChannel* const shown = parts_.in_flight->channel(communicator.collectives);
  if (shown == nullptr) return place;
  place.channel = communicator.collectives;
  place.place = std::atomic_ref(shown->started).fetch_add(1);
  return place;
}

void Messages::collective_failed(const PlaceInFlight& place) {
  trace::PendingChannel* const shown = parts_.in_flight != nullptr ? parts_.in_flight->channel(place.channel) : nullptr;
  // Nobody can say whether the others have made the call.
  if (shown != nullptr) std::atomic_ref(shown->flags).fetch_or(trace::PendingChannel::is_unknown);
}

PlaceInFlight Messages::begin_probe(const Matched& probe, const EntryPoint& called, CallSiteId site) {
  Message message;
  message.key = {.peer = probe.source, .tag = probe.tag, .direction = MessageDirection::receive};
  message.has_any_source = probe.source == options_.any_source;
  message.has_any_tag = probe.tag == options_.any_tag;
  PlaceInFlight place;
  if (parts_.in_flight == nullptr || probe.source == options_.constants.null_process) return place;
  Found found = Found::no;
  const auto step = [&] {
    message.key.communicator = communicator_of(probe.communicator);
    if (message.key.communicator == no_communicator) place = call_in_flight(called, site);
    if (is_stopped_ || message.key.communicator == no_communicator) return;
    found =
        message.has_any_source ? Found::yes : find_process(message.key.communicator, message.key.peer, message.process);
    if (found != Found::yes) return;
    place = {pattern_in_flight(message, trace::PendingDirection::probe), parts_.in_flight->operation_of(called, site)};
    // It is for the next message that a receive would take.
    const Channel* const channel = message.is_wildcard() ? nullptr : channels_.find(message.key);
    if (!message.is_wildcard()) place.place = channel != nullptr ? channel->size() : 0;
  };
  parts_.registry.beside(step);
  if (found != Found::ask_process) return place;
  ask(probe.communicator, probe.source);
  parts_.registry.beside(step);
  return place;
}

}  // namespace ddtscope::plugin
