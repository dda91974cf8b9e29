// What changed in the uses of types from one job to another: by type and place, as types are joined.
#pragma once

#include <functional>
#include <vector>

#include "reporters/diff/job_diff.h"

namespace ddtscope::reporters {

/// The type of the old job that one of the new job is joined with; invalid where there is none.
using OldType = std::function<TypeNumber(TypeNumber now)>;

/// In the new job's order, most bytes first; then what only the old job has.
std::vector<UseChange> changed_uses(const DiffInput& input, const OldType& old_of);

}  // namespace ddtscope::reporters
