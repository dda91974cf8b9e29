#include "reporters/json/kept_measurements.h"

#include <algorithm>
#include <fstream>
#include <variant>

#include "reporters/json/json.h"
#include "reporters/json/measure_json.h"
#include "reporters/json/whole_file.h"

namespace ddtscope::reporters {
namespace {

constexpr const char* format_name = "ddtscope-measured";
constexpr int format_version = 1;

/// Calls `take` with each type's figures. Where the file is damaged, or `take` throws, what to do about it.
template <class Take>
std::optional<std::string> each_stored(const std::filesystem::path& folder, const Take& take) {
  const std::filesystem::path file = folder / measured_file_name;
  std::ifstream stream(file);
  if (!stream) return std::nullopt;
  const std::string again = "; `ddtscope measure --keep` writes it anew where it is removed.";
  try {
    const Json document = Json::parse(stream);
    if (document.at("format") != format_name) return file.string() + ": is no file of what was measured" + again;
    if (document.at("version").get<int>() > format_version) {
      return file.string() + ": is of version " + std::to_string(document.at("version").get<int>()) +
             ", this ddtscope reads up to version " + std::to_string(format_version) + again;
    }
    for (const Json& stored : document.at("types")) take(stored);
  } catch (const std::exception&) {  // JSON that is none, members that are missing, numbers out of range
    return file.string() + ": is damaged" + again;
  }
  return std::nullopt;
}

/// Nothing where the type is none of the job's.
std::optional<KeptMeasurement> kept_of(const Json& stored, const Job& job) {
  const auto type = find_type(job, stored.at("key").get<std::string>());
  const auto* number = std::get_if<TypeNumber>(&type);
  return number != nullptr ? std::optional(kept_measurement_of(stored, *number)) : std::nullopt;
}

}  // namespace

std::optional<std::string> read_kept_measurements(const std::filesystem::path& folder, const Job& job,
                                                  std::vector<KeptMeasurement>& kept) {
  auto problem = each_stored(folder, [&](const Json& stored) {
    if (auto one = kept_of(stored, job)) kept.push_back(std::move(*one));
  });
  if (problem) kept.clear();
  return problem;
}

std::optional<TraceProblem> keep_measurement(const std::filesystem::path& folder, const Job& job,
                                             const Measurement& measurement) {
  std::vector<Json> types;  // as they stand there, also of other ranks' files and other traces in the folder
  const auto problem = each_stored(folder, [&](const Json& stored) {
    kept_of(stored, job);  // what is damaged is not written again
    types.push_back(stored);
  });
  if (problem) return TraceProblem{TraceProblem::Kind::unreadable, *problem};
  for (const MeasuredType& type : measurement.types) {
    if (!type.plain || type.forms.empty() || !type.forms.front().figures.pack) continue;
    Json newer = kept_measurement_json(job, {measurement.host, measurement.library, measurement.compiler, type});
    std::erase_if(types, [&](const Json& older) { return older.at("key") == newer.at("key"); });
    types.push_back(std::move(newer));
  }
  return write_whole_file(folder / measured_file_name, [&](std::ostream& stream) {
    JsonObjectWriter object(stream);
    object.add("format", format_name);
    object.add("version", format_version);
    object.add("job", job.header().job);
    object.add_array("types", [&](JsonArrayWriter& array) {
      for (const Json& type : types) array.add(type);
    });
    object.end();
  });
}

}  // namespace ddtscope::reporters
