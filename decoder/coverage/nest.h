// Loops and displacement lists around one inner layout: they commute, so that questions about bytes may look at them in
// any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "decoder/base/intervals.h"
#include "decoder/layout/layout.h"

namespace ddtscope {

struct NestLoop {
  Exact count, stride;  // count > 1
};

/// The parts of a node that has one child for all.
struct NestList {
  /// From the first copy's displacement to the last one's, for each part that has any, in order of the first; where
  /// all blocklengths are equal, only the first copies count: the others are a loop of the nest.
  std::vector<Interval> parts;
  std::int64_t extent = 0;  // between the copies of a part
  bool has_loops = false;   // some part has several copies
};

struct Nest {
  std::vector<NestLoop> loops;
  std::vector<NestList> lists;
  LayoutId inner;
  Exact at = 0;  // of the inner layout's first copy
};

/// The nest whose outermost node is `root`, down to what is one block or has different children. `work` is lowered by
/// one for each node and for so many arguments; where it runs out, or a displacement does not fit 64 bits, the nest
/// ends.
inline constexpr std::size_t nest_arguments_per_step = 16;
Nest nest_of(const Layouts& layouts, LayoutId root, std::size_t& work);

}  // namespace ddtscope
