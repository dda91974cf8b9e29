// `ddtscope measure`: its options, and what it does with the types of a job.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reporters/cli/launch.h"
#include "reporters/cli/verbs.h"

namespace ddtscope::reporters {

struct MeasureOptions {
  ReportOptions report;  // without traces: `type` is a text
  std::string type;      // empty: those that are worth it
  BoundsRule rule = BoundsRule::standard;
  std::optional<MpiLibrary> mpi;  // empty: the trace's
  std::string compiler;           // a command; empty: the one of the MPI library
  std::string launcher;           // a command; empty: none
  std::optional<std::int64_t> count;
  unsigned seconds = 120;  // for a compilation, and for a run
  bool keeps = false;      // the figures beside the trace
};

/// Measures and reports; the exit status.
int measure(const MeasureOptions& options, const Job& job, const std::vector<TypeNumber>& types);

/// The verb. `how`: what is done with the types that were asked for, or are worth it.
using MeasureTypes = std::function<int(const MeasureOptions&, const Job&, const std::vector<TypeNumber>&)>;
int run_measure(const MeasureOptions& options, const MeasureTypes& how = measure);

}  // namespace ddtscope::reporters
