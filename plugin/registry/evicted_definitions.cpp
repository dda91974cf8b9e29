#include "plugin/registry/evicted_definitions.h"

#include <algorithm>
#include <bit>

namespace ddtscope::plugin {

EvictedDefinitions::EvictedDefinitions(std::uint64_t& published, std::size_t bytes)
    : table_(published, trace::DebugTableKind::evicted,
             std::bit_floor(std::clamp(bytes, least_bytes, most_bytes)) / sizeof(trace::DebugEvicted)),
      records_(reinterpret_cast<RecordNumber*>(map_memory(table_.capacity() * sizeof(RecordNumber)))) {}

EvictedDefinitions::~EvictedDefinitions() { unmap_memory(records_, table_.capacity() * sizeof(RecordNumber)); }

RecordNumber EvictedDefinitions::add(const trace::DebugEvicted& entry, RecordNumber records) {
  RecordNumber forgotten = RecordNumber::none;
  if (table_.used() == most_entries()) {
    // Taken in turn, they would leave the table empty in one part and crowded in another.
    std::size_t any = (entry.key >> 32 ^ forgotten_) & mask();
    while (table_[any].key == 0) any = (any + 1) & mask();
    forgotten = records_[any];
    remove(any);
    ++forgotten_;
  }
  std::size_t at = entry.key & mask();
  while (table_[at].key != 0) at = (at + 1) & mask();
  table_[at] = entry;
  records_[at] = records;
  table_.set_used(table_.used() + 1);
  return forgotten;
}

std::optional<EvictedDefinitions::Found> EvictedDefinitions::take(Key key, std::uint32_t check) {
  for (std::size_t at = key & mask(); table_[at].key != 0; at = (at + 1) & mask()) {
    if (table_[at].key != key || table_[at].check != check) continue;
    const Found found{{table_[at].line}, records_[at]};
    remove(at);
    return found;
  }
  return std::nullopt;
}

void EvictedDefinitions::remove(std::size_t index) {
  // What stands behind moves up, where its home is not beyond the gap.
  std::size_t gap = index;
  for (std::size_t i = (gap + 1) & mask(); table_[i].key != 0; i = (i + 1) & mask()) {
    if (((i - table_[i].key) & mask()) < ((i - gap) & mask())) continue;
    table_[gap] = table_[i];
    records_[gap] = records_[i];
    gap = i;
  }
  table_[gap] = {};
  table_.set_used(table_.used() - 1);
}

}  // namespace ddtscope::plugin
