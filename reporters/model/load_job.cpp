// Reading a job: which of the files that were found belong to it, and in which order they are joined.
#include <algorithm>
#include <map>
#include <new>
#include <set>
#include <tuple>

#include "reporters/model/job.h"
#include "reporters/model/job_builder.h"
#include "reporters/model/uses.h"
#include "reporters/trace/read/trace_files.h"

namespace ddtscope::reporters {
namespace {

// More ranks than any machine has: what a header says of the job's size takes no memory that it does not deserve.
constexpr std::size_t missing_ranks_limit = std::size_t{1} << 22;

/// A file of the job, or another source, before it is read.
struct TraceFile {
  TraceFile(std::filesystem::path where, HeaderRecord&& header)
      : path(std::move(where)),
        rank(header.rank),
        world(header.world),
        worlds(std::move(header.worlds)),
        job(std::move(header.job)),
        program(std::move(header.program)),
        constants(header.constants),
        merged(header.merged) {}

  std::filesystem::path path;
  std::optional<Rank> rank;
  WorldNumber world;
  std::vector<World> worlds;  // where it is a merged one of several
  std::string job, program;
  LibraryConstants constants;
  bool merged = false;
  TraceSource* source = nullptr;  // where it is no file

  /// Where it stands among the others; those that are of no world come last.
  std::optional<Rank> place() const { return merged ? Rank{world, 0} : rank; }
};

std::optional<TraceProblem> several_jobs(const std::vector<TraceFile>& traces) {
  std::map<std::string, std::pair<std::size_t, const TraceFile*>> jobs;
  for (const TraceFile& trace : traces) {
    auto& [files, first] = jobs[trace.job];
    ++files;
    first = first == nullptr ? &trace : first;
  }
  if (jobs.size() < 2) {
    return std::nullopt;
  }
  std::string list;
  for (const auto& [name, job] : jobs) {
    list += (list.empty() ? "" : "; ") + name + " (" + std::to_string(job.first) +
            (job.first == 1 ? " file, " : " files, first ") + job.second->path.string() + ", " + job.second->program +
            ")";
  }
  return TraceProblem{TraceProblem::Kind::usage, "these files belong to " + std::to_string(jobs.size()) +
                                                     " jobs: " + list + "; give the files of one job."};
}

/// Where the ranks' files could not all be removed after they were joined, they stand beside the file that has them in
/// it, and say nothing that it does not say.
void leave_out_joined(std::vector<TraceFile>& traces) {
  std::set<std::tuple<std::filesystem::path, std::string, WorldNumber>> joined;  // by folder, job and world
  for (const TraceFile& trace : traces) {
    if (trace.merged && trace.worlds.empty()) {
      joined.emplace(trace.path.parent_path(), trace.job, trace.world);
    }
    for (const World& world : trace.worlds) {
      joined.emplace(trace.path.parent_path(), trace.job, world.number);
    }
  }
  if (joined.empty()) {
    return;
  }
  std::erase_if(traces, [&](const TraceFile& trace) {
    return !trace.merged && trace.rank && joined.contains({trace.path.parent_path(), trace.job, trace.world});
  });
}

std::optional<TraceProblem> merged_and_others(const std::vector<TraceFile>& traces) {
  std::map<WorldNumber, std::size_t> files_of_world;
  std::size_t of_no_world = 0;
  for (const TraceFile& trace : traces) {
    ++(trace.place() ? files_of_world[trace.world] : of_no_world);
  }
  const auto merged = std::find_if(traces.begin(), traces.end(), [&](const TraceFile& trace) {
    const std::size_t others = !trace.worlds.empty() ? traces.size() : files_of_world[trace.world] + of_no_world;
    return trace.merged && others > 1;
  });
  if (merged == traces.end()) {
    return std::nullopt;
  }
  return TraceProblem{TraceProblem::Kind::usage,
                      merged->path.string() + ": is a merged trace, which has all ranks" +
                          (merged->world.is_first() ? "" : " of world " + std::to_string(merged->world.value)) +
                          " in it, but other files were given too; give it alone."};
}

std::optional<TraceProblem> same_rank_twice(const std::vector<TraceFile>& traces) {
  for (std::size_t i = 1; i < traces.size(); ++i) {
    if (traces[i].rank && traces[i].rank == traces[i - 1].rank) {
      return TraceProblem{TraceProblem::Kind::unreadable,
                          traces[i].path.string() + ": rank " + text_of(*traces[i].rank) + " stands in " +
                              traces[i - 1].path.string() + " too; remove one of the two files."};
    }
  }
  return std::nullopt;
}

void find_missing_ranks(Job& job) {
  std::map<WorldNumber, std::int64_t> sizes;
  std::set<Rank> present;
  for (const JobRank& rank : job.ranks) {
    if (rank.header.rank) {
      std::int64_t& size = sizes[rank.header.world];
      size = std::max(size, rank.header.size.value_or(0));
      present.insert(*rank.header.rank);
    }
  }
  for (const auto& [world, size] : sizes) {
    for (Rank rank{world, 0}; rank.number < size; ++rank.number) {
      if (present.contains(rank)) {
        continue;
      }
      if (job.missing_ranks.size() == missing_ranks_limit) {
        job.notes.push_back("rank " + text_of(rank) + " and others after it left nothing to read, either.");
        return;
      }
      job.missing_ranks.push_back(rank);
    }
  }
}

/// Puts the traces of one job into the order of ranks, and reads each once.
template <class Read>
LoadResult join(std::vector<TraceFile>&& traces, std::vector<std::string>&& notes, Read read) {
  if (auto problem = several_jobs(traces)) {
    return std::move(*problem);
  }
  leave_out_joined(traces);
  if (auto problem = merged_and_others(traces)) {
    return std::move(*problem);
  }
  std::stable_sort(traces.begin(), traces.end(), [](const TraceFile& a, const TraceFile& b) {
    return a.place() && (!b.place() || *a.place() < *b.place());
  });
  if (auto problem = same_rank_twice(traces)) {
    return std::move(*problem);
  }
  auto job = std::make_unique<Job>(traces.front().constants);
  job->notes = std::move(notes);
  JobBuilder job_builder(*job);
  for (const TraceFile& trace : traces) {
    job_builder.begin(trace.path);
    if (auto problem = read(trace, job_builder)) {
      return std::move(*problem);
    }
  }
  // A merged file of the first world may have processes without a rank in it, and other worlds' files follow.
  std::stable_sort(job->ranks.begin(), job->ranks.end(), [](const JobRank& a, const JobRank& b) {
    return a.header.rank && (!b.header.rank || *a.header.rank < *b.header.rank);
  });
  // All of them in an order that does not depend on that of the files' lines.
  std::sort(job->failed_calls.begin(), job->failed_calls.end(), [](const FailedCalls& a, const FailedCalls& b) {
    return std::tie(b.count, a.called, a.binding, a.error_class, a.site) <
           std::tie(a.count, b.called, b.binding, b.error_class, b.site);
  });
  sort_uses(*job);
  find_missing_ranks(*job);
  return job;
}

LoadResult load_unguarded(std::span<const std::filesystem::path> paths, const ShowProgress& show_progress) {
  auto found = find_trace_files(paths);
  if (auto* problem = std::get_if<TraceProblem>(&found)) {
    return std::move(*problem);
  }
  // The first lines tell what there is; then each file is read once, in order of ranks.
  TraceReader reader;
  std::vector<TraceFile> traces;
  std::vector<TraceProblem> without_header;
  LoadProgress progress;
  for (const auto& file : std::get<std::vector<std::filesystem::path>>(found)) {
    auto result = reader.read_header(file);
    if (auto* header = std::get_if<HeaderRecord>(&result)) {
      std::error_code error;
      const std::uint64_t bytes = std::filesystem::file_size(file, error);
      progress.bytes_of_all += error ? 0 : bytes;
      traces.emplace_back(file, std::move(*header));
    } else if (auto& problem = std::get<TraceProblem>(result); problem.kind == TraceProblem::Kind::no_header) {
      without_header.push_back(std::move(problem));
    } else {
      return std::move(problem);
    }
  }
  if (traces.empty()) {
    return without_header.front();
  }
  std::vector<std::string> notes;
  for (const TraceProblem& problem : without_header) {
    notes.push_back(problem.sentence);
  }
  if (show_progress) {
    reader.on_progress([&](std::uint64_t bytes) {
      progress.bytes += bytes;
      show_progress(progress);
    });
  }
  return join(std::move(traces), std::move(notes),
              [&](const TraceFile& trace, TraceSink& sink) { return reader.read(trace.path, sink); });
}

LoadResult load_sources(std::span<TraceSource* const> sources) {
  std::vector<TraceFile> traces;
  for (TraceSource* source : sources) {
    auto header = source->header();
    if (auto* problem = std::get_if<TraceProblem>(&header)) {
      return std::move(*problem);
    }
    traces.emplace_back(source->name(), std::move(std::get<HeaderRecord>(header))).source = source;
  }
  return join(std::move(traces), {}, [](const TraceFile& trace, TraceSink& sink) { return trace.source->read(sink); });
}

}  // namespace

LoadResult load_job(std::span<const std::filesystem::path> paths, const ShowProgress& show_progress) {
  return guarded_read("", [&] { return load_unguarded(paths, show_progress); });
}

LoadResult load_job(std::span<TraceSource* const> sources) {
  return guarded_read("", [&] { return load_sources(sources); });
}

}  // namespace ddtscope::reporters
