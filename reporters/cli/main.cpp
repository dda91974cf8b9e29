// The `ddtscope` command: arguments in, a verb run.
#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <variant>
#include <vector>

#include "reporters/cli/options.h"

namespace {

using namespace ddtscope;
using namespace ddtscope::reporters;

int told(const LaunchProblem& problem) {
  complain(problem.sentence);
  return problem.status;
}

/// What the verb prints is as wide as the terminal, and goes through a pager, as the user wants it.
template <class Options, class Verb>
int shown(const Options& options, const Presentation& presentation, const Verb& verb) {
  const TerminalOutput output(presentation);
  return verb(options);
}

struct Run {
  int operator()(const Said& said) const { return said.status; }
  int operator()(const LaunchOptions& options) const { return told(launch(options)); }
  int operator()(const DebuggerOptions& options) const { return told(launch_debugger(options)); }
  int operator()(const SummaryCommand& command) const {
    return shown(command.report, command.report.presentation, run_summary);
  }
  int operator()(const TypesOptions& options) const { return shown(options, options.report.presentation, run_types); }
  int operator()(const CheckOptions& options) const { return shown(options, options.report.presentation, run_check); }
  int operator()(const ShowVerbOptions& options) const { return shown(options, options.report.presentation, run_show); }
  int operator()(const CodeVerbOptions& options) const { return run_code(options); }
  int operator()(const MatchOptions& options) const { return shown(options, options.report.presentation, run_match); }
  int operator()(const MeasureOptions& options) const {
    return shown(options, options.report.presentation,
                 [](const MeasureOptions& measured) { return run_measure(measured); });
  }
  int operator()(const StructVerbOptions& options) const { return run_struct_code(options); }
  int operator()(const UsesOptions& options) const { return shown(options, options.report.presentation, run_uses); }
  int operator()(const PendingOptions& options) const {
    return shown(options, options.report.presentation, run_pending);
  }
  int operator()(const PageOptions& options) const { return run_report(options); }
  int operator()(const DiffOptions& options) const { return shown(options, options.presentation, run_diff); }
  int operator()(const MergeCommand& command) const { return run_merge(command.traces, command.folder); }
  int operator()(const ResolveOptions& options) const { return run_resolve(options); }
  int operator()(const RecoverOptions& options) const { return run_recover(options); }
  int operator()(const ExplainOptions& options) const { return shown(options, options.presentation, run_explain); }
};

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  try {
    return std::visit(Run(), command_of({argv + std::min(argc, 1), argv + argc}));
  } catch (const std::bad_alloc&) {
    std::cerr << "ddtscope: there is not enough memory for this; use a larger machine.\n";
  } catch (const std::exception& error) {
    std::cerr << "ddtscope: this should not have happened: " << error.what() << "; please report it.\n";
  }
  return exit_unreadable;
}
