// What each verb does once its arguments are parsed. Returns the exit status.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reporters/cli/terminal_output.h"
#include "reporters/code/code.h"
#include "reporters/diff/job_diff.h"
#include "reporters/report/report_format.h"

namespace ddtscope::reporters {

inline constexpr int exit_fine = 0;
inline constexpr int exit_findings = 1;    // errors, warnings, differences, or data that a library moved otherwise
inline constexpr int exit_usage = 2;       // or what was asked for cannot be done here
inline constexpr int exit_unreadable = 3;  // or nothing was found in an incomplete trace, or what was run failed

struct ReportOptions {
  std::vector<std::filesystem::path> traces;
  std::shared_ptr<const ReportFormat> format;  // never null
  Presentation presentation = {};
};

int run_summary(const ReportOptions& options);
enum class Grouping : unsigned char { none, layout };
struct TypesOptions {
  ReportOptions report;
  Grouping grouping = Grouping::none;
  TypesOrder order = TypesOrder::id;
};
int run_types(const TypesOptions& options);

enum class UsesOutput : std::uint8_t { text, json, csv };
struct UsesOptions {
  ReportOptions report;
  UsesQuery query;
  UsesOutput output = UsesOutput::text;
};
int run_uses(const UsesOptions& options);

struct PendingOptions {
  ReportOptions report;
};
/// What a job that has not ended is in the middle of. 1 where ranks wait for what never comes.
int run_pending(const PendingOptions& options);

struct CheckOptions {
  ReportOptions report;
  Severity fail_on = Severity::warning;  // findings of less do not fail
  std::set<FindingId> ignored;
  std::vector<std::filesystem::path> suppressions;  // files
};
int run_check(const CheckOptions& options);

/// How a type is spelt besides its constructor call.
enum class Syntax : unsigned char { c, bnf };

struct ShowVerbOptions {
  ReportOptions report;  // without traces: `type` is a text (reporters/model/job_of_text.h)
  std::string type;
  BoundsRule rule = BoundsRule::standard;  // of a text
  std::optional<View> view;
  std::optional<std::size_t> typemap_entries;
  std::optional<std::int64_t> count;
  Syntax syntax = Syntax::c;
  std::optional<UserArray> array;
  bool with_source = false;  // beside the struct of the program
};
int run_show(const ShowVerbOptions& options);

struct CodeVerbOptions {
  std::vector<std::filesystem::path> traces;  // none: as in ShowVerbOptions
  std::string type;
  BoundsRule rule = BoundsRule::standard;
  Language language = Language::c;
  CodeExtent extent = CodeExtent::calls;
};
/// Prints the calls that make a type, or a program.
int run_code(const CodeVerbOptions& options);

struct StructVerbOptions {
  std::string record;   // "struct particle", "particle.h:7"
  std::string program;  // a file with debugging information
  std::optional<Language> language;
};
/// Prints a function that makes the right type for a struct of a program.
int run_struct_code(const StructVerbOptions& options);

struct MatchOptions {
  ReportOptions report;  // without traces where both types are texts
  std::string send, receive;
  std::int64_t send_count = 1, receive_count = 1;
  BoundsRule rule = BoundsRule::standard;  // of texts
  Severity fail_on = Severity::warning;
};
/// Whether what is sent as one type may be received as the other.
int run_match(const MatchOptions& options);

struct PageOptions {
  std::vector<std::filesystem::path> traces;
  std::filesystem::path file;
};
/// Writes a job's report as one HTML file.
int run_report(const PageOptions& options);

struct DiffOptions {
  std::filesystem::path before, after;
  std::shared_ptr<const ReportFormat> format;  // never null
  std::filesystem::path page;                  // where not empty: an HTML file in place of what `format` prints
  std::vector<FailOn> fail_on;                 // empty: any difference
  Presentation presentation = {};
};
/// What changed from one trace to another.
int run_diff(const DiffOptions& options);

struct ExplainOptions {
  std::string id;                              // empty: all kinds
  std::shared_ptr<const ReportFormat> format;  // never null
  Presentation presentation = {};
};
int run_explain(const ExplainOptions& options);

/// Writes one trace file of all ranks into the folder, which must hold no trace.
int run_merge(const std::vector<std::filesystem::path>& traces, const std::filesystem::path& folder);

struct ResolveOptions {
  std::vector<std::filesystem::path> traces;
  unsigned seconds_at_end_of_job = 0;  // 0: a user asks. Else what the plugin gives it: see run_resolve_at_end_of_job
};
/// Writes the functions and lines of the call sites beside the trace, and prints how many there are.
int run_resolve(const ResolveOptions& options);
/// For the plugin (plugin/session/symbols_helper.h): prints "kept", or why nothing was kept, and ends in time.
int run_resolve_at_end_of_job(const ResolveOptions& options);

struct RecoverOptions {
  std::vector<std::filesystem::path> cores;
  std::vector<std::int64_t> processes;
  std::filesystem::path folder;  // must hold no trace
};
/// Writes a trace from the memory of processes or of their cores.
int run_recover(const RecoverOptions& options);

/// "ddtscope: <sentence>" on stderr, then lines that are printable as they are.
void complain(const std::string& sentence, const std::string& excerpt = {});

}  // namespace ddtscope::reporters
