// `match --json` (match.schema.json).
#pragma once

#include "reporters/json/json.h"
#include "reporters/report/type_match.h"

namespace ddtscope::reporters {

Json match_json(const TypeMatch& match);

}  // namespace ddtscope::reporters
