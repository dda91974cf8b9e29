// A typemap as strided runs: the compact form that pictures and traces show.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "decoder/layout/layout.h"

namespace ddtscope {

/// The typemap as strided runs: a tree whose order is the typemap's order. A run is either one basic
/// type or a group of runs; `displacement` is the first copy's, relative to the group; `repeat` lists
/// (count, stride in bytes), outermost first.
struct StridedRun {
  PredefinedId type;  // invalid for a group
  std::vector<StridedRun> group;
  Exact displacement;
  std::vector<std::pair<Exact, Exact>> repeat;
};
struct StridedRuns {
  std::vector<StridedRun> runs;
  bool truncated = false;  // more runs, or deeper groups, than were asked for
};
/// At most `limit` runs. Nothing here recurses or needs memory beyond the nesting depth and the limit.
StridedRuns strided_runs(const Layouts& layouts, LayoutId root, std::size_t limit);

}  // namespace ddtscope
