#include "plugin/evicted_definitions.h"

#include <algorithm>
#include <bit>

namespace ddtscope::plugin {

EvictedDefinitions::EvictedDefinitions(std::uint64_t& published, std::size_t bytes)
    : table_(published, trace::DebugTableKind::evicted,
             std::bit_floor(std::clamp(bytes, least_bytes, most_bytes)) / sizeof(trace::DebugEvicted)) {}

void EvictedDefinitions::add(const trace::DebugEvicted& entry) {
  // The youngest stands first.
  trace::DebugEvicted* const group = group_of(entry.key);
  trace::DebugEvicted* const end = group + group_length;
  trace::DebugEvicted* const free = std::find_if(group, end, [](const auto& other) { return other.key == 0; });
  if (free == end) {
    ++forgotten_;
    std::move_backward(group, end - 1, end);
  } else {
    table_.set_used(table_.used() + 1);
    std::move_backward(group, free, free + 1);
  }
  *group = entry;
}

std::optional<trace::LineId> EvictedDefinitions::take(Key key, std::uint32_t check) {
  trace::DebugEvicted* const group = group_of(key);
  trace::DebugEvicted* const end = group + group_length;
  trace::DebugEvicted* const found =
      std::find_if(group, end, [&](const auto& entry) { return entry.key == key && entry.check == check; });
  if (found == end) return std::nullopt;
  const trace::LineId number = found->line;
  std::move(found + 1, end, found);
  end[-1] = {};
  table_.set_used(table_.used() - 1);
  return number;
}

}  // namespace ddtscope::plugin
