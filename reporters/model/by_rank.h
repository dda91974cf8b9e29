// What each rank has, where many have the same: looked up by the logarithm of how many ranges of ranks there are.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "reporters/trace/format/rank_ranges.h"

namespace ddtscope::reporters {

template <class Value>
class ByRank {
 public:
  /// Ranks that none has yet.
  void add(const RankRanges& ranks, const Value& value) {
    for (const RankRange& range : ranks.ranges()) all_.emplace_back(range, value);
    is_sorted_ = false;
  }
  /// `Value()` where it has none.
  Value of(Rank rank) {
    if (!std::exchange(is_sorted_, true)) {
      std::sort(all_.begin(), all_.end(),
                [](const One& a, const One& b) { return first_of(a.first) < first_of(b.first); });
    }
    const auto behind = std::upper_bound(all_.begin(), all_.end(), rank, [](const Rank& wanted, const One& one) {
      return wanted < first_of(one.first);
    });
    if (behind == all_.begin()) return Value();
    const auto& [range, value] = *std::prev(behind);
    return range.world == rank.world && rank.number <= range.last ? value : Value();
  }

 private:
  using One = std::pair<RankRange, Value>;
  static Rank first_of(const RankRange& range) { return {range.world, range.first}; }

  std::vector<One> all_;
  bool is_sorted_ = true;
};

}  // namespace ddtscope::reporters
