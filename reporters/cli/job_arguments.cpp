// What verbs of a whole job take.
#include <CLI/CLI.hpp>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reporters/cli/listing_arguments.h"
#include "reporters/cli/report_arguments.h"
#include "reporters/cli/type_arguments.h"
#include "reporters/cli/verb_arguments.h"
#include "reporters/report/suppressions.h"
#include "reporters/sarif/sarif_format.h"

namespace ddtscope::reporters {
namespace {

struct CheckArguments {
  std::string fail_on = "warning";
  std::vector<std::string> ignored, suppressions;
  bool sarif = false;

  void add_to(CLI::App& verb) {
    verb.add_flag("--sarif", sarif, "print the findings as SARIF 2.1.0, for code hosts and editors")
        ->excludes(verb.get_option("--json"));
    verb.add_option("--fail-on", fail_on, "error, warning (the default) or note: from which on the exit status is 1")
        ->check(CLI::IsMember({"error", "warning", "note"}));
    take_one_each_time(*verb.add_option("--ignore", ignored, "findings to leave out, by id: never-freed,simpler-type")
                            ->type_name("ID,..."));
    take_one_each_time(
        *verb.add_option(
                 "--suppressions", suppressions,
                 "a file of findings to leave out by call site, such as system-libraries.supp, which is installed")
             ->type_name("FILE"));
  }

  Command command(ReportOptions report) const {
    CheckOptions options;
    options.report = std::move(report);
    if (sarif) {
      options.report.format = std::make_shared<SarifFormat>();
      options.report.presentation.fit = Fit::none;
    }
    options.fail_on = severity_of_text(fail_on).value_or(Severity::warning);
    for (const std::string& list : ignored) {
      const auto ids = finding_ids_of_text(list);
      if (const auto* unknown = std::get_if<std::string>(&ids)) {
        return usage("there is no finding \"" + *unknown + "\" to ignore; `ddtscope explain` lists all.");
      }
      const std::set<FindingId>& wanted = std::get<0>(ids);
      options.ignored.insert(wanted.begin(), wanted.end());
      for (int id = 0; wanted.empty() && id < finding_kind_count; ++id) options.ignored.insert(FindingId(id));
    }
    options.suppressions.assign(suppressions.begin(), suppressions.end());
    return options;
  }
};

struct DiffArguments {
  std::string before, after, page;
  std::vector<std::string> fail_on;

  void add_to(CLI::App& verb) {
    verb.add_option("OLD", before, "the trace to compare with: its folder, or a file")->required();
    verb.add_option("NEW", after, "the trace that is compared")->required();
    verb.add_option("-o,--output", page, "write a page for the browser into this HTML file, and print nothing")
        ->type_name("FILE")
        ->excludes(verb.get_option("--json"));
    take_one_each_time(
        *verb.add_option("--fail-on", fail_on, "what alone makes the exit status 1; several with commas between them")
             ->delimiter(',')
             ->type_name("LIST")
             ->check(CLI::IsMember(fail_on_texts())));
  }

  Command command(const ReportOptions& report) const {
    DiffOptions options{before, after, report.format, page, {}, report.presentation};
    for (const std::string& word : fail_on) {
      if (const std::optional<FailOn> what = fail_on_of_text(word)) options.fail_on.push_back(*what);
    }
    return options;
  }
};

/// The options of a report, and those of one verb.
template <class Arguments>
struct OfReport {
  ReportArguments report;
  Arguments own;

  explicit OfReport(CLI::App& verb) {
    report.add_to(verb);
    take_traces(verb, report.paths);
    own.add_to(verb);
  }
};

}  // namespace

Asked declare_summary(CLI::App& verb) {
  const auto report = std::make_shared<ReportArguments>();
  report->add_to(verb);
  take_traces(verb, report->paths);
  return [report] { return SummaryCommand{report->options()}; };
}

Asked declare_types(CLI::App& verb) {
  const auto types = std::make_shared<OfReport<TypesArguments>>(verb);
  return [types] { return types->own.options(types->report.options()); };
}

Asked declare_check(CLI::App& verb) {
  const auto check = std::make_shared<OfReport<CheckArguments>>(verb);
  return [check] { return check->own.command(check->report.options()); };
}

Asked declare_uses(CLI::App& verb) {
  const auto uses = std::make_shared<OfReport<UsesArguments>>(verb);
  return [uses] { return uses->own.options(uses->report.options()); };
}

Asked declare_pending(CLI::App& verb) {
  const auto report = std::make_shared<ReportArguments>();
  report->add_to(verb);
  take_traces(verb, report->paths);
  return [report] { return PendingOptions{report->options()}; };
}

Asked declare_report(CLI::App& verb) {
  struct Page {
    std::vector<std::string> traces;
    std::string file;
  };
  const auto page = std::make_shared<Page>();
  take_traces(verb, page->traces);
  verb.add_option("-o,--output", page->file, "the HTML file, which needs no other and no network")
      ->type_name("FILE")
      ->required();
  return [page] { return PageOptions{{page->traces.begin(), page->traces.end()}, page->file}; };
}

Asked declare_diff(CLI::App& verb) {
  const auto report = std::make_shared<ReportArguments>();
  const auto diff = std::make_shared<DiffArguments>();
  report->add_to(verb);
  diff->add_to(verb);
  return [report, diff] { return diff->command(report->options()); };
}

Asked declare_explain(CLI::App& verb) {
  const auto report = std::make_shared<ReportArguments>();
  const auto finding = std::make_shared<std::string>();
  report->add_to(verb);
  verb.add_option("ID", *finding, "the finding's id, such as copies-overlap; without it, a line for each");
  return [report, finding] {
    const ReportOptions options = report->options();
    return ExplainOptions{*finding, options.format, options.presentation};
  };
}

}  // namespace ddtscope::reporters
