// A job's traces as one file: each definition once, with the ranks that have it (FORMAT.md, Merged traces).
#pragma once

#include <filesystem>
#include <optional>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// Writes the job to `file`, which must not exist. It gets its name when it is whole and on the disk; until then
/// ".unfinished" stands behind that. What went wrong, if anything did: neither is there then.
std::optional<TraceProblem> write_merged(const Job& job, const std::filesystem::path& file);

}  // namespace ddtscope::reporters
