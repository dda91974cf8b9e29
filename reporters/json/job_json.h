// A whole job as JSON: summary (summary.schema.json) and check (check.schema.json).
#pragma once

#include <string>

#include "reporters/json/json.h"
#include "reporters/model/analysis.h"
#include "reporters/model/job.h"
#include "reporters/symbols/symbols.h"

namespace ddtscope {

Json summary_json(const Job& job, Analysis& analysis, Symbols& symbols);
Json check_json(const Job& job, Analysis& analysis, Symbols& symbols);

/// Groups of types that are the same in memory (groups.schema.json), by their first types.
Json layout_groups_json(const Job& job);

/// What a kind of finding means, for `explain`; and all of them, an array.
Json explanation_json(const FindingKind& kind);
Json finding_kinds_json();

}  // namespace ddtscope
