// The functions and lines of a trace's call sites, kept in a file beside it: a program that was built anew, or moved,
// or is on another machine, gives them no more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "reporters/model/job.h"
#include "reporters/symbols/symbols.h"

namespace ddtscope::reporters {

/// In the trace's folder; no *.jsonl, so that it is no file of the trace for those that do not know it.
inline constexpr const char* symbols_file_name = "symbols.json";

/// The folder of a trace that is given by its folder or its files.
std::filesystem::path folder_of_trace(std::span<const std::filesystem::path> paths);

/// Takes what the file in the folder knows of the job's call sites. Where it is damaged, what to do about it, as a
/// sentence; no file is no damage.
std::optional<std::string> read_symbols(const std::filesystem::path& folder, const Job& job, Symbols& symbols);

struct Resolved {
  std::uint64_t places = 0, with_function = 0, with_line = 0;
  struct Unresolved {
    std::string module, why;
    std::uint64_t places = 0;
  };
  std::vector<Unresolved> unresolved;  // modules with places that have no function
};

/// Writes what `symbols` can tell of the job's call sites; the file gets its name when it is whole. Where it cannot be
/// written, why.
std::variant<Resolved, TraceProblem> write_symbols(const std::filesystem::path& folder, const Job& job,
                                                   Symbols& symbols);

}  // namespace ddtscope::reporters
