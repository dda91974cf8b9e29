#include "plugin/messages/channels.h"

namespace ddtscope::plugin {

thread_local constinit char own_thread = 0;

std::string_view word_of(Unknown why) {
  switch (why) {
    case Unknown::none:
      break;
    case Unknown::wildcard:
      return "wildcard";
    case Unknown::memory:
      return "memory";
    case Unknown::switched_off:
      return "switched off";
    case Unknown::cancel:
      return "cancel";
    case Unknown::failed:
      return "failed";
    case Unknown::type:
      return "type";
    case Unknown::target:
      return "target";
  }
  return {};
}

Channel& Channels::add(const ChannelKey& key, const Channel::End& end) {
  constexpr std::ptrdiff_t bytes_of_one = sizeof(Channel) - sizeof(FoldedSequence) + IndexTable::bytes_per_number;
  const auto number = static_cast<std::uint32_t>(all_.size());
  Channel& channel = all_.emplace_back(key, end, symbols_);
  by_key_.insert(key.hash(), number);
  symbols_.count_bytes(bytes_of_one);
  return channel;
}

std::uint32_t Channels::intern(const MessageOperation& operation) {
  const auto [number, is_new] = operations_.intern(operation);
  if (is_new) symbols_.count_bytes(MessageOperations::bytes_of_one);
  return number;
}

}  // namespace ddtscope::plugin
