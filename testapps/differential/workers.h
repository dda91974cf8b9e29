// The processes that do the batches. This process stays outside MPI, so that no library can take it down: a worker that
// dies is told of, and a new one does its batch again without the definition that it died of.
#pragma once

#include <cstdint>

#include "testapps/differential/batch.h"

namespace ddtscope::differential {

struct RunOptions {
  std::uint64_t seed = 1;
  std::uint64_t first_batch = 0;
  std::uint64_t batches = 1;
  int jobs = 1;
};

struct RunResult {
  BatchResult totals;  // failures apart
  struct Failure {
    BatchOptions batch;  // with its casualties, so that the definition can be made again
    Place place;
    Difference difference;
  };
  std::vector<Failure> failures;
  std::uint64_t deaths = 0;
  /// What ended the run itself; empty if nothing did.
  std::string trouble;
};

RunResult run_batches(const RunOptions& options);

/// The child's side of a fork: no core files, no back traces of the library, small start-up.
void prepare_child();

}  // namespace ddtscope::differential
