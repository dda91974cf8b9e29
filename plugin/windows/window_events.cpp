#include "plugin/windows/window_events.h"

#include "decoder/base/hash_of_words.h"

namespace ddtscope::plugin {

std::uint64_t WindowEvents::Hash::operator()(const WindowEvent& event) const {
  return HashOfWords(static_cast<std::uint64_t>(event.kind))
      .add(static_cast<std::uint64_t>(event.asserts.set) << 33 | static_cast<std::uint64_t>(event.is_exclusive) << 32 |
           static_cast<std::uint32_t>(event.target))
      .add(std::uint64_t{event.group} << 32 | event.site.value)
      .add(event.called)
      .add(std::uint64_t{event.definition.value} << 32 | event.predefined.value)
      .add(event.elements)
      .add(static_cast<std::uint64_t>(event.displacement))
      .add(static_cast<std::uint64_t>(event.step))
      .add(event.times)
      .add(std::uint64_t{event.ordering.set})
      .value();
}

std::uint32_t WindowEvents::intern(const WindowEvent& event) {
  const auto [number, is_new] = all_.intern(event);
  if (is_new) bytes_ += all_.bytes_of_one;
  return number;
}

std::uint32_t WindowEvents::intern(const std::vector<int>& group) {
  const auto [found, is_new] = group_numbers_.try_emplace(group, static_cast<std::uint32_t>(groups_.size()));
  if (is_new) {
    groups_.push_back(&found->first);
    bytes_ += group.size() * sizeof(int) + bytes_of_group;
  }
  return found->second;
}

}  // namespace ddtscope::plugin
