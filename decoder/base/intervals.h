// Many intervals of bytes, sorted and joined: what a sweep over a layout does.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ddtscope {

/// Bytes begin .. end - 1.
struct Interval {
  std::int64_t begin = 0, end = 0;
};

/// In linear time where there are many.
void sort_by_begin(std::vector<Interval>& intervals);

/// Sorts intervals, none of them empty, and joins those that touch or overlap. Returns a byte that is in two of them.
std::optional<std::int64_t> join(std::vector<Interval>& intervals);

}  // namespace ddtscope
