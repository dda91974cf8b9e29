// The findings about the program's sources: those that are kept with the trace, else by the program's files at hand.
#pragma once

#include "reporters/report/report_format.h"

namespace ddtscope::reporters {

DrawnFindings source_findings(const ReportContext& context);

}  // namespace ddtscope::reporters
