// A set of ranks, as small as it is regular.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ddtscope {

using RankRange = std::pair<std::int64_t, std::int64_t>;  // first, last

/// Ranks as ascending [first, last] ranges.
class RankRanges {
 public:
  /// Ranks come in ascending order.
  void add(std::int64_t rank) { add(rank, rank); }
  void add(std::int64_t first, std::int64_t last) {
    if (!ranges_.empty() && first <= ranges_.back().second) first = ranges_.back().second + 1;
    if (first > last) return;
    if (!ranges_.empty() && ranges_.back().second + 1 == first) {
      ranges_.back().second = last;
    } else {
      ranges_.emplace_back(first, last);
    }
  }
  const std::vector<RankRange>& ranges() const { return ranges_; }
  bool empty() const { return ranges_.empty(); }

 private:
  std::vector<RankRange> ranges_;
};

}  // namespace ddtscope
