// The findings about what was done with types, for findings_of_job().
#pragma once

#include <vector>

#include "reporters/model/job_findings.h"

namespace ddtscope {

/// What the processes found wrong with their calls, before the library got them.
std::vector<JobFinding> findings_of_calls(const Job& job);
/// What the counted uses tell.
std::vector<JobFinding> findings_of_uses(const Job& job);

}  // namespace ddtscope
