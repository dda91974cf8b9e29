// A set of ranks, as small as it is regular.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "reporters/trace/format/rank.h"

namespace ddtscope {

/// Ranks of one world that follow each other.
struct RankRange {
  std::int64_t first = 0, last = 0;
  WorldNumber world;
  friend constexpr bool operator==(const RankRange&, const RankRange&) = default;
};

/// Ranks as ascending ranges. Most sets are one range, and a job has one for each definition and place: one range takes
/// no memory of its own.
class RankRanges {
 public:
  RankRanges() = default;
  RankRanges(const RankRanges& other)
      : only_(other.only_), more_(other.more_ ? std::make_unique<std::vector<RankRange>>(*other.more_) : nullptr) {}
  RankRanges(RankRanges&&) = default;
  RankRanges& operator=(RankRanges other) {
    only_ = other.only_;
    more_ = std::move(other.more_);
    return *this;
  }
  ~RankRanges() = default;

  void add(Rank rank) { add(RankRange{rank.number, rank.number, rank.world}); }
  /// Ranges come in ascending order: what is below those that came before is left out.
  void add(RankRange range) {
    if (range.first > range.last) return;
    if (empty()) {
      only_ = range;
      return;
    }
    RankRange& latest = more_ ? more_->back() : only_;
    if (Rank{range.world, range.last} <= Rank{latest.world, latest.last}) return;
    const bool goes_on = range.world == latest.world;
    if (goes_on && range.first <= latest.last) range.first = latest.last + 1;
    if (goes_on && latest.last + 1 == range.first) {
      latest.last = range.last;
      return;
    }
    if (!more_) more_ = std::make_unique<std::vector<RankRange>>(1, only_);
    more_->push_back(range);
  }
  std::span<const RankRange> ranges() const {
    return more_ ? std::span<const RankRange>(*more_) : std::span(&only_, empty() ? 0 : 1);
  }
  bool empty() const { return only_.first > only_.last; }
  bool contains(Rank rank) const { return contains(RankRange{rank.number, rank.number, rank.world}); }
  bool contains(const RankRange& range) const {
    const auto all = ranges();
    const auto behind =
        std::upper_bound(all.begin(), all.end(), Rank{range.world, range.first}, [](Rank rank, const RankRange& one) {
          return rank < Rank{one.world, one.first};
        });
    return behind != all.begin() && (behind - 1)->world == range.world && range.last <= (behind - 1)->last;
  }
  /// How many ranks they are.
  std::uint64_t size() const {
    std::uint64_t number = 0;
    for (const RankRange& range : ranges()) number += static_cast<std::uint64_t>(range.last - range.first) + 1;
    return number;
  }

 private:
  RankRange only_{0, -1, {}};                     // no rank where the last is before the first
  std::unique_ptr<std::vector<RankRange>> more_;  // all of them, where they are several
};

}  // namespace ddtscope
