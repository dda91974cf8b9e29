// The options of each verb, by CLI11.
#include "reporters/cli/options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/json/json_format.h"
#include "reporters/text/picture.h"
#include "reporters/text/report.h"
#include "reporters/trace/format/number_of_text.h"

namespace ddtscope {
namespace {

constexpr std::size_t default_typemap_entries = 1000;
struct Verb {
  const char* name;
  const char* description;
};
/// In the order in which they are told.
constexpr Verb verbs[] = {
    {"exec", "run a program and record its datatypes: ddtscope exec [options] -- PROGRAM ARGS"},
    {"summary", "what the job did with datatypes, on a page"},
    {"types", "all definitions, a line each"},
    {"show", "one type in full, with a picture: ddtscope show TRACE TYPE"},
    {"check", "what is wrong with the types, where the library differs, and what was left behind"},
    {"uses", "what was done with the types, by which calls, and how many bytes that was"},
    {"merge", "one file of a job's many: ddtscope merge TRACE -o DIR"},
    {"recover", "a trace from core files, or from processes: ddtscope recover CORE -o DIR"},
    {"gdb", "gdb with the command `mpitype`: ddtscope gdb [--pid PID | --core CORE] [-- PROGRAM ARGS]"},
    {"lldb", "the same with lldb"},
    {"explain", "what a finding means, with an example: ddtscope explain [ID]"},
};

bool is_verb(std::string_view word) {
  return std::any_of(std::begin(verbs), std::end(verbs), [&](const Verb& verb) { return verb.name == word; });
}

/// "exec, summary or explain", with that word before the last.
std::string list_of_verbs(const std::string& before_last) {
  std::string list;
  for (const Verb& verb : verbs) {
    if (&verb != std::begin(verbs)) {
      list += &verb == std::end(verbs) - 1 ? " " + before_last + " " : ", ";
    }
    list += verb.name;
  }
  return list;
}

Said usage(const std::string& sentence) {
  complain(sentence);
  return {exit_usage};
}

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
    ReportOptions options{{paths.begin(), paths.end()}, {}};
    if (json) {
      options.format = std::make_shared<JsonFormat>();
    } else {
      options.format = std::make_shared<TextFormat>(Style(coloured ? Colour::always : Colour::never));
    }
    return options;
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

  Command command(const std::vector<std::string>& program) {
    if (program.empty()) {
      return usage("say the program after `--`: ddtscope exec [options] -- PROGRAM ARGS");
    }
    launch.command = program;
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
      return usage("-o needs the name of a folder.");
    }
    return launch;
  }

 private:
  CLI::Option* output_ = nullptr;
  CLI::Option* mpi_ = nullptr;
  CLI::Option* stack_ = nullptr;
};

/// `gdb` and `lldb`: what is not ours is the debugger's own.
Command debugger_command(DebuggerKind kind, const std::vector<std::string>& arguments,
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
      return Said{exit_fine};
    }
    if (word != "--pid" && word != "--core" && word != "--mpi") {
      options.own.push_back(word);
      continue;
    }
    if (!has_value) {
      return usage(word + " needs a value.");
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
      return usage(word + " cannot be \"" + value + "\".");
    }
  }
  return options;
}

}  // namespace

Command command_of(std::vector<std::string> arguments) {
  if (arguments.empty()) {
    return usage("say what to do: " + list_of_verbs("or") + "; `ddtscope --help` explains.");
  }
  if (!arguments.front().starts_with('-') && !is_verb(arguments.front())) {
    return usage("there is no verb \"" + arguments.front() + "\"; the verbs are " + list_of_verbs("and") + ".");
  }
  constexpr std::string_view options_before_verb[] = {"-h", "--help", "--version"};
  if (arguments.front().starts_with('-') && std::find(std::begin(options_before_verb), std::end(options_before_verb),
                                                      arguments.front()) == std::end(options_before_verb)) {
    return usage("there is no option " + arguments.front() +
                 " before the verb; `ddtscope --help` shows what can be given.");
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
    return debugger_command(kind, {arguments.begin() + 1, arguments.end()}, command);
  }

  CLI::App app("Shows what MPI derived datatypes really are.", "ddtscope");
  app.set_version_flag("--version", "ddtscope " DDTSCOPE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 fine, 1 findings or differences, 2 usage, 3 unreadable trace; exec gives the program's own.");

  for (const Verb& verb : verbs) {
    app.add_subcommand(verb.name, verb.description);
  }
  CLI::App& exec = *app.get_subcommand("exec");
  ExecArguments exec_arguments;
  exec_arguments.add_to(exec);
  exec.footer("Stands inside the launcher: mpirun -n 4 ddtscope exec -o t -- ./app");

  ReportArguments report;
  const auto add_report = [&](const char* name) -> CLI::App& {
    CLI::App& verb = *app.get_subcommand(name);
    report.add_to(verb);
    return verb;
  };
  const auto takes_traces = [&](CLI::App& verb) {
    verb.add_option("TRACE", report.paths, "the trace's folder, or its files")->required();
  };
  CLI::App& summary = add_report("summary");
  takes_traces(summary);
  CLI::App& types = add_report("types");
  takes_traces(types);
  std::string group_by;
  types.add_option("--group-by", group_by, "layout: types that are the same in memory together")
      ->check(CLI::IsMember({"layout"}));
  CLI::App& check = add_report("check");
  takes_traces(check);
  CLI::App& uses = add_report("uses");
  takes_traces(uses);
  std::string uses_by = "bytes";
  uses.add_option("--by", uses_by, "in the order of bytes (the default) or calls; type or site: what is alike together")
      ->check(CLI::IsMember({"bytes", "calls", "type", "site"}));
  CLI::App& show = add_report("show");
  // Two in one, because the last word is the type. A name with a blank in it is one that CLI11 2.4 refuses.
  show.add_option("TRACE", report.paths, "the trace's folder or files, then an id (T9), key or name")
      ->option_text("... TYPE")
      ->required();
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
  CLI::App& merge = *app.get_subcommand("merge");
  takes_traces(merge);
  std::string merged;
  merge.add_option("-o,--output", merged, "the folder of the merged trace")->required();
  CLI::App& recover = *app.get_subcommand("recover");
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
  CLI::App& explain = add_report("explain");
  std::string finding;
  explain.add_option("ID", finding, "the finding's id, such as copies-overlap; without it, a line for each");

  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes a vector
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error);
      return Said{exit_fine};
    }
    const auto parsed = app.get_subcommands();
    std::string what = error.what();
    std::replace(what.begin(), what.end(), '\n', ' ');
    return usage(what + "; `ddtscope " + (parsed.empty() ? "" : parsed.front()->get_name() + " ") +
                 "--help` shows what can be given.");
  }

  if (exec.parsed()) {
    return exec_arguments.command(command);
  }
  if (summary.parsed()) {
    return SummaryCommand{report.options()};
  }
  if (types.parsed()) {
    return TypesCommand{report.options(), group_by.empty() ? Grouping::none : Grouping::layout};
  }
  if (check.parsed()) {
    return CheckCommand{report.options()};
  }
  if (uses.parsed()) {
    return UsesCommand{report.options(), uses_by == "calls"  ? UsesBy::calls
                                         : uses_by == "type" ? UsesBy::type
                                         : uses_by == "site" ? UsesBy::site
                                                             : UsesBy::bytes};
  }
  if (merge.parsed()) {
    return MergeCommand{{report.paths.begin(), report.paths.end()}, merged};
  }
  if (recover.parsed()) {
    if (cores.empty() && processes.empty()) {
      return usage("say what to recover from: core files, or --pid PID.");
    }
    return RecoverOptions{{cores.begin(), cores.end()}, processes, recovered};
  }
  if (explain.parsed()) {
    const ReportOptions options = report.options();
    return ExplainOptions{finding, options.format};
  }
  if (report.paths.size() < 2) {
    return usage("show needs a trace and a type: ddtscope show TRACE TYPE; `ddtscope types TRACE` lists the types.");
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
        return usage("--typemap takes a number of entries, but \"" + typemap + "\" is none.");
      }
    }
  }
  if (count_option->count() != 0) {
    options.count = number_of_text<std::int64_t>(count);
    if (!options.count || *options.count < 0) {
      return usage("--count takes a number of copies, but \"" + count + "\" is none.");
    }
  }
  if (bnf) {
    options.syntax = Syntax::bnf;
  }
  return options;
}

}  // namespace ddtscope
