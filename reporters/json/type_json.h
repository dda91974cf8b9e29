// One type as a JSON object (types.schema.json).
#pragma once

#include <cstddef>
#include <string>

#include "reporters/json/json.h"
#include "reporters/model/analysis.h"
#include "reporters/model/array_coverage.h"
#include "reporters/model/job.h"
#include "reporters/report/report_format.h"
#include "reporters/symbols/symbols.h"

namespace ddtscope::reporters {

/// Signatures are cut after this many runs, and `signature_truncated` says so.
inline constexpr std::size_t json_signature_limit = 10000;

Json type_json(const Job& job, TypeNumber number, Analysis& analysis, Symbols& symbols);

/// The constructor call of a type, arrays of more than 16 values cut.
std::string call_in_json(const Job& job, TypeNumber number);

Json finding_json(const Finding& finding);

/// The members `typemap`, the first `limit` entries, and `typemap_truncated`.
void add_typemap(Json& object, const Job& job, TypeNumber number, std::size_t limit);

/// The member `span`: the memory that `count` copies need.
void add_span(Json& object, const Job& job, TypeNumber number, std::int64_t count);

/// The member `array`: what `count` copies do to the elements of an array, row by row.
void add_array(Json& object, const ArrayCoverage& coverage, std::int64_t count);

/// A call site, innermost frame first; empty where it is unknown.
Json call_site_json(const Job& job, std::optional<FrameIndex> site, Symbols& symbols);

/// The member `source`: the struct that the type stands for, or null.
void add_source(Json& object, const SourceAnswer& answer);

Json ranks_json(const RankRanges& ranks);
/// 3; of a spawned world "2.3".
Json rank_json(Rank rank);

}  // namespace ddtscope::reporters
