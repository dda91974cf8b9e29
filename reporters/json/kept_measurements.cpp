#include "reporters/json/kept_measurements.h"

#include <algorithm>
#include <fstream>

#include "reporters/json/kept_document.h"
#include "reporters/json/measure_json.h"
#include "reporters/json/whole_file.h"
#include "reporters/model/types_by_key.h"

namespace ddtscope::reporters {
namespace {

constexpr KeptDocument of_measurements{.file = measured_file_name,
                                       .format = "ddtscope-measured",
                                       .version = 1,
                                       .list = "types",
                                       .what = "file of what was measured",
                                       .advice = "; `ddtscope measure --keep` writes it anew where it is removed."};

/// Nothing where the type is none of the job's.
std::optional<KeptMeasurement> kept_of(const Json& stored, TypesByKey& types) {
  const std::optional<TypeNumber> number = types.find(stored.at("key").get<std::string>());
  return number ? std::optional(kept_measurement_of(stored, *number)) : std::nullopt;
}

}  // namespace

std::optional<std::string> read_kept_measurements(const std::filesystem::path& folder, const Job& job,
                                                  std::vector<KeptMeasurement>& kept) {
  TypesByKey types(job);
  auto problem = read_kept_document(folder, of_measurements, [&](const Json& stored) {
    if (auto one = kept_of(stored, types)) kept.push_back(std::move(*one));
  });
  if (problem) kept.clear();
  return problem;
}

std::optional<TraceProblem> keep_measurement(const std::filesystem::path& folder, const Job& job,
                                             const Measurement& measurement) {
  const FolderLock lock(folder);  // another process may keep another type's
  TypesByKey known(job);
  std::vector<Json> types;  // as they stand there, also of other ranks' files and other traces in the folder
  const auto problem = read_kept_document(folder, of_measurements, [&](const Json& stored) {
    kept_of(stored, known);  // what is damaged is not written again
    types.push_back(stored);
  });
  if (problem) return TraceProblem{TraceProblem::Kind::unreadable, *problem};
  for (const MeasuredType& type : measurement.types) {
    if (!type.plain || type.forms.empty() || !type.forms.front().figures.pack) continue;
    Json newer = kept_measurement_json(job, {measurement.host, measurement.library, measurement.compiler, type});
    std::erase_if(types, [&](const Json& older) { return older.at("key") == newer.at("key"); });
    types.push_back(std::move(newer));
  }
  return write_kept_document(folder, of_measurements, job, types);
}

std::optional<TraceProblem> copy_kept_measurements(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::ifstream kept(from / measured_file_name, std::ios::binary);
  if (!kept) return std::nullopt;
  const std::filesystem::path file = to / measured_file_name;
  const std::error_code error = write_whole_file(file, [&](std::ostream& out) {
    if (kept.peek() != std::ifstream::traits_type::eof()) out << kept.rdbuf();  // which fails where there is nothing
  });
  if (!error) return std::nullopt;
  return TraceProblem{TraceProblem::Kind::unreadable, file.string() + ": cannot be written (" + error.message() + ")."};
}

}  // namespace ddtscope::reporters
