// What starting a program and starting a debugger share.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "reporters/cli/launch.h"

namespace ddtscope::reporters {

/// The plugin for a library, where this installation has it.
std::variant<std::filesystem::path, LaunchProblem> find_plugin(MpiLibrary library);

/// Becomes the program. Returns only on failure.
LaunchProblem execute(const std::filesystem::path& path, std::vector<std::string> command);

}  // namespace ddtscope::reporters
