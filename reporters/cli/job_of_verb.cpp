#include "reporters/cli/job_of_verb.h"

#include <iostream>
#include <memory>

#include "reporters/cli/progress.h"
#include "reporters/json/kept_measurements.h"
#include "reporters/resolve/kept_sources.h"
#include "reporters/resolve/symbols_file.h"

namespace ddtscope::reporters {
namespace {

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

}  // namespace

int refuse(const TraceProblem& problem) {
  complain(problem.sentence);
  return problem.kind == TraceProblem::Kind::usage ? exit_usage : exit_unreadable;
}

int finished(int status) {
  std::cout.flush();
  if (!std::cout) {
    complain("the report could not be written to the standard output; is the disk full?");
    return exit_unreadable;
  }
  return status;
}

LoadResult load(const std::vector<std::filesystem::path>& traces) {
  LoadResult loaded = load_with_bar(traces);
  if (const auto* job = std::get_if<std::unique_ptr<Job>>(&loaded)) tell_unknown_kinds(**job);
  return loaded;
}

void take_kept_symbols(const std::vector<std::filesystem::path>& traces, const Job& job, Symbols& symbols) {
  if (const auto problem = read_symbols(folder_of_trace(traces), job, symbols)) complain(*problem);
}

std::optional<DrawnFindings> take_kept_sources(const std::vector<std::filesystem::path>& traces, Job& job) {
  std::optional<DrawnFindings> kept;
  if (const auto problem = read_kept_sources(folder_of_trace(traces), job, kept)) complain(*problem);
  return kept;
}

std::vector<KeptMeasurement> take_kept_measurements(const std::vector<std::filesystem::path>& traces, const Job& job) {
  std::vector<KeptMeasurement> kept;
  if (const auto problem = read_kept_measurements(folder_of_trace(traces), job, kept)) complain(*problem);
  return kept;
}

std::variant<TypeNumber, int> type_of(const Job& job, const WantedType& wanted) {
  const auto found = find_type(job, wanted.text);
  const auto* problem = std::get_if<TraceProblem>(&found);
  if (problem == nullptr) return std::get<TypeNumber>(found);
  const bool is_call = is_type_text(wanted.text) && problem->kind == TraceProblem::Kind::usage;
  return is_call ? refuse({problem->kind, "there is no type of the name \"" + wanted.text +
                                              "\"; a constructor call is given without a trace."})
                 : refuse(*problem);
}

std::variant<JobOfText, int> written_type(const WantedType& wanted) {
  auto made = job_of_text(wanted.text, wanted.rule);
  if (auto* text = std::get_if<JobOfText>(&made)) return std::move(*text);
  const TextProblem& problem = std::get<TextProblem>(made);
  complain(problem.sentence, problem.excerpt);
  return exit_usage;
}

}  // namespace ddtscope::reporters
