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

void take(const Json& document, const Job& job, std::vector<KeptMeasurement>& kept) {
  for (const Json& stored : document.at("types")) {
    const auto type = find_type(job, stored.at("key").get<std::string>());
    if (const auto* number = std::get_if<TypeNumber>(&type)) kept.push_back(kept_measurement_of(stored, *number));
  }
}

}  // namespace

std::optional<std::string> read_kept_measurements(const std::filesystem::path& folder, const Job& job,
                                                  std::vector<KeptMeasurement>& kept) {
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
    take(document, job, kept);
  } catch (const std::exception&) {  // JSON that is none, members that are missing, numbers out of range
    kept.clear();
    return file.string() + ": is damaged" + again;
  }
  return std::nullopt;
}

std::optional<TraceProblem> keep_measurement(const std::filesystem::path& folder, const Job& job,
                                             const Measurement& measurement) {
  std::vector<KeptMeasurement> kept;
  if (const auto problem = read_kept_measurements(folder, job, kept)) {
    return TraceProblem{TraceProblem::Kind::unreadable, *problem};
  }
  for (const MeasuredType& type : measurement.types) {
    if (!type.plain || type.forms.empty() || !type.forms.front().figures.pack) continue;
    std::erase_if(kept, [&](const KeptMeasurement& older) { return older.type.type == type.type; });
    kept.push_back({measurement.host, measurement.library, measurement.compiler, type});
  }
  return write_whole_file(folder / measured_file_name, [&](std::ostream& stream) {
    JsonObjectWriter object(stream);
    object.add("format", format_name);
    object.add("version", format_version);
    object.add("job", job.header().job);
    object.add_array("types", [&](JsonArrayWriter& array) {
      for (const KeptMeasurement& one : kept) array.add(kept_measurement_json(job, one));
    });
    object.end();
  });
}

}  // namespace ddtscope::reporters
