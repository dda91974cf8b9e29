// measured.json, which keeps with a trace what was measured of its types.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reporters/measure/measurement.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters {

inline constexpr const char* measured_file_name = "measured.json";

/// Takes what the file in the folder knows of the job's types. Where it is damaged, what to do about it, as a sentence;
/// no file is no damage.
std::optional<std::string> read_kept_measurements(const std::filesystem::path& folder, const Job& job,
                                                  std::vector<KeptMeasurement>& kept);

/// Puts the figures of these types into the file, in the place of older ones; those of all other types, also of other
/// jobs, stay as they were. Where it cannot be written, why.
std::optional<TraceProblem> keep_measurement(const std::filesystem::path& folder, const Job& job,
                                             const Measurement& measurement);

/// What one folder has of such a file, the other one has afterwards, too. Where it cannot be written, why.
std::optional<TraceProblem> copy_kept_measurements(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace ddtscope::reporters
