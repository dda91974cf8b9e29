// Where a process could not write its counters into the trace file, they are in the file beside it.
#pragma once

#include <filesystem>
#include <optional>

#include "reporters/trace/read/counter_reader.h"
#include "reporters/trace/read/record_reader.h"

namespace ddtscope {

/// Adds them to what the lines of `file` have said.
std::optional<TraceProblem> add_counters(const std::filesystem::path& file, const CounterFile& counters,
                                         RecordReader& reader, Words& words);

}  // namespace ddtscope
