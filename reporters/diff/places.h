// Where a job's types are made, by names that outlive the program's next build.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "reporters/diff/job_diff.h"

namespace ddtscope {

/// By the place's name: function and file, without lines and addresses; of what a library makes, with the program's
/// function that asked for it. Where the function is unknown, module and address.
using Places = std::map<std::string, std::vector<MadeThere>>;
Places places_of(const ReportContext& context);

}  // namespace ddtscope
