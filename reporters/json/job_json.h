// A whole job as JSON: summary (summary.schema.json) and check (check.schema.json).
#pragma once

#include <ostream>

#include "reporters/json/json.h"
#include "reporters/model/analysis.h"
#include "reporters/model/job.h"
#include "reporters/report/report_format.h"
#include "reporters/symbols/symbols.h"

namespace ddtscope::reporters {

void write_summary_json(std::ostream& out, const ReportContext& context);
void write_check_json(std::ostream& out, const ReportContext& context, JobFindings& findings);

/// A finding as check.schema.json has it.
Json finding_of_job_json(const ReportContext& context, const JobFinding& finding);

/// Groups of types that are the same in memory (groups.schema.json), by their first types.
void write_layout_groups_json(std::ostream& out, const Job& job);

/// What a kind of finding means, for `explain`; and all of them, an array.
Json explanation_json(const FindingKind& kind);
Json finding_kinds_json();

}  // namespace ddtscope::reporters
