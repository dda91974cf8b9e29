// Ranks of which it is asked whether they hold one.
#pragma once

#include <utility>
#include <vector>

#include "reporters/model/job.h"
#include "reporters/trace/format/rank_ranges.h"

namespace ddtscope::reporters {

class RankSet {
 public:
  void add(const RankRanges& ranks) { added_.insert(added_.end(), ranks.ranges().begin(), ranks.ranges().end()); }
  bool contains(Rank rank) { return ranks().contains(rank); }
  /// Whether all of these are in it.
  bool contains_all(const RankRange& wanted) { return ranks().contains(wanted); }

 private:
  const RankRanges& ranks() {
    if (!added_.empty()) {
      add(ranks_);
      ranks_ = joined_ranks(std::exchange(added_, {}));
    }
    return ranks_;
  }

  RankRanges ranks_;
  std::vector<RankRange> added_;  // since it was asked last
};

}  // namespace ddtscope::reporters
