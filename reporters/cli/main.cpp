// The `ddtscope` command: arguments in, a verb run.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/cli/launch.h"
#include "reporters/cli/verbs.h"

namespace {

using namespace ddtscope;

constexpr std::size_t default_typemap_entries = 1000;
constexpr std::string_view verbs[] = {"exec",  "summary", "types", "show", "check",
                                      "merge", "recover", "gdb",   "lldb", "explain"};

/// Options that all reports share.
struct ReportArguments {
  std::vector<std::string> paths;
  bool json = false;
  std::string colour = "auto";

  void add_to(CLI::App& verb) {
    verb.add_flag("--json", json, "print JSON instead of text");
    verb.add_option("--color", colour, "auto (the default), always or never; NO_COLOR is honoured")
        ->check(CLI::IsMember({"auto", "always", "never"}));
  }

  ReportOptions options() const {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    const bool wanted = (no_colour == nullptr || *no_colour == '\0') &&
                        !(terminal != nullptr && std::strcmp(terminal, "dumb") == 0) && isatty(STDOUT_FILENO) == 1;
    const bool coloured = colour == "always" || (colour == "auto" && wanted);
    return {
        {paths.begin(), paths.end()}, json ? Format::json : Format::text, coloured ? Colour::always : Colour::never};
  }
};

struct ExecArguments {
  LaunchOptions launch;
  std::string output, mpi;
  unsigned stack = 0;

  void add_to(CLI::App& verb) {
    output_ = verb.add_option("-o,--output", output, "the trace's folder (default: ddtscope-<program>-<jobid>)");
    mpi_ = verb.add_option("--mpi", mpi, "openmpi or mpich, for scripts and programs that load MPI later")
               ->check(CLI::IsMember({"openmpi", "mpich"}));
    stack_ = verb.add_option("--stack", stack, "frames of each call site: 16 by default, 0 for none")
                 ->check(CLI::Range(0, 1024));
    verb.add_flag("--verify", launch.verify, "compare each definition with the library's own answers");
    verb.add_flag("--quiet", launch.quiet, "no line about the trace at the end of the job");
  }

  int run(const std::vector<std::string>& command) {
    launch.command = command;
    if (output_->count() != 0) {
      launch.output = output;
    }
    if (mpi_->count() != 0) {
      launch.mpi = mpi_library_of_text(mpi);
    }
    if (stack_->count() != 0) {
      launch.stack = stack;
    }
    if (launch.output && launch.output->empty()) {
      complain("-o needs the name of a folder.");
      return exit_usage;
    }
    const LaunchProblem problem = ddtscope::launch(launch);
    complain(problem.sentence);
    return problem.status;
  }

 private:
  CLI::Option* output_ = nullptr;
  CLI::Option* mpi_ = nullptr;
  CLI::Option* stack_ = nullptr;
};

/// Empty where the text is no number of that kind, or does not fit.
template <class Integer>
std::optional<Integer> number_of_text(const std::string& text) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

/// `gdb` and `lldb`: what is not ours is the debugger's own.
int run_debugger(DebuggerKind kind, const std::vector<std::string>& arguments,
                 const std::vector<std::string>& command) {
  DebuggerOptions options;
  options.kind = kind;
  options.command = command;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const bool has_value = i + 1 < arguments.size();
    if (word == "-h" || word == "--help") {
      const char* name = kind == DebuggerKind::gdb ? "gdb" : "lldb";
      std::cout << "ddtscope " << name << " [--pid PID | --core CORE] [--mpi openmpi|mpich] [options of " << name
                << "] [-- PROGRAM ARGS]\nStarts " << name
                << " with the command `mpitype`; a program that it runs is preloaded.\n";
      return exit_fine;
    }
    if (word != "--pid" && word != "--core" && word != "--mpi") {
      options.own.push_back(word);
      continue;
    }
    if (!has_value) {
      complain(word + " needs a value.");
      return exit_usage;
    }
    const std::string& value = arguments[++i];
    if (word == "--pid") {
      options.process = number_of_text<std::int64_t>(value);
    } else if (word == "--core") {
      options.core = value;
    } else {
      options.mpi = mpi_library_of_text(value);
    }
    if ((word == "--pid" && (options.process.value_or(0) <= 0 || *options.process > INT32_MAX)) ||
        (word == "--mpi" && !options.mpi)) {
      complain(word + " cannot be \"" + value + "\".");
      return exit_usage;
    }
  }
  const LaunchProblem problem = launch_debugger(options);
  complain(problem.sentence);
  return problem.status;
}

int run(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.empty()) {
    complain(
        "say what to do: exec, summary, types, show, check, merge, recover, gdb, lldb or explain; `ddtscope --help` "
        "explains.");
    return exit_usage;
  }
  if (!arguments.front().starts_with('-') &&
      std::find(std::begin(verbs), std::end(verbs), arguments.front()) == std::end(verbs)) {
    complain("there is no verb \"" + arguments.front() +
             "\"; the verbs are exec, summary, types, show, check, merge, recover, gdb, lldb and explain.");
    return exit_usage;
  }
  constexpr std::string_view options_before_verb[] = {"-h", "--help", "--version"};
  if (arguments.front().starts_with('-') && std::find(std::begin(options_before_verb), std::end(options_before_verb),
                                                      arguments.front()) == std::end(options_before_verb)) {
    complain("there is no option " + arguments.front() +
             " before the verb; `ddtscope --help` shows what can be given.");
    return exit_usage;
  }
  // What stands after `--` belongs to the program, however it looks.
  std::vector<std::string> command;
  const bool is_debugger = arguments.front() == "gdb" || arguments.front() == "lldb";
  if (arguments.front() == "exec" || is_debugger) {
    const auto mark = std::find(arguments.begin(), arguments.end(), "--");
    const bool marked = mark != arguments.end();
    command.assign(marked ? mark + 1 : mark, arguments.end());
    arguments.erase(mark, arguments.end());
  }

  if (is_debugger) {
    const DebuggerKind kind = arguments.front() == "gdb" ? DebuggerKind::gdb : DebuggerKind::lldb;
    return run_debugger(kind, {arguments.begin() + 1, arguments.end()}, command);
  }

  CLI::App app("Shows what MPI derived datatypes really are.", "ddtscope");
  app.set_version_flag("--version", "ddtscope " DDTSCOPE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 fine, 1 findings or differences, 2 usage, 3 unreadable trace; exec gives the program's own.");

  CLI::App& exec =
      *app.add_subcommand("exec", "run a program and record its datatypes: ddtscope exec [options] -- PROGRAM ARGS");
  ExecArguments exec_arguments;
  exec_arguments.add_to(exec);
  exec.footer("Stands inside the launcher: mpirun -n 4 ddtscope exec -o t -- ./app");

  ReportArguments report;
  const auto add_report = [&](const char* name, const char* description) -> CLI::App& {
    CLI::App& verb = *app.add_subcommand(name, description);
    report.add_to(verb);
    return verb;
  };
  const auto takes_traces = [&](CLI::App& verb) {
    verb.add_option("TRACE", report.paths, "the trace's folder, or its files")->required();
  };
  CLI::App& summary = add_report("summary", "what the job did with datatypes, on a page");
  takes_traces(summary);
  CLI::App& types = add_report("types", "all definitions, a line each");
  takes_traces(types);
  std::string group_by;
  types.add_option("--group-by", group_by, "layout: types that are the same in memory together")
      ->check(CLI::IsMember({"layout"}));
  CLI::App& check =
      add_report("check", "what is wrong with the types, where the library differs, and what was left behind");
  takes_traces(check);
  CLI::App& show = add_report("show", "one type in full, with a picture: ddtscope show TRACE TYPE");
  show.add_option("TRACE TYPE", report.paths, "the trace's folder or files, then an id (T9), key or name")->required();
  std::string view;
  show.add_option("--view", view, "rows, grid, runs or tree, instead of what suits the type")
      ->check(CLI::IsMember({"rows", "grid", "runs", "tree"}));
  std::string typemap;
  CLI::Option* typemap_option = show.add_option("--typemap", typemap, "the first N entries of the typemap (1000)")
                                    ->type_name("N")
                                    ->expected(0, 1);
  std::string count;
  CLI::Option* count_option =
      show.add_option("--count", count, "how much memory N copies need, and from where")->type_name("N");
  bool bnf = false;
  show.add_flag("--bnf", bnf, "spell the type in the print syntax of 1995 too");
  CLI::App& merge = *app.add_subcommand("merge", "one file of a job's many: ddtscope merge TRACE -o DIR");
  takes_traces(merge);
  std::string merged;
  merge.add_option("-o,--output", merged, "the folder of the merged trace")->required();
  CLI::App& recover =
      *app.add_subcommand("recover", "a trace from core files, or from processes: ddtscope recover CORE -o DIR");
  std::vector<std::string> cores;
  recover.add_option("CORE", cores, "core files of one job's processes");
  std::vector<std::int64_t> processes;
  recover.add_option("--pid", processes, "a process that runs, of the same user; it stands still while it is read")
      ->type_name("PID")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{INT32_MAX}))
      ->expected(1)
      ->take_all();
  std::string recovered;
  recover.add_option("-o,--output", recovered, "the folder of the recovered trace")->required();
  // Only for the list of verbs: their options are taken apart above.
  app.add_subcommand("gdb", "gdb with the command `mpitype`: ddtscope gdb [--pid PID | --core CORE] [-- PROGRAM ARGS]");
  app.add_subcommand("lldb", "the same with lldb");
  CLI::App& explain = add_report("explain", "what a finding means, with an example: ddtscope explain [ID]");
  std::string finding;
  explain.add_option("ID", finding, "the finding's id, such as copies-overlap; without it, a line for each");

  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes a vector
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error);
      return exit_fine;
    }
    const auto parsed = app.get_subcommands();
    std::string what = error.what();
    std::replace(what.begin(), what.end(), '\n', ' ');
    complain(what + "; `ddtscope " + (parsed.empty() ? "" : parsed.front()->get_name() + " ") +
             "--help` shows what can be given.");
    return exit_usage;
  }

  if (exec.parsed()) {
    if (command.empty()) {
      complain("say the program after `--`: ddtscope exec [options] -- PROGRAM ARGS");
      return exit_usage;
    }
    return exec_arguments.run(command);
  }
  if (summary.parsed()) {
    return run_summary(report.options());
  }
  if (types.parsed()) {
    return run_types(report.options(), group_by.empty() ? Grouping::none : Grouping::layout);
  }
  if (check.parsed()) {
    return run_check(report.options());
  }
  if (merge.parsed()) {
    return run_merge({report.paths.begin(), report.paths.end()}, merged);
  }
  if (recover.parsed()) {
    if (cores.empty() && processes.empty()) {
      complain("say what to recover from: core files, or --pid PID.");
      return exit_usage;
    }
    return run_recover({{cores.begin(), cores.end()}, processes, recovered});
  }
  if (explain.parsed()) {
    const ReportOptions options = report.options();
    return run_explain({finding, options.format, options.colour});
  }
  if (report.paths.size() < 2) {
    complain("show needs a trace and a type: ddtscope show TRACE TYPE; `ddtscope types TRACE` lists the types.");
    return exit_usage;
  }
  ShowVerbOptions options;
  options.type = report.paths.back();
  report.paths.pop_back();
  options.report = report.options();
  options.view = view_of_text(view);
  if (typemap_option->count() != 0) {
    options.typemap_entries = default_typemap_entries;
    if (!typemap.empty()) {
      options.typemap_entries = number_of_text<std::size_t>(typemap);
      if (!options.typemap_entries) {
        complain("--typemap takes a number of entries, but \"" + typemap + "\" is none.");
        return exit_usage;
      }
    }
  }
  if (count_option->count() != 0) {
    options.count = number_of_text<std::int64_t>(count);
    if (!options.count || *options.count < 0) {
      complain("--count takes a number of copies, but \"" + count + "\" is none.");
      return exit_usage;
    }
  }
  if (bnf) {
    options.syntax = Syntax::bnf;
  }
  return run_show(options);
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::cerr << "ddtscope: there is not enough memory for this; use a larger machine.\n";
  } catch (const std::exception& error) {
    std::cerr << "ddtscope: this should not have happened: " << error.what() << "; please report it.\n";
  }
  return exit_unreadable;
}
