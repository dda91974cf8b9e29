// `ddtscope uses --by file --json` (files.schema.json).
#pragma once

#include <ostream>

#include "reporters/report/report_format.h"
#include "reporters/report/selected_uses.h"

namespace ddtscope::reporters {

void write_files_json(std::ostream& out, const ReportContext& context, const UsesQuery& query);

}  // namespace ddtscope::reporters
