// Buffers that are not what their datatypes say: `source-type` and `buffer-too-small`; and the findings about the
// program's sources together. The program's files must be on this machine, compiled with -g, and of the build that ran.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reporters/buffers/buffer_objects.h"
#include "reporters/buffers/object_comparison.h"
#include "reporters/model/job_findings.h"

namespace ddtscope::reporters {

/// The variable that a buffer is taken for, and how its datatype agrees with that.
struct JudgedBuffer {
  FoundObject object;
  ObjectComparison comparison;
};

/// The one of these that agrees best, of equal ones the first; none where there are none. Who has the address itself
/// speaks for it alone, and what is over accuses only where nothing else does.
std::optional<JudgedBuffer> best_of(const Job& job, const JobBuffer& buffer, std::vector<FoundObject> found);

/// "`x` (double x[8], halo.c:12)"
std::string text_of(const FoundObject& object);

/// Those of the program's structs and those of its variables, and why nothing is known of some files.
DrawnFindings findings_of_sources(const Job& job);

}  // namespace ddtscope::reporters
