// Radix sort by the lowest digits first, over as many digits as the intervals' range has.
#include "decoder/base/intervals.h"

#include <algorithm>
#include <array>

namespace ddtscope {
namespace {

constexpr std::size_t few = 512;
constexpr int digit_bits = 11;
constexpr std::size_t digits = std::size_t{1} << digit_bits;

}  // namespace

void sort_by_begin(std::vector<Interval>& intervals) {
  const auto by_begin = [](const Interval& a, const Interval& b) { return a.begin < b.begin; };
  if (std::is_sorted(intervals.begin(), intervals.end(), by_begin)) return;
  if (intervals.size() <= few) {
    std::sort(intervals.begin(), intervals.end(), by_begin);
    return;
  }
  const auto [least, greatest] = std::minmax_element(intervals.begin(), intervals.end(), by_begin);
  const auto origin = static_cast<std::uint64_t>(least->begin);
  const std::uint64_t range = static_cast<std::uint64_t>(greatest->begin) - origin;
  std::vector<Interval> sorted(intervals.size());
  for (int shift = 0; shift < 64 && range >> shift != 0; shift += digit_bits) {
    const auto digit = [&](const Interval& interval) {
      return ((static_cast<std::uint64_t>(interval.begin) - origin) >> shift) & (digits - 1);
    };
    std::array<std::size_t, digits + 1> place{};
    for (const Interval& interval : intervals) ++place[digit(interval) + 1];
    for (std::size_t i = 1; i < digits; ++i) place[i] += place[i - 1];
    for (const Interval& interval : intervals) sorted[place[digit(interval)]++] = interval;
    intervals.swap(sorted);
  }
}

std::optional<std::int64_t> join(std::vector<Interval>& intervals) {
  sort_by_begin(intervals);
  std::optional<std::int64_t> shared;
  std::size_t kept = 0;
  for (const Interval& interval : intervals) {
    if (kept > 0 && interval.begin <= intervals[kept - 1].end) {
      if (!shared && interval.begin < intervals[kept - 1].end) shared = interval.begin;
      intervals[kept - 1].end = std::max(intervals[kept - 1].end, interval.end);
    } else {
      intervals[kept++] = interval;
    }
  }
  intervals.resize(kept);
  return shared;
}

}  // namespace ddtscope
