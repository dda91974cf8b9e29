// Verbs that write traces, or what is kept with one: merge, resolve, recover.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "decoder/base/grouped.h"
#include "reporters/buffers/findings_of_buffers.h"
#include "reporters/cli/job_of_verb.h"
#include "reporters/debug_view/memory_source.h"
#include "reporters/debug_view/view_source.h"
#include "reporters/json/kept_measurements.h"
#include "reporters/json/whole_file.h"
#include "reporters/merge/merge.h"
#include "reporters/resolve/kept_sources.h"
#include "reporters/resolve/symbols_file.h"
#include "reporters/symbols/symbols.h"
#include "reporters/text/style.h"
#include "reporters/trace/read/trace_files.h"

namespace ddtscope::reporters {
namespace {

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

constexpr unsigned seconds_for_sources = 2;  // that the end of a job may be later for them

std::string found_text(const DrawnFindings& drawn) {
  const KnownBuffers buffers = drawn.buffers.value_or(KnownBuffers{});
  return counted(buffers.recorded, "place of buffers, ", "places of buffers, ") + grouped(buffers.known) +
         " of known variables; " + counted(std::uint64_t{drawn.findings.size()}, "finding", "findings");
}

/// What the others are, as far as that can be said: a line for each.
std::string unknown_text(const DrawnFindings& drawn) {
  const KnownBuffers buffers = drawn.buffers.value_or(KnownBuffers{});
  std::string text;
  const auto add = [&](std::uint64_t number, const char* what) {
    if (number != 0) text += "  " + std::to_string(number) + " not known, " + what + "\n";
  };
  add(buffers.unknown_in_frames,
      "in a function's frame, where no variable has its place: memory of alloca, or behind the beginning of an array "
      "whose length is not constant");
  add(buffers.unknown_allocated,
      "in allocated memory, to which nothing leads that the debugging information tells of: a compiler's copy of a "
      "section, or variables of which optimised code has left nothing");
  return text;
}

/// Keeps what the sources say, unless they say less than what is kept: then that stays.
std::optional<TraceProblem> keep_sources(const std::filesystem::path& folder, Job& job, const DrawnFindings& drawn) {
  std::optional<DrawnFindings> kept;
  read_kept_sources(folder, job, kept);  // what is damaged is written anew
  const auto known = [](const DrawnFindings& one) { return one.buffers ? one.buffers->known : 0; };
  if (!is_worth_keeping(drawn) || (kept && known(*kept) > known(drawn))) return std::nullopt;
  return write_kept_sources(folder, job, drawn);
}

}  // namespace

int run_resolve(const ResolveOptions& options) {
  if (options.seconds_at_end_of_job != 0) return run_resolve_at_end_of_job(options);
  LoadResult loaded = load(options.traces);
  if (const auto* problem = std::get_if<TraceProblem>(&loaded)) {
    return refuse(*problem);
  }
  Job& job = *std::get<std::unique_ptr<Job>>(loaded);
  const std::filesystem::path folder = folder_of_trace(options.traces);
  Symbols symbols;
  take_kept_symbols(options.traces, job, symbols);
  const auto written = write_symbols(folder, job, symbols);
  if (const auto* problem = std::get_if<TraceProblem>(&written)) {
    return refuse(*problem);
  }
  const Resolved& resolved = std::get<Resolved>(written);
  std::cout << printable((folder / symbols_file_name).string()) << ": "
            << counted(resolved.places, "place in stacks, ", "places in stacks, ") << grouped(resolved.with_function)
            << " with a function, " << grouped(resolved.with_line) << " with a file and line\n";
  for (const Resolved::Unresolved& module : resolved.unresolved) {
    std::cout << "  " << printable(module.module) << ": " << grouped(module.places) << " without a function, because "
              << module.why << "\n";
  }
  const DrawnFindings drawn = findings_of_sources(job);
  if (const auto problem = keep_sources(folder, job, drawn)) return refuse(*problem);
  if (is_worth_keeping(drawn)) {
    std::cout << printable((folder / sources_file_name).string()) << ": " << found_text(drawn) << "\n"
              << unknown_text(drawn);
  }
  return finished(exit_fine);
}

int run_resolve_at_end_of_job(const ResolveOptions& options) {
  // Whoever waits for it may be gone: it ends by itself, and leaves no core in the job's name.
  alarm(options.seconds_at_end_of_job);
  constexpr rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const std::filesystem::path folder = folder_of_trace(options.traces);
  // Spawned worlds end when they like: the last one reads what all have left.
  const FolderLock lock(folder);
  LoadResult loaded = load_job(options.traces);
  const auto told = [](const std::string& sentence, int status) {
    std::cout << sentence << "\n";
    return finished(status);
  };
  if (const auto* problem = std::get_if<TraceProblem>(&loaded)) return told(problem->sentence, exit_unreadable);
  Job& job = *std::get<std::unique_ptr<Job>>(loaded);
  const auto has_place = [](const JobFrame& frame) { return frame.module.has_value(); };
  if (std::none_of(job.frames.begin(), job.frames.end(), has_place)) return told("kept", exit_fine);
  Symbols symbols;
  read_symbols(folder, job, symbols);
  const auto written = write_symbols(folder, job, symbols);
  if (const auto* problem = std::get_if<TraceProblem>(&written)) return told(problem->sentence, exit_unreadable);
  const int status = told("kept", exit_fine);
  // Where that is quick: `ddtscope resolve` does it else, and who looks for findings looks there anew.
  alarm(std::min(options.seconds_at_end_of_job, seconds_for_sources));
  keep_sources(folder, job, findings_of_sources(job));
  return status;
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
  Job& job = *std::get<std::unique_ptr<Job>>(loaded);
  if (const auto problem = write_merged(job, folder / "trace.jsonl")) {
    return refuse(*problem);
  }
  // What was resolved goes with the trace, and what was measured.
  if (std::filesystem::exists(folder_of_trace(traces) / symbols_file_name)) {
    Symbols symbols;
    take_kept_symbols(traces, job, symbols);
    const auto written = write_symbols(folder, job, symbols);
    if (const auto* problem = std::get_if<TraceProblem>(&written)) return refuse(*problem);
  }
  if (const auto sources = take_kept_sources(traces, job)) {
    if (const auto problem = write_kept_sources(folder, job, *sources)) return refuse(*problem);
  }
  if (const auto problem = copy_kept_measurements(folder_of_trace(traces), folder)) return refuse(*problem);
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

}  // namespace ddtscope::reporters
