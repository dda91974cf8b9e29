// Ranks that come again and again, in about their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

class GatheredRanks {
 public:
  void add(Rank rank) { add(RankRange{rank.number, rank.number, rank.world}); }
  void add(const RankRange& range) {
    if (!ranges_.empty() && ranges_.back() == range) return;
    ranges_.push_back(range);
    if (ranges_.size() >= most_) {
      const RankRanges joined = joined_ranks(std::move(ranges_));
      ranges_.assign(joined.ranges().begin(), joined.ranges().end());
      most_ = std::max(most_, 2 * ranges_.size());
    }
  }
  RankRanges take() { return joined_ranks(std::move(ranges_)); }

 private:
  std::vector<RankRange> ranges_;
  std::size_t most_ = 4096;
};

}  // namespace ddtscope::reporters
