// The array in which a type's data stands, as the user thinks of it: so its picture is drawn.
#pragma once

#include <string_view>
#include <vector>

#include "decoder/base/exact.h"
#include "decoder/layout/strided_runs.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters {

struct ArrayShape {
  /// Where the sizes come from: "array" (the call names them), "strides" (they follow from the distances of the
  /// blocks), "memory" (bytes in rows of a handy length).
  std::string_view from;
  std::vector<Exact> sizes;  // as memory has them: the last dimension's cells adjoin
  Exact cell;                // bytes
  Exact origin;              // of the first cell, from the buffer's address
};

/// Found from arguments and runs, without looking at entries: as fast for 10^18 of them as for ten.
ArrayShape array_shape_of(const Job& job, TypeNumber number, const StridedRuns& runs);

}  // namespace ddtscope::reporters
