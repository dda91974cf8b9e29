// Verbs that print a report of a whole job, and what a finding means.
#include "reporters/cli/verbs.h"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "reporters/cli/job_of_verb.h"
#include "reporters/model/message_comparison.h"
#include "reporters/model/uses.h"
#include "reporters/report/source_findings.h"
#include "reporters/report/suppressions.h"
#include "reporters/text/message_words.h"
#include "reporters/text/style.h"
#include "reporters/text/uses_csv.h"

namespace ddtscope::reporters {
namespace {

/// A suppressions file that is not there, and named without a folder, is one that is installed beside the command.
std::filesystem::path installed_or_given(const std::filesystem::path& file) {
  std::error_code error;
  if (file.has_parent_path() || std::filesystem::exists(file, error)) return file;
  const std::filesystem::path command = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path installed = command.parent_path().parent_path() / "share" / "ddtscope" / file;
  return std::filesystem::exists(installed, error) ? installed : file;
}

}  // namespace

void complain(const std::string& sentence, const std::string& excerpt) {
  // By one write: other ranks may complain at the same time.
  std::cerr << "ddtscope: " + printable(sentence) + "\n" + excerpt;
}

int run_summary(const ReportOptions& options) {
  return with_job(options.traces, [&](const ReportContext& context) {
    options.format->summary(std::cout, context);
    return exit_fine;
  });
}

int run_types(const TypesOptions& options) {
  return with_job(options.report.traces, [&](const ReportContext& context) {
    if (options.grouping == Grouping::layout) {
      options.report.format->layout_groups(std::cout, context);
    } else {
      options.report.format->types(std::cout, context, options.order);
    }
    return exit_fine;
  });
}

namespace {

constexpr int has_moved = -1;  // no exit status: a rank that seemed to be stuck went on

int tell_pending(const PendingOptions& options, const ReportContext& context, int attempts_left) {
  WaitingRanks waiting = waiting_ranks(context.job);
  // The files of ranks that run were read one after the other. What holds for a while holds.
  if (waiting.has_stuck()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (!are_still_stuck(context.job, waiting)) {
      if (attempts_left > 0) return has_moved;
      waiting.forget_stuck();
    }
  }
  options.report.format->pending(std::cout, context, waiting);
  if (waiting.has_stuck()) return exit_findings;
  if (waiting.is_anything_known()) return exit_fine;
  const std::string why = messages_are_recorded(context.job)
                              ? "the files rank-N.pending beside the trace are missing or damaged"
                              : "no messages were recorded: " + std::string(why_no_messages(context.job));
  complain("nothing is known of what is pending; " + why + ".");
  return exit_unreadable;
}

}  // namespace

int run_pending(const PendingOptions& options) {
  for (int attempts_left = 2;; --attempts_left) {
    const int status = with_job(options.report.traces, [&](const ReportContext& context) {
      return tell_pending(options, context, attempts_left);
    });
    if (status != has_moved) return status;
  }
}

int run_check(const CheckOptions& options) {
  std::vector<Suppression> suppressions;
  for (const std::filesystem::path& file : options.suppressions) {
    auto read = read_suppressions(installed_or_given(file));
    if (const auto* problem = std::get_if<std::string>(&read)) {
      complain(*problem);
      return exit_usage;
    }
    auto& lines = std::get<std::vector<Suppression>>(read);
    std::move(lines.begin(), lines.end(), std::back_inserter(suppressions));
  }
  return with_job(options.report.traces, [&](const ReportContext& context) {
    FindingFilter filter{options.ignored};
    if (!suppressions.empty()) filter.is_suppressed = Suppressor(suppressions, context.job, context.symbols);
    JobFindings findings(context.job, context.analysis, std::move(filter), source_findings(context));
    options.report.format->check(std::cout, context, findings);
    if (findings.any_from(options.fail_on) || !context.analysis.differences().unexplained.empty()) {
      return exit_findings;
    }
    if (context.job.complete()) return exit_fine;
    complain("nothing was found, but the trace is incomplete: what it lacks may be wrong.");
    return exit_unreadable;
  });
}

int run_uses(const UsesOptions& options) {
  return with_job(options.report.traces, [&](const ReportContext& context) {
    if (options.output == UsesOutput::csv) {
      write_uses_csv(std::cout, context, options.query);
    } else {
      options.report.format->uses(std::cout, context, options.query);
    }
    // A list of uses has no place for it.
    const bool is_of_messages = is_recorded_with_messages(options.query.by);
    if (options.output != UsesOutput::text && is_of_messages && !messages_are_recorded(context.job)) {
      complain("no messages were recorded: " + std::string(why_no_messages(context.job)) + ".");
    }
    if (options.output != UsesOutput::text && !is_of_messages && !uses_are_recorded(context.job)) {
      complain("not all uses were recorded, and those that were not are missing here: see `ddtscope summary`.");
    }
    return exit_fine;
  });
}

int run_explain(const ExplainOptions& options) {
  const FindingKind* kind = options.id.empty() ? nullptr : find_finding_kind(options.id);
  if (!options.id.empty() && kind == nullptr) {
    complain("there is no finding \"" + options.id + "\"; `ddtscope explain` lists all.");
    return exit_usage;
  }
  if (kind != nullptr) {
    options.format->explanation(std::cout, *kind);
  } else {
    options.format->finding_kinds(std::cout);
  }
  return finished(exit_fine);
}

}  // namespace ddtscope::reporters
