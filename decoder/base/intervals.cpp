// Intervals that touch or overlap become one.
#include "decoder/base/intervals.h"

namespace ddtscope {

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
