#include "plugin/windows/window_events.h"

namespace ddtscope::plugin {

std::size_t WindowEvents::Hash::operator()(const WindowEvent& event) const {
  std::uint64_t hash = static_cast<std::uint64_t>(event.kind);
  for (const std::uint64_t word :
       {static_cast<std::uint64_t>(event.asserts.set) << 33 | static_cast<std::uint64_t>(event.is_exclusive) << 32 |
            static_cast<std::uint32_t>(event.target),
        std::uint64_t{event.group} << 32 | event.site.value,
        std::uint64_t{reinterpret_cast<std::uintptr_t>(event.called)},
        std::uint64_t{event.definition.value} << 32 | event.predefined.value, event.elements,
        static_cast<std::uint64_t>(event.displacement), static_cast<std::uint64_t>(event.step), event.times}) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

std::uint32_t WindowEvents::intern(const WindowEvent& event) {
  const auto [found, is_new] = numbers_.try_emplace(event, static_cast<std::uint32_t>(all_.size()));
  if (is_new) {
    all_.push_back(event);
    bytes_ += bytes_of_event;
  }
  return found->second;
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
