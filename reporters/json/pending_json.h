// What is pending in a job, as JSON (pending.schema.json).
#pragma once

#include "reporters/json/json.h"
#include "reporters/report/report_format.h"

namespace ddtscope::reporters {

Json pending_json(const ReportContext& context, const WaitingRanks& waiting);

}  // namespace ddtscope::reporters
