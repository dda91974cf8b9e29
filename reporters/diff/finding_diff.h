// Which findings about calls and lives are new or gone.
#pragma once

#include <vector>

#include "reporters/diff/job_diff.h"
#include "reporters/diff/use_diff.h"

namespace ddtscope::reporters {

/// Of those that only a whole job tells (findings_of_whole_job), by kind, severity, function, argument, place and type.
/// What was never freed is no finding here: leaks tell it. Where uses were not recorded in both jobs, calls that failed
/// alone. Those about the program's sources are compared where they are kept with both traces.
std::vector<FindingChange> changed_job_findings(const DiffInput& input, const OldType& old_of);

}  // namespace ddtscope::reporters
