// What changed from one job to another, as JSON (diff.schema.json).
#pragma once

#include <ostream>

#include "reporters/diff/job_diff.h"

namespace ddtscope::reporters {

void write_diff_json(std::ostream& out, const DiffInput& input, const JobDiff& diff);

}  // namespace ddtscope::reporters
