#include "plugin/windows/attached_memory.h"

#include <algorithm>

namespace ddtscope::plugin {

void AttachedMemory::add(const AttachedRange& range) {
  std::int64_t end;
  if (is_lost_ || range.bytes <= 0 || __builtin_add_overflow(range.address, range.bytes, &end)) return;
  if (!ranges_.empty() && ranges_.back() == range) return;
  ranges_.push_back(range);
  if (ranges_.size() >= 2 * most) join();
}

void AttachedMemory::join() {
  std::sort(ranges_.begin(), ranges_.end());
  std::size_t size = 0;
  for (const AttachedRange& range : ranges_) {
    if (size != 0 && range.address <= ranges_[size - 1].address + ranges_[size - 1].bytes) {
      AttachedRange& before = ranges_[size - 1];
      before.bytes = std::max(before.address + before.bytes, range.address + range.bytes) - before.address;
    } else {
      ranges_[size++] = range;
    }
  }
  ranges_.resize(size);
  if (size <= most) return;
  is_lost_ = true;
  ranges_.clear();
}

std::span<const AttachedRange> AttachedMemory::ranges() {
  join();
  return ranges_;
}

}  // namespace ddtscope::plugin
