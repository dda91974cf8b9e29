// A whole job as JSON: summary (summary.schema.json) and check (check.schema.json).
#pragma once

#include <string>

#include "reporters/json/json.h"
#include "reporters/model/job.h"
#include "reporters/symbols/symbols.h"

namespace ddtscope {

Json summary_json(const Job& job, Symbols& symbols);
Json check_json(const Job& job, Symbols& symbols);

}  // namespace ddtscope
