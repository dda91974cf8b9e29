// What changed in the uses of types from one job to another: by type and place, as types are joined.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/diff/job_diff.h"

namespace ddtscope::reporters {

/// The type of the old job that one of the new job is joined with; invalid where there is none.
using OldType = std::function<TypeNumber(TypeNumber now)>;

/// By which of its names a function was called is no difference that counts: the standard's one.
std::string_view function_of(std::string_view called);
/// A type of the new job as the old one calls it; "new T3" where nothing there is joined with it.
std::string old_name_of(const Job& new_job, DefinitionId type, const OldType& old_of);

/// In the new job's order, most bytes first; then what only the old job has.
std::vector<UseChange> changed_uses(const DiffInput& input, const OldType& old_of);

}  // namespace ddtscope::reporters
