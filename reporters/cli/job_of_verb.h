// How verbs get the job of which they tell, and end. Their own: verbs.h is what others see.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reporters/cli/verbs.h"
#include "reporters/measure/measurement.h"
#include "reporters/model/job.h"
#include "reporters/model/job_of_text.h"
#include "reporters/report/report_format.h"
#include "reporters/symbols/symbols.h"

namespace ddtscope::reporters {

/// Says what is wrong. The exit status.
int refuse(const TraceProblem& problem);
/// The exit status of a verb that has written its report to the standard output: one that was cut by a full disk must
/// not pass for a whole one.
int finished(int status);
/// With a bar where it takes long. Says which kinds of records are not known.
LoadResult load(const std::vector<std::filesystem::path>& traces);
/// Functions and lines as far as they are kept with the trace. Says what is wrong with them.
void take_kept_symbols(const std::vector<std::filesystem::path>& traces, const Job& job, Symbols& symbols);

/// What the program's sources say, where that is kept with the trace. Says what is wrong with it.
std::optional<DrawnFindings> take_kept_sources(const std::vector<std::filesystem::path>& traces, Job& job);

/// Figures of types as far as they are kept with the trace. Says what is wrong with them.
std::vector<KeptMeasurement> take_kept_measurements(const std::vector<std::filesystem::path>& traces, const Job& job);

/// Loads the job and hands it to the verb.
template <class Verb>
int with_job(const std::vector<std::filesystem::path>& traces, Verb verb) {
  LoadResult loaded = load(traces);
  if (const auto* problem = std::get_if<TraceProblem>(&loaded)) {
    return refuse(*problem);
  }
  Job& job = *std::get<std::unique_ptr<Job>>(loaded);
  Analysis analysis(job);
  Symbols symbols;
  take_kept_symbols(traces, job, symbols);
  const std::vector<KeptMeasurement> measured = take_kept_measurements(traces, job);
  const std::optional<DrawnFindings> sources = take_kept_sources(traces, job);
  return finished(verb(ReportContext{job, analysis, symbols, &measured, sources ? &*sources : nullptr}));
}

struct WantedType {
  std::string text;
  BoundsRule rule = BoundsRule::standard;  // where no trace is given
};
/// A type of the job; else says what is wrong, and gives the exit status.
std::variant<TypeNumber, int> type_of(const Job& job, const WantedType& wanted);
/// A type that is written down; else says what is wrong, and gives the exit status.
std::variant<JobOfText, int> written_type(const WantedType& wanted);

/// Hands the verb a type of the traces, or without traces the one that the text describes.
template <class Verb>
int with_type(const std::vector<std::filesystem::path>& traces, const WantedType& wanted, Verb verb) {
  if (traces.empty()) {
    const auto made = written_type(wanted);
    if (const int* status = std::get_if<int>(&made)) return *status;
    const JobOfText& text = std::get<JobOfText>(made);
    Analysis analysis(*text.job);
    Symbols symbols;
    return finished(verb(ReportContext{*text.job, analysis, symbols}, text.type));
  }
  return with_job(traces, [&](const ReportContext& context) {
    const auto found = type_of(context.job, wanted);
    if (const int* status = std::get_if<int>(&found)) return *status;
    return verb(context, std::get<TypeNumber>(found));
  });
}

}  // namespace ddtscope::reporters
