// What the debugging information of the program's files said of a trace's buffers and structs, kept in a file beside
// it: a program that was built anew, or is on another machine, says it no more, and looking again takes long.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "reporters/model/job.h"
#include "reporters/model/job_findings.h"

namespace ddtscope::reporters {

/// In the trace's folder; no *.jsonl, as symbols.json.
inline constexpr const char* sources_file_name = "sources.json";

/// Sets `kept` to what the file in the folder says, if it was written of these very types, buffers and processes. Where
/// it is damaged, what to do about it, as a sentence; no file, or one of another part of the job, is no damage.
std::optional<std::string> read_kept_sources(const std::filesystem::path& folder, Job& job,
                                             std::optional<DrawnFindings>& kept);

/// Whether it is more than that nothing is known.
bool is_worth_keeping(const DrawnFindings& drawn);

/// Writes it anew; the file gets its name when it is whole. Where it cannot be written, why.
std::optional<TraceProblem> write_kept_sources(const std::filesystem::path& folder, const Job& job,
                                               const DrawnFindings& drawn);

}  // namespace ddtscope::reporters
