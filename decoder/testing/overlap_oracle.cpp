// Bytes and copies, counted.
#include "decoder/testing/overlap_oracle.h"

#include <algorithm>
#include <cstdlib>

namespace ddtscope::test {

OracleBytes::OracleBytes(const OracleTypemap& entries) {
  std::int64_t end = 0;
  for (const OracleEntry& entry : entries) {
    first_ = std::min(first_, entry.displacement);
    end = std::max(end, entry.displacement + entry.size);
  }
  times_.resize(static_cast<std::size_t>(end - first_));
  for (const OracleEntry& entry : entries) {
    for (std::int64_t i = 0; i < entry.size; ++i) ++times_[static_cast<std::size_t>(entry.displacement + i - first_)];
  }
}

std::int64_t OracleBytes::covered() const {
  return std::count_if(times_.begin(), times_.end(), [](int times) { return times > 0; });
}

int OracleBytes::times(std::int64_t byte) const {
  const std::int64_t i = byte - first_;
  return i < 0 || i >= span() ? 0 : times_[static_cast<std::size_t>(i)];
}

bool OracleBytes::overlap_within() const {
  return std::any_of(times_.begin(), times_.end(), [](int times) { return times > 1; });
}

std::int64_t OracleBytes::first_overlapping_copy(std::int64_t extent) const {
  for (std::int64_t copy = 1; copy == 1 || (extent != 0 && copy * std::abs(extent) < span()); ++copy) {
    for (std::int64_t byte = first_; byte < first_ + span(); ++byte) {
      if (times(byte) > 0 && times(byte - copy * extent) > 0) return copy;
    }
  }
  return 0;
}

bool OracleBytes::overlap_of_count(std::int64_t extent, std::int64_t count) const {
  if (count <= 0) return false;
  std::vector<int> all(static_cast<std::size_t>(span() + (count - 1) * std::abs(extent)));
  for (std::int64_t copy = 0; copy < count; ++copy) {
    const auto begin = static_cast<std::size_t>(std::abs(extent) * (extent < 0 ? count - 1 - copy : copy));
    for (std::size_t i = 0; i < times_.size(); ++i) {
      if ((all[begin + i] += times_[i]) > 1) return true;
    }
  }
  return false;
}

}  // namespace ddtscope::test
