// The findings about the program's sources: those that are kept with the trace, else by the program's files at hand.
#pragma once

#include <vector>

#include "reporters/report/report_format.h"

namespace ddtscope::reporters {

DrawnFindings source_findings(const ReportContext& context);

/// Those of one type, worst first; none of a type that is written down.
std::vector<JobFinding> source_findings_of(const ReportContext& context, TypeNumber type);

}  // namespace ddtscope::reporters
