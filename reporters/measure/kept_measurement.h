// Which figures that were kept with a trace a finding is told with.
#pragma once

#include "reporters/measure/measurement.h"
#include "reporters/report/report_format.h"

namespace ddtscope::reporters {

/// What was measured of the finding's type, where it is about what the type costs; else nullptr.
const KeptMeasurement* measured_for(const ReportContext& context, const JobFinding& finding);

}  // namespace ddtscope::reporters
