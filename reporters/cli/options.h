// From the words of a command line to what they ask for. Nothing is done yet.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "reporters/cli/launch.h"
#include "reporters/cli/measure_verb.h"
#include "reporters/cli/verbs.h"

namespace ddtscope::reporters {

/// All has been said: help on the standard output (exit_fine), or what is wrong with the words in one sentence on the
/// standard error (exit_usage).
struct Said {
  int status;
};
struct SummaryCommand {
  ReportOptions report;
};
struct MergeCommand {
  std::vector<std::filesystem::path> traces;
  std::filesystem::path folder;
};

using Command =
    std::variant<Said, LaunchOptions, DebuggerOptions, SummaryCommand, TypesOptions, CheckOptions, UsesOptions,
                 PendingOptions, ShowVerbOptions, CodeVerbOptions, StructVerbOptions, MatchOptions, MeasureOptions,
                 PageOptions, DiffOptions, MergeCommand, ResolveOptions, RecoverOptions, ExplainOptions>;

/// `arguments` are those behind the program's own name.
Command command_of(std::vector<std::string> arguments);

}  // namespace ddtscope::reporters
