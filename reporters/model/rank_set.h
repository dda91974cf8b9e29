// Ranks of which it is asked whether they hold one.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "reporters/model/job.h"
#include "reporters/trace/format/rank_ranges.h"

namespace ddtscope::reporters {

class RankSet {
 public:
  void add(const RankRanges& ranks) {
    ranges_.insert(ranges_.end(), ranks.ranges().begin(), ranks.ranges().end());
    is_sorted_ = false;
  }
  bool contains(Rank rank) {
    if (!is_sorted_) sort();
    const auto behind = std::upper_bound(ranges_.begin(), ranges_.end(), rank, [](Rank wanted, const RankRange& range) {
      return wanted < Rank{range.world, range.first};
    });
    if (behind == ranges_.begin()) return false;
    const RankRange& range = *(behind - 1);
    return range.world == rank.world && rank.number <= range.last;
  }
  /// Whether all of these are in it.
  bool contains_all(const RankRange& wanted) {
    if (!is_sorted_) sort();
    const auto behind = std::upper_bound(ranges_.begin(), ranges_.end(), Rank{wanted.world, wanted.first},
                                         [](Rank first, const RankRange& range) {
                                           return first < Rank{range.world, range.first};
                                         });
    if (behind == ranges_.begin()) return false;
    const RankRange& range = *(behind - 1);
    return range.world == wanted.world && wanted.last <= range.last;
  }

 private:
  void sort() {
    const RankRanges joined = joined_ranks(std::move(ranges_));
    ranges_.assign(joined.ranges().begin(), joined.ranges().end());
    is_sorted_ = true;
  }

  std::vector<RankRange> ranges_;
  bool is_sorted_ = true;
};

}  // namespace ddtscope::reporters
