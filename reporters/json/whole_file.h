// Files beside a trace that others may be reading: they get their name when they are whole.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// Has `write` write the file. Where that does not succeed, what is wrong; the file is as it was before.
std::optional<TraceProblem> write_whole_file(const std::filesystem::path& file,
                                             const std::function<void(std::ostream&)>& write);

}  // namespace ddtscope::reporters
