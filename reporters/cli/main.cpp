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

int told(const LaunchProblem& problem) {
  complain(problem.sentence);
  return problem.status;
}

struct Run {
  int operator()(const Said& said) const { return said.status; }
  int operator()(const LaunchOptions& options) const { return told(launch(options)); }
  int operator()(const DebuggerOptions& options) const { return told(launch_debugger(options)); }
  int operator()(const SummaryCommand& command) const {
    const TerminalOutput output(command.report.presentation);
    return run_summary(command.report);
  }
  int operator()(const TypesOptions& options) const {
    const TerminalOutput output(options.report.presentation);
    return run_types(options);
  }
  int operator()(const CheckOptions& options) const {
    const TerminalOutput output(options.report.presentation);
    return run_check(options);
  }
  int operator()(const ShowVerbOptions& options) const {
    const TerminalOutput output(options.report.presentation);
    return run_show(options);
  }
  int operator()(const CodeVerbOptions& options) const { return run_code(options); }
  int operator()(const MatchOptions& options) const {
    const TerminalOutput output(options.report.presentation);
    return run_match(options);
  }
  int operator()(const MeasureOptions& options) const {
    const TerminalOutput output(options.report.presentation);
    return run_measure(options);
  }
  int operator()(const StructVerbOptions& options) const { return run_struct_code(options); }
  int operator()(const UsesOptions& options) const {
    const TerminalOutput output(options.report.presentation);
    return run_uses(options);
  }
  int operator()(const PageOptions& options) const { return run_report(options); }
  int operator()(const DiffOptions& options) const {
    const TerminalOutput output(options.presentation);
    return run_diff(options);
  }
  int operator()(const MergeCommand& command) const { return run_merge(command.traces, command.folder); }
  int operator()(const ResolveOptions& options) const { return run_resolve(options); }
  int operator()(const RecoverOptions& options) const { return run_recover(options); }
  int operator()(const ExplainOptions& options) const {
    const TerminalOutput output(options.presentation);
    return run_explain(options);
  }
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
