// Which hulls of many lie over each other, in one walk through them in the order of their beginnings.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "plugin/pending/buffer.h"

namespace ddtscope::plugin {

/// Hulls that are not empty, in two groups at most.
struct SweptHull {
  Hull hull;
  std::uint32_t number = 0;
  std::uint8_t group = 0;  // 0 or 1
};

/// What each is held against.
enum class Against : std::uint8_t { own_group, other_group };

/// Calls `meet(number, number)` for pairs of hulls that lie over each other, the greater number first; each is held
/// against at most `most` of those that begin before it, those that end first. The number of the other pairs comes
/// back. Takes n log n steps, and those of the pairs. Changes the order of `all`.
template <class Meet>
std::uint64_t sweep(std::vector<SweptHull>& all, Against against, std::size_t most, const Meet& meet);

namespace detail {

/// Few are held against each other without a sweep: nothing can be left out.
template <class Meet>
void compare_few(const std::vector<SweptHull>& all, Against against, const Meet& meet) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const bool is_wanted = (all[i].group == all[k].group) == (against == Against::own_group);
      if (!is_wanted || !overlap(all[i].hull, all[k].hull)) continue;
      meet(std::max(all[i].number, all[k].number), std::min(all[i].number, all[k].number));
    }
  }
}

}  // namespace detail

template <class Meet>
std::uint64_t sweep(std::vector<SweptHull>& all, Against against, std::size_t most, const Meet& meet) {
  if (all.size() <= most) {
    detail::compare_few(all, against, meet);
    return 0;
  }
  std::sort(all.begin(), all.end(), [](const SweptHull& a, const SweptHull& b) {
    return std::pair(a.hull.begin, a.number) < std::pair(b.hull.begin, b.number);
  });
  // Those that have begun and not ended, by their ends.
  std::array<std::set<std::pair<std::int64_t, std::uint32_t>>, 2> open;
  std::uint64_t left_out = 0;
  for (const SweptHull& one : all) {
    for (auto& of_group : open) {
      while (!of_group.empty() && of_group.begin()->first <= one.hull.begin) of_group.erase(of_group.begin());
    }
    const auto& others = open[against == Against::own_group ? one.group : 1 - one.group];
    std::size_t met = 0;
    for (auto other = others.begin(); other != others.end() && met < most; ++other, ++met) {
      meet(std::max(one.number, other->second), std::min(one.number, other->second));
    }
    left_out += others.size() - met;
    open[one.group].emplace(one.hull.end, one.number);
  }
  return left_out;
}

}  // namespace ddtscope::plugin
