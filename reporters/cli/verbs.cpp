#include "reporters/cli/verbs.h"

#include <algorithm>
#include <deque>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "reporters/cli/progress.h"
#include "reporters/debug_view/memory_source.h"
#include "reporters/debug_view/view_source.h"
#include "reporters/merge/merge.h"
#include "reporters/model/job.h"
#include "reporters/symbols/symbols.h"
#include "reporters/text/style.h"
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

LoadResult load(const std::vector<std::filesystem::path>& traces) {
  ProgressBar bar;
  return load_job(traces, [&](const LoadProgress& progress) { bar.show(progress); });
}

/// Loads the job and hands it to the verb.
template <class Verb>
int with_job(const ReportOptions& options, Verb verb) {
  LoadResult loaded = load(options.traces);
  if (const auto* problem = std::get_if<TraceProblem>(&loaded)) {
    return refuse(*problem);
  }
  const Job& job = *std::get<std::unique_ptr<Job>>(loaded);
  Analysis analysis(job);
  Symbols symbols;
  return finished(verb(ReportContext{job, analysis, symbols}));
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

}  // namespace

void complain(const std::string& sentence) {
  std::cerr << "ddtscope: " + printable(sentence) + "\n";  // by one write: other ranks may complain at the same time
}

int run_summary(const ReportOptions& options) {
  return with_job(options, [&](const ReportContext& context) {
    options.format->summary(std::cout, context);
    return exit_fine;
  });
}

int run_types(const ReportOptions& options, Grouping grouping) {
  return with_job(options, [&](const ReportContext& context) {
    if (grouping == Grouping::layout) {
      options.format->layout_groups(std::cout, context);
    } else {
      options.format->types(std::cout, context);
    }
    return exit_fine;
  });
}

int run_check(const ReportOptions& options) {
  return with_job(options, [&](const ReportContext& context) {
    options.format->check(std::cout, context);
    const FindingCounts& findings = context.analysis.finding_counts();
    return findings.errors + findings.warnings != 0 || !context.analysis.differences().unexplained.empty()
               ? exit_findings
               : exit_fine;
  });
}

int run_uses(const ReportOptions& options, UsesBy by) {
  return with_job(options, [&](const ReportContext& context) {
    options.format->uses(std::cout, context, by);
    return exit_fine;
  });
}

int run_show(const ShowVerbOptions& options) {
  return with_job(options.report, [&](const ReportContext& context) {
    const auto found = find_type(context.job, options.type);
    if (const auto* problem = std::get_if<TraceProblem>(&found)) {
      return refuse(*problem);
    }
    options.report.format->show(std::cout, context,
                                {std::get<TypeNumber>(found), options.view, options.typemap_entries, options.count,
                                 options.syntax == Syntax::bnf});
    return exit_fine;
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
  if (const auto problem = write_merged(*std::get<std::unique_ptr<Job>>(loaded), folder / "trace.jsonl")) {
    return refuse(*problem);
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
