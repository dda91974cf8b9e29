// Timing types with the MPI library at hand, by a program that is written, compiled and run for each.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reporters/measure/measurement.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters {

struct MeasureSettings {
  std::vector<std::string> compiler;  // a command that compiles and links C for MPI, and its options
  std::vector<std::string> launcher;  // what stands before the program; empty: it runs by itself
  std::optional<std::int64_t> copies;
  std::chrono::milliseconds limit{120000};  // of a compilation, and of a run
};

struct MeasureResult {
  Measurement measurement;
  std::string problem;      // a sentence: the types that are not in the measurement cannot be measured here
  bool has_failed = false;  // what the problem is: something gave way, such as a disk; else what was asked for is wrong
};
MeasureResult measure_types(const Job& job, const std::vector<TypeNumber>& types, const MeasureSettings& settings);

}  // namespace ddtscope::reporters
