// The verbs of the command, and what each takes on the command line.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <span>

#include "reporters/cli/options.h"

namespace ddtscope::reporters {

/// What the words behind a verb ask for: to be called once they have been parsed.
using Asked = std::function<Command()>;

struct Verb {
  const char* name;
  const char* description;
  /// Adds the verb's options to its subcommand.
  Asked (*declare)(CLI::App& verb);
};
/// In the order in which help tells of them.
std::span<const Verb> verbs();

// job_arguments.cpp: verbs of a whole job.
Asked declare_summary(CLI::App& verb);
Asked declare_types(CLI::App& verb);
Asked declare_check(CLI::App& verb);
Asked declare_uses(CLI::App& verb);
Asked declare_pending(CLI::App& verb);
Asked declare_report(CLI::App& verb);
Asked declare_diff(CLI::App& verb);
Asked declare_explain(CLI::App& verb);
// type_arguments.cpp and show_arguments.cpp: verbs of one type, or of two.
Asked declare_show(CLI::App& verb);
Asked declare_match(CLI::App& verb);
Asked declare_code(CLI::App& verb);
/// measure_arguments.cpp
Asked declare_measure(CLI::App& verb);
// file_arguments.cpp: verbs that write traces, or what stands beside them.
/// The program is not among the words that are parsed: whoever takes it off them sets LaunchOptions::command.
Asked declare_exec(CLI::App& verb);
Asked declare_merge(CLI::App& verb);
Asked declare_resolve(CLI::App& verb);
Asked declare_recover(CLI::App& verb);
// debugger_arguments.cpp
/// Neither the program nor the debugger's own words are among those that are parsed: whoever takes them off sets
/// DebuggerOptions::command and own.
Asked declare_gdb(CLI::App& verb);
Asked declare_lldb(CLI::App& verb);

}  // namespace ddtscope::reporters
