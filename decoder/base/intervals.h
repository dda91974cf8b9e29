// Many intervals of bytes, sorted and joined: what a sweep over a layout does.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ddtscope {

/// Bytes begin .. end - 1.
struct Interval {
  std::int64_t begin = 0, end = 0;
};

/// Of intervals, or what else has a `begin`. In linear time where there are many: by the lowest digits first, over as
/// many digits as their range has.
template <class T>
void sort_by_begin(std::vector<T>& intervals) {
  constexpr std::size_t few = 64;
  constexpr std::size_t many = 8192;  // a look at the places of all digits is worth it from so many on
  constexpr std::size_t most_digits = std::size_t{1} << 11;
  const auto by_begin = [](const T& a, const T& b) { return a.begin < b.begin; };
  if (std::is_sorted(intervals.begin(), intervals.end(), by_begin)) return;
  if (intervals.size() <= few) {
    std::sort(intervals.begin(), intervals.end(), by_begin);
    return;
  }
  const auto [least, greatest] = std::minmax_element(intervals.begin(), intervals.end(), by_begin);
  const auto origin = static_cast<std::uint64_t>(least->begin);
  const std::uint64_t range = static_cast<std::uint64_t>(greatest->begin) - origin;
  const int digit_bits = intervals.size() < many ? 8 : 11;
  const std::size_t digits = std::size_t{1} << digit_bits;
  std::vector<T> sorted(intervals.size());
  std::array<std::size_t, most_digits + 1> place;
  for (int shift = 0; shift < 64 && range >> shift != 0; shift += digit_bits) {
    const auto digit = [&](const T& interval) {
      return ((static_cast<std::uint64_t>(interval.begin) - origin) >> shift) & (digits - 1);
    };
    std::fill_n(place.begin(), digits + 1, 0);
    for (const T& interval : intervals) ++place[digit(interval) + 1];
    for (std::size_t i = 1; i < digits; ++i) place[i] += place[i - 1];
    for (const T& interval : intervals) sorted[place[digit(interval)]++] = interval;
    intervals.swap(sorted);
  }
}

/// Sorts intervals, none of them empty, and joins those that touch or overlap. Returns a byte that is in two of them.
std::optional<std::int64_t> join(std::vector<Interval>& intervals);

}  // namespace ddtscope
