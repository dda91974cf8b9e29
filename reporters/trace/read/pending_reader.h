// Reads the pending file of a process: what it is in the middle of (reporters/trace/format/pending_file.h).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "reporters/trace/read/pending_records.h"
#include "reporters/trace/read/reader.h"

namespace ddtscope {

/// The one beside `trace_file`; empty where there is none. What is wrong with it is in the problem: numbers of
/// operations and channels that are returned are those of records. Throws nothing but std::bad_alloc.
std::variant<std::optional<PendingFile>, TraceProblem> read_pending_file(const std::filesystem::path& trace_file);

/// The same of what is mapped into a process that stands still, or else a sentence about it. None where nothing was
/// written to it yet.
std::variant<std::optional<PendingFile>, std::string> pending_of_memory(std::string bytes);

}  // namespace ddtscope
