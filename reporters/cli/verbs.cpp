#include "reporters/cli/verbs.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "reporters/cli/measure_verb.h"
#include "reporters/cli/progress.h"
#include "reporters/code/struct_code.h"
#include "reporters/debug_view/memory_source.h"
#include "reporters/debug_view/view_source.h"
#include "reporters/html/diff_page.h"
#include "reporters/html/report.h"
#include "reporters/measure/subject.h"
#include "reporters/merge/merge.h"
#include "reporters/model/job.h"
#include "reporters/model/job_of_text.h"
#include "reporters/report/suppressions.h"
#include "reporters/report/type_match.h"
#include "reporters/resolve/symbols_file.h"
#include "reporters/source/records_of_program.h"
#include "reporters/struct_layout/struct_layout.h"
#include "reporters/symbols/symbols.h"
#include "reporters/text/style.h"
#include "reporters/text/uses_csv.h"
#include "reporters/trace/read/trace_files.h"

namespace ddtscope {
namespace {

int status_of(const TraceProblem& problem) {
  return problem.kind == TraceProblem::Kind::usage ? exit_usage : exit_unreadable;
}

int refuse(const TraceProblem& problem) {
  complain(problem.sentence);
  return status_of(problem);
}

/// A report that was cut by a full disk must not pass for a whole one.
int finished(int status) {
  std::cout.flush();
  if (!std::cout) {
    complain("the report could not be written to the standard output; is the disk full?");
    return exit_unreadable;
  }
  return status;
}

void tell_unknown_kinds(const Job& job) {
  if (job.unknown_kinds.empty()) return;
  std::string list;
  for (const std::string& kind : job.unknown_kinds) list += (list.empty() ? "" : ", ") + kind;
  complain("the trace has records of kinds that this ddtscope does not know (" + list +
           "); they are left out, use the ddtscope that wrote it, or a newer one, to see them.");
}

LoadResult load_with_bar(const std::vector<std::filesystem::path>& traces) {
  ProgressBar bar;
  return load_job(traces, [&](const LoadProgress& progress) { bar.show(progress); });
}

LoadResult load(const std::vector<std::filesystem::path>& traces) {
  LoadResult loaded = load_with_bar(traces);
  if (const auto* job = std::get_if<std::unique_ptr<Job>>(&loaded)) tell_unknown_kinds(**job);
  return loaded;
}

/// Loads the job and hands it to the verb.
template <class Verb>
int with_job(const std::vector<std::filesystem::path>& traces, Verb verb) {
  LoadResult loaded = load(traces);
  if (const auto* problem = std::get_if<TraceProblem>(&loaded)) {
    return refuse(*problem);
  }
  const Job& job = *std::get<std::unique_ptr<Job>>(loaded);
  Analysis analysis(job);
  Symbols symbols;
  if (const auto problem = read_symbols(folder_of_trace(traces), job, symbols)) complain(*problem);
  return finished(verb(ReportContext{job, analysis, symbols}));
}

template <class Verb>
int with_job(const ReportOptions& options, Verb verb) {
  return with_job(options.traces, verb);
}

struct WantedType {
  std::string text;
  BoundsRule rule = BoundsRule::standard;  // where no trace is given
};

/// Hands the verb a type of the traces, or without traces the one that the text describes.
template <class Verb>
int with_type(const std::vector<std::filesystem::path>& traces, const WantedType& wanted, Verb verb) {
  if (traces.empty()) {
    const auto made = job_of_text(wanted.text, wanted.rule);
    if (const auto* problem = std::get_if<TextProblem>(&made)) {
      complain(problem->sentence, problem->excerpt);
      return exit_usage;
    }
    const JobOfText& text = std::get<JobOfText>(made);
    Analysis analysis(*text.job);
    Symbols symbols;
    return finished(verb(ReportContext{*text.job, analysis, symbols}, text.type));
  }
  return with_job(traces, [&](const ReportContext& context) {
    const auto found = find_type(context.job, wanted.text);
    if (const auto* problem = std::get_if<TraceProblem>(&found)) {
      const bool is_call = is_type_text(wanted.text) && problem->kind == TraceProblem::Kind::usage;
      return is_call ? refuse({problem->kind, "there is no type of the name \"" + wanted.text +
                                                  "\"; a constructor call is given without a trace."})
                     : refuse(*problem);
    }
    return verb(context, std::get<TypeNumber>(found));
  });
}

SourceAnswer source_of(const Job& job, TypeNumber type) {
  SourceAnswer answer;
  const std::vector<TypeNumber> candidates = struct_like_types(job);
  if (std::find(candidates.begin(), candidates.end(), type) == candidates.end()) {
    answer.why_not.push_back("It is not made by MPI_Type_create_struct, or has too many entries.");
    return answer;
  }
  std::vector<StructLayout> found = struct_layouts(job, {&type, 1}, &answer.why_not);
  if (!found.empty()) answer.layout = std::move(found.front());
  return answer;
}

/// A page that is written whole, or not at all: `write` fills the stream. Gives `status` where that was possible.
template <class Write>
int write_page(const std::filesystem::path& path, Write write, int status) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) {
    complain(path.string() + ": cannot be written (" + std::strerror(errno) + "); give another file with -o.");
    return exit_usage;
  }
  write(out);
  out.close();
  if (!out) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) std::filesystem::remove(path, ignored);
    complain(path.string() + ": could not be written; is the disk full?");
    return exit_unreadable;
  }
  return status;
}

/// Reads a view and lets go of the memory: a process must not stand still longer than that.
std::optional<TraceProblem> take_view(MemorySourceResult&& opened, std::deque<ViewContents>& views,
                                      std::vector<std::unique_ptr<ViewSource>>& sources) {
  if (auto* problem = std::get_if<TraceProblem>(&opened)) {
    return std::move(*problem);
  }
  const std::unique_ptr<MemorySource> memory = std::move(std::get<std::unique_ptr<MemorySource>>(opened));
  auto read = read_debug_view(*memory);
  if (auto* problem = std::get_if<TraceProblem>(&read)) {
    return std::move(*problem);
  }
  views.push_back(std::move(std::get<ViewContents>(read)));
  sources.push_back(std::make_unique<ViewSource>(views.back(), memory->name()));
  return std::nullopt;
}

/// The folder that a trace is to be written into, made with its parents. It is removed again where nothing is written.
class NewFolder {
 public:
  explicit NewFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
    for (auto path = folder_; !path.empty() && !std::filesystem::exists(path, error_); path = path.parent_path()) {
      made_.push_back(path);
    }
    std::filesystem::create_directories(folder_, error_);
  }
  ~NewFolder() {
    for (const auto& path : made_) {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);  // not if it holds anything
    }
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// False, said why, where it cannot be made, or holds a trace.
  bool is_free_for_trace() const {
    if (error_) {
      complain(folder_.string() + ": the folder cannot be made (" + error_.message() + "); give another with -o.");
      return false;
    }
    const std::filesystem::path folders[] = {folder_};
    if (!std::holds_alternative<TraceProblem>(find_trace_files(folders))) {
      complain(folder_.string() + ": holds a trace already, which is never overwritten; give another folder with -o.");
      return false;
    }
    return true;
  }

 private:
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> made_;  // innermost first
  std::error_code error_;
};

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
  return with_job(options, [&](const ReportContext& context) {
    options.format->summary(std::cout, context);
    return exit_fine;
  });
}

int run_types(const TypesOptions& options) {
  return with_job(options.report, [&](const ReportContext& context) {
    if (options.grouping == Grouping::layout) {
      options.report.format->layout_groups(std::cout, context);
    } else {
      options.report.format->types(std::cout, context, options.order);
    }
    return exit_fine;
  });
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
  return with_job(options.report, [&](const ReportContext& context) {
    FindingFilter filter{options.ignored};
    if (!suppressions.empty()) filter.is_suppressed = Suppressor(suppressions, context.job, context.symbols);
    JobFindings findings(context.job, context.analysis, std::move(filter), findings_of_structs(context.job));
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
  return with_job(options.report, [&](const ReportContext& context) {
    if (options.output == UsesOutput::csv) {
      write_uses_csv(std::cout, context, options.query);
    } else {
      options.report.format->uses(std::cout, context, options.query);
    }
    return exit_fine;
  });
}

int run_show(const ShowVerbOptions& options) {
  return with_type(
      options.report.traces, {options.type, options.rule}, [&](const ReportContext& context, TypeNumber type) {
        if (options.array) {
          const auto coverage = coverage_of_array(context.job, type, *options.array, options.count.value_or(1));
          if (const auto* problem = std::get_if<std::string>(&coverage)) {
            complain(*problem);
            return exit_usage;
          }
        }
        std::optional<SourceAnswer> source;
        if (options.with_source) source = source_of(context.job, type);
        options.report.format->show(std::cout, context,
                                    {type, options.view, options.typemap_entries, options.count,
                                     options.syntax == Syntax::bnf, options.array, std::move(source)});
        return exit_fine;
      });
}

int run_code(const CodeVerbOptions& options) {
  if (!options.traces.empty() && find_predefined_name(options.type) != nullptr) {
    complain(options.type + " is a predefined datatype: nothing makes it.");
    return exit_usage;
  }
  return with_type(options.traces, {options.type, options.rule}, [&](const ReportContext& context, TypeNumber type) {
    const auto code = code_of(context.job, {type, options.language, options.extent});
    if (const auto* problem = std::get_if<NoCode>(&code)) {
      complain(problem->sentence);
      return exit_usage;
    }
    std::cout << std::get<std::string>(code);
    return exit_fine;
  });
}

namespace {

/// One of two types: of the trace's job, or one that is written down, or a predefined one.
std::variant<MatchParty, int> party_of(const std::shared_ptr<const Job>& job, const WantedType& wanted) {
  const PredefinedName* predefined = find_predefined_name(wanted.text);
  if (is_type_text(wanted.text) || predefined != nullptr) {
    const std::string text = predefined != nullptr ? "MPI_Type_dup(" + wanted.text + ")" : wanted.text;
    auto made = job_of_text(text, wanted.rule);
    if (const auto* problem = std::get_if<TextProblem>(&made)) {
      complain(problem->sentence, problem->excerpt);
      return exit_usage;
    }
    JobOfText& of_text = std::get<JobOfText>(made);
    return MatchParty{std::move(of_text.job), of_text.type, 1, predefined != nullptr ? wanted.text : ""};
  }
  if (!job) {
    complain("say the trace of " + wanted.text + ": ddtscope match TRACE TYPE TYPE.");
    return exit_usage;
  }
  const auto found = find_type(*job, wanted.text);
  if (const auto* problem = std::get_if<TraceProblem>(&found)) return refuse(*problem);
  return MatchParty{job, std::get<TypeNumber>(found), 1, ""};
}

}  // namespace

int run_match(const MatchOptions& options) {
  std::shared_ptr<const Job> job;
  if (!options.report.traces.empty()) {
    LoadResult loaded = load(options.report.traces);
    if (const auto* problem = std::get_if<TraceProblem>(&loaded)) return refuse(*problem);
    job = std::move(std::get<std::unique_ptr<Job>>(loaded));
  }
  auto send = party_of(job, {options.send, options.rule});
  if (const int* status = std::get_if<int>(&send)) return *status;
  auto receive = party_of(job, {options.receive, options.rule});
  if (const int* status = std::get_if<int>(&receive)) return *status;
  std::get<MatchParty>(send).count = options.send_count;
  std::get<MatchParty>(receive).count = options.receive_count;
  const TypeMatch match = match_of(std::move(std::get<MatchParty>(send)), std::move(std::get<MatchParty>(receive)));
  options.report.format->match(std::cout, match);
  const bool is_tolerated = match.grade == MatchGrade::same_bytes && options.fail_on == Severity::error;
  return finished(match.grade == MatchGrade::fine || is_tolerated ? exit_fine : exit_findings);
}

int run_measure(const MeasureOptions& options) {
  if (options.type.empty()) {
    return with_job(options.report, [&](const ReportContext& context) {
      return measure(options, context.job, types_worth_measuring(context.job));
    });
  }
  return with_type(
      options.report.traces, {options.type, options.rule},
      [&](const ReportContext& context, TypeNumber type) { return measure(options, context.job, {type}); });
}

int run_struct_code(const StructVerbOptions& options) {
  const auto found = find_record(options.program, options.record);
  if (const auto* problem = std::get_if<std::string>(&found)) {
    complain(*problem);
    return exit_usage;
  }
  const std::string program = options.program.substr(options.program.rfind('/') + 1);
  const auto code = code_of_struct(std::get<NamedRecord>(found), {program, options.language});
  if (const auto* problem = std::get_if<NoCode>(&code)) {
    complain(problem->sentence);
    return exit_usage;
  }
  std::cout << std::get<std::string>(code);
  return finished(exit_fine);
}

int run_resolve(const ResolveOptions& options) {
  if (options.seconds_at_end_of_job != 0) return run_resolve_at_end_of_job(options);
  LoadResult loaded = load(options.traces);
  if (const auto* problem = std::get_if<TraceProblem>(&loaded)) {
    return refuse(*problem);
  }
  const Job& job = *std::get<std::unique_ptr<Job>>(loaded);
  const std::filesystem::path folder = folder_of_trace(options.traces);
  Symbols symbols;
  if (const auto problem = read_symbols(folder, job, symbols)) complain(*problem);
  const auto written = write_symbols(folder, job, symbols);
  if (const auto* problem = std::get_if<TraceProblem>(&written)) {
    return refuse(*problem);
  }
  const Resolved& resolved = std::get<Resolved>(written);
  std::cout << printable((folder / symbols_file_name).string()) << ": " << resolved.places << " places in stacks, "
            << resolved.with_function << " with a function, " << resolved.with_line << " with a file and line\n";
  for (const Resolved::Unresolved& module : resolved.unresolved) {
    std::cout << "  " << printable(module.module) << ": " << module.places << " without a function, because "
              << module.why << "\n";
  }
  return finished(exit_fine);
}

int run_resolve_at_end_of_job(const ResolveOptions& options) {
  // Whoever waits for it may be gone: it ends by itself, and leaves no core in the job's name.
  alarm(options.seconds_at_end_of_job);
  constexpr rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const std::filesystem::path folder = folder_of_trace(options.traces);
  // Spawned worlds end when they like: the last one reads what all have left. Never closed, so that it holds to the
  // end.
  const int lock = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock >= 0) flock(lock, LOCK_EX);
  const LoadResult loaded = load_job(options.traces);
  const auto told = [](const std::string& sentence, int status) {
    std::cout << sentence << "\n";
    return finished(status);
  };
  if (const auto* problem = std::get_if<TraceProblem>(&loaded)) return told(problem->sentence, exit_unreadable);
  const Job& job = *std::get<std::unique_ptr<Job>>(loaded);
  const auto has_place = [](const JobFrame& frame) { return frame.module.has_value(); };
  if (std::none_of(job.frames.begin(), job.frames.end(), has_place)) return told("kept", exit_fine);
  Symbols symbols;
  read_symbols(folder, job, symbols);
  const auto written = write_symbols(folder, job, symbols);
  if (const auto* problem = std::get_if<TraceProblem>(&written)) return told(problem->sentence, exit_unreadable);
  return told("kept", exit_fine);
}

int run_report(const PageOptions& options) {
  return with_job(options.traces, [&](const ReportContext& context) {
    return write_page(
        options.file, [&](std::ostream& out) { write_html_report(out, context); }, exit_fine);
  });
}

int run_diff(const DiffOptions& options) {
  return with_job(std::vector{options.before}, [&](const ReportContext& before) {
    return with_job(std::vector{options.after}, [&](const ReportContext& after) {
      const DiffInput input{before, after};
      const JobDiff diff = diff_of(input);
      const bool asks_for_bytes =
          std::find(options.fail_on.begin(), options.fail_on.end(), FailOn::bytes) != options.fail_on.end();
      if (asks_for_bytes && !diff.compares_uses) {
        complain("these traces do not say how many bytes were used: nothing fails on bytes.");
      }
      const bool fails = options.fail_on.empty() ? !diff.is_same()
                                                 : std::any_of(options.fail_on.begin(), options.fail_on.end(),
                                                               [&](FailOn what) { return has(diff, what); });
      const int status = fails ? exit_findings : exit_fine;
      if (options.page.empty()) {
        options.format->diff(std::cout, input, diff);
        return status;
      }
      return write_page(
          options.page, [&](std::ostream& out) { write_html_diff(out, input, diff); }, status);
    });
  });
}

int run_merge(const std::vector<std::filesystem::path>& traces, const std::filesystem::path& folder) {
  const NewFolder made(folder);
  if (!made.is_free_for_trace()) {
    return exit_usage;
  }
  LoadResult loaded = load(traces);
  if (const auto* problem = std::get_if<TraceProblem>(&loaded)) {
    return refuse(*problem);
  }
  const Job& job = *std::get<std::unique_ptr<Job>>(loaded);
  if (const auto problem = write_merged(job, folder / "trace.jsonl")) {
    return refuse(*problem);
  }
  // What was resolved goes with the trace.
  if (const std::filesystem::path from = folder_of_trace(traces); std::filesystem::exists(from / symbols_file_name)) {
    Symbols symbols;
    if (const auto problem = read_symbols(from, job, symbols)) complain(*problem);
    const auto written = write_symbols(folder, job, symbols);
    if (const auto* problem = std::get_if<TraceProblem>(&written)) return refuse(*problem);
  }
  return exit_fine;
}

int run_recover(const RecoverOptions& options) {
  const NewFolder made(options.folder);
  if (!made.is_free_for_trace()) {
    return exit_usage;
  }
  std::deque<ViewContents> views;
  std::vector<std::unique_ptr<ViewSource>> sources;
  std::optional<TraceProblem> problem;
  const auto add = [&](MemorySourceResult memory) {
    problem = take_view(std::move(memory), views, sources);
    return !problem;
  };
  for (std::size_t i = 0; i < options.cores.size() && !problem; ++i) add(open_core(options.cores[i]));
  for (std::size_t i = 0; i < options.processes.size() && !problem; ++i) {
    add(open_process(static_cast<pid_t>(options.processes[i])));
  }
  if (problem) {
    return refuse(*problem);
  }
  std::vector<TraceSource*> pointers;
  for (const auto& source : sources) pointers.push_back(source.get());
  const LoadResult loaded = load_job(pointers);
  if (const auto* refused = std::get_if<TraceProblem>(&loaded)) {
    return refuse(*refused);
  }
  const Job& job = *std::get<std::unique_ptr<Job>>(loaded);
  if (const auto unwritten = write_merged(job, options.folder / "trace.jsonl")) {
    return refuse(*unwritten);
  }
  for (const std::string& note : job.notes) complain(note);
  return std::any_of(views.begin(), views.end(), [](const ViewContents& view) { return view.is_damaged(); })
             ? exit_findings
             : exit_fine;
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

}  // namespace ddtscope
