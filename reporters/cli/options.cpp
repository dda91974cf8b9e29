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
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/cli/debugger_arguments.h"
#include "reporters/cli/listing_arguments.h"
#include "reporters/cli/type_arguments.h"
#include "reporters/json/json_format.h"
#include "reporters/report/suppressions.h"
#include "reporters/sarif/sarif_format.h"
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
    {"exec", "run a program and record its datatypes: ddtscope exec [options] PROGRAM ARGS"},
    {"summary", "what the job did with datatypes, on a page"},
    {"types", "all definitions, a line each"},
    {"show", "one type in full, with a picture: ddtscope show TRACE TYPE, or ddtscope show 'MPI_Type_vector(...)'"},
    {"check", "what is wrong with the types, where the library differs, and what was left behind"},
    {"uses", "what was done with the types, by which calls, and how many bytes that was"},
    {"match", "whether what is sent as one type may be received as another: ddtscope match TRACE TYPE TYPE"},
    {"code", "the calls that make a type, as source text: ddtscope code TRACE TYPE --language c|fortran|python"},
    {"report", "a page for the browser, in one file: ddtscope report TRACE -o FILE.html"},
    {"diff", "what changed from one job to another: ddtscope diff OLD NEW"},
    {"merge", "one file of a job's many: ddtscope merge TRACE -o DIR"},
    {"resolve", "functions and lines of the call sites, kept with the trace: ddtscope resolve TRACE"},
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

/// Options that all reports share.
struct ReportArguments {
  std::vector<std::string> paths;
  bool json = false;
  std::string colour = "auto";
  bool is_wide = false, has_no_pager = false;

  void add_to(CLI::App& verb) {
    verb.add_flag("--json", json, "print JSON instead of text");
    verb.add_option("--color", colour, "auto (the default), always or never; NO_COLOR is honoured")
        ->check(CLI::IsMember({"auto", "always", "never"}));
    verb.add_flag("--wide", is_wide, "lines as long as they are, also where the terminal is not so wide");
    verb.add_flag("--no-pager", has_no_pager,
                  "no pager (DDTSCOPE_PAGER, PAGER or less) for what is longer than the screen");
  }

  ReportOptions options() const {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    const bool wanted = (no_colour == nullptr || *no_colour == '\0') &&
                        !(terminal != nullptr && std::strcmp(terminal, "dumb") == 0) && isatty(STDOUT_FILENO) == 1;
    const bool coloured = colour == "always" || (colour == "auto" && wanted);
    ReportOptions options{
        {paths.begin(), paths.end()},
        {},
        {is_wide || json ? Fit::none : Fit::to_terminal, has_no_pager ? Paging::none : Paging::when_long}};
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
    mpi_ = verb.add_option("--mpi", mpi, "for scripts and programs that load MPI later")
               ->check(CLI::IsMember(mpi_library_texts()));
    stack_ = verb.add_option("--stack", stack, "frames of each call site: 16 by default, 0 for none")
                 ->check(CLI::Range(0, 1024));
    verb.add_flag("--verify", launch.verify, "compare each definition with the library's own answers");
    verb.add_flag("--quiet", launch.quiet, "no line about the trace at the end of the job");
  }

  Command command(const std::vector<std::string>& program) {
    if (program.empty()) {
      return usage(
          "say the program: ddtscope exec [options] PROGRAM ARGS, or after `--` where its name begins with a dash.");
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

struct CheckArguments {
  std::string fail_on = "warning";
  std::vector<std::string> ignored, suppressions;
  bool sarif = false;

  void add_to(CLI::App& verb) {
    verb.add_flag("--sarif", sarif, "print the findings as SARIF 2.1.0, for code hosts and editors")
        ->excludes(verb.get_option("--json"));
    verb.add_option("--fail-on", fail_on, "error, warning (the default) or note: from which on the exit status is 1")
        ->check(CLI::IsMember({"error", "warning", "note"}));
    verb.add_option("--ignore", ignored, "findings to leave out, by id: never-freed,simpler-type")
        ->type_name("ID,...")
        ->expected(1)
        ->take_all();
    verb.add_option("--suppressions", suppressions,
                    "a file of findings to leave out by call site, such as system-libraries.supp, which is installed")
        ->type_name("FILE")
        ->expected(1)
        ->take_all();
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
        ->excludes(verb.get_option("--json"));
    verb.add_option("--fail-on", fail_on, "status 1 for these alone: new-leak, new-error, new-warning, count, bytes")
        ->delimiter(',')
        ->type_name("LIST");
  }

  Command command(const ReportOptions& report) const {
    DiffOptions options{before, after, report.format, page, {}, report.presentation};
    for (const std::string& word : fail_on) {
      const std::optional<FailOn> what = fail_on_of_text(word);
      if (!what)
        return usage("--fail-on takes new-leak, new-error, new-warning, count and bytes, but not \"" + word + "\".");
      options.fail_on.push_back(*what);
    }
    return options;
  }
};

/// Where the options of `exec` end: at `--`, or at the first word that is neither an option nor the value of one.
std::vector<std::string>::iterator end_of_exec_options(std::vector<std::string>& arguments) {
  auto word = arguments.begin() + 1;
  while (word != arguments.end() && word->starts_with('-') && *word != "--") {
    const bool has_value = *word == "-o" || *word == "--output" || *word == "--mpi" || *word == "--stack";
    word += has_value && word + 1 != arguments.end() ? 2 : 1;
  }
  return word;
}

/// What CLI11 did not expect, in the order in which it was given: its versions have orders of their own.
std::string unexpected_words(const CLI::App& app, const std::vector<std::string>& given) {
  std::vector<std::string> left = app.remaining(true);
  std::string list;
  for (const std::string& word : given) {
    const auto found = std::find(left.begin(), left.end(), word);
    if (found == left.end()) continue;
    left.erase(found);
    list += " " + word;
  }
  return "The following arguments were not expected:" + list;
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
    const auto mark =
        is_debugger ? std::find(arguments.begin(), arguments.end(), "--") : end_of_exec_options(arguments);
    const bool marked = mark != arguments.end() && *mark == "--";
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
      "Exit status: 0 fine, 1 findings or differences, 2 usage, 3 unreadable trace, or nothing found in an incomplete "
      "one; "
      "exec gives the program's own.");

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
  RuleArguments rule_arguments;
  const auto takes_type = [&](CLI::App& verb) {
    // Two in one, because the last word is the type. A name with a blank in it is one that CLI11 2.4 refuses.
    verb.add_option("TRACE", report.paths,
                    "the trace's folder or files, then an id (T9), key or name; or a constructor call alone")
        ->option_text("... TYPE")
        ->required();
    rule_arguments.add_to(verb);
  };
  CLI::App& summary = add_report("summary");
  takes_traces(summary);
  CLI::App& types = add_report("types");
  takes_traces(types);
  TypesArguments types_arguments;
  types_arguments.add_to(types);
  CLI::App& check = add_report("check");
  takes_traces(check);
  CheckArguments check_arguments;
  check_arguments.add_to(check);
  CLI::App& uses = add_report("uses");
  takes_traces(uses);
  UsesArguments uses_arguments;
  uses_arguments.add_to(uses);
  CLI::App& show = add_report("show");
  takes_type(show);
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
  ArrayArguments array_arguments;
  array_arguments.add_to(show);
  bool source = false;
  show.add_flag("--source", source, "beside the struct of the program that it stands for, member by member (needs -g)");
  CLI::App& match = add_report("match");
  MatchArguments match_arguments;
  match_arguments.add_to(match, report.paths);
  rule_arguments.add_to(match);
  CLI::App& code = *app.get_subcommand("code");
  takes_type(code);
  CodeArguments code_arguments;
  code_arguments.add_to(code);
  CLI::App& page = *app.get_subcommand("report");
  takes_traces(page);
  std::string page_file;
  page.add_option("-o,--output", page_file, "the HTML file, which needs no other and no network")->required();
  CLI::App& diff = add_report("diff");
  DiffArguments diff_arguments;
  diff_arguments.add_to(diff);
  CLI::App& merge = *app.get_subcommand("merge");
  takes_traces(merge);
  std::string merged;
  merge.add_option("-o,--output", merged, "the folder of the merged trace")->required();
  CLI::App& resolve = *app.get_subcommand("resolve");
  takes_traces(resolve);
  unsigned seconds = 0;
  // The plugin's: quiet, and ended by itself. No group: help does not show it.
  resolve.add_option("--at-end-of-job", seconds, "the seconds that it may take")
      ->group("")
      ->check(CLI::Range(1, INT32_MAX));
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

  const std::vector<std::string> given = arguments;
  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes a vector
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error);
      return Said{exit_fine};
    }
    const auto parsed = app.get_subcommands();
    std::string what = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ? unexpected_words(app, given)
                                                                                : std::string(error.what());
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
    return types_arguments.options(report.options());
  }
  if (check.parsed()) {
    return check_arguments.command(report.options());
  }
  if (match.parsed()) {
    return match_arguments.command(report.options(), rule_arguments);
  }
  if (code.parsed()) {
    return code_arguments.command(report.paths, rule_arguments);
  }
  if (page.parsed()) {
    return PageOptions{{report.paths.begin(), report.paths.end()}, page_file};
  }
  if (diff.parsed()) {
    return diff_arguments.command(report.options());
  }
  if (uses.parsed()) {
    return uses_arguments.options(report.options());
  }
  if (merge.parsed()) {
    return MergeCommand{{report.paths.begin(), report.paths.end()}, merged};
  }
  if (resolve.parsed()) {
    return ResolveOptions{{report.paths.begin(), report.paths.end()}, seconds};
  }
  if (recover.parsed()) {
    if (cores.empty() && processes.empty()) {
      return usage("say what to recover from: core files, or --pid PID.");
    }
    return RecoverOptions{{cores.begin(), cores.end()}, processes, recovered};
  }
  if (explain.parsed()) {
    const ReportOptions options = report.options();
    return ExplainOptions{finding, options.format, options.presentation};
  }
  ShowVerbOptions options;
  if (const std::string wrong = rule_arguments.take_type("show", report.paths, options.type); !wrong.empty()) {
    return usage(wrong);
  }
  options.rule = rule_arguments.rule();
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
  auto array = array_arguments.value();
  if (const auto* problem = std::get_if<std::string>(&array)) {
    return usage(*problem);
  }
  options.array = std::move(std::get<0>(array));
  if (source && options.report.traces.empty()) return usage("--source is of a type of a trace: its program tells.");
  options.with_source = source;
  return options;
}

}  // namespace ddtscope
