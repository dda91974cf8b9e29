// A set of ranks, as small as it is regular.
#pragma once

#include <cstdint>
#include <vector>

#include "reporters/trace/rank.h"

namespace ddtscope {

/// Ranks of one world that follow each other.
struct RankRange {
  std::int64_t first = 0, last = 0;
  WorldNumber world;
  friend constexpr bool operator==(const RankRange&, const RankRange&) = default;
};

/// Ranks as ascending ranges.
class RankRanges {
 public:
  void add(Rank rank) { add(RankRange{rank.number, rank.number, rank.world}); }
  /// Ranges come in ascending order: what is below those that came before is left out.
  void add(RankRange range) {
    if (range.first > range.last) return;
    if (!ranges_.empty() && Rank{range.world, range.last} <= Rank{ranges_.back().world, ranges_.back().last}) return;
    const bool goes_on = !ranges_.empty() && range.world == ranges_.back().world;
    if (goes_on && range.first <= ranges_.back().last) range.first = ranges_.back().last + 1;
    if (goes_on && ranges_.back().last + 1 == range.first) {
      ranges_.back().last = range.last;
    } else {
      ranges_.push_back(range);
    }
  }
  const std::vector<RankRange>& ranges() const { return ranges_; }
  bool empty() const { return ranges_.empty(); }

 private:
  std::vector<RankRange> ranges_;
};

}  // namespace ddtscope
