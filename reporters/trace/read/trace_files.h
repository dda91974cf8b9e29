// Which files the paths on a command line stand for.
#pragma once

#include <filesystem>
#include <span>
#include <variant>
#include <vector>

#include "reporters/trace/read/reader.h"

namespace ddtscope {

/// The trace files that the paths name: a folder stands for all its *.jsonl, in order of names.
std::variant<std::vector<std::filesystem::path>, TraceProblem> find_trace_files(
    std::span<const std::filesystem::path> paths);

}  // namespace ddtscope
