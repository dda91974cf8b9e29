// What was done with types, as JSON (uses.schema.json).
#pragma once

#include <ostream>

#include "reporters/json/json.h"
#include "reporters/model/job.h"
#include "reporters/report/report_format.h"
#include "reporters/symbols/symbols.h"

namespace ddtscope::reporters {

Json use_json(const Job& job, const TypeUse& use, Symbols& symbols);
/// An array of those that are wanted.
void write_uses_json(std::ostream& out, const ReportContext& context, const UsesQuery& query);

}  // namespace ddtscope::reporters
