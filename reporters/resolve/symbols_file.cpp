#include "reporters/resolve/symbols_file.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <utility>

#include "reporters/json/json.h"
#include "reporters/json/whole_file.h"

namespace ddtscope::reporters {
namespace {

constexpr const char* format_name = "ddtscope-symbols";
constexpr int format_version = 1;

/// By build id, or by path where the module has none.
using ModuleKey = std::pair<bool, std::string>;
ModuleKey key_of(const std::string& path, const std::optional<std::string>& build_id) {
  return {build_id.has_value(), build_id.value_or(path)};
}

std::optional<std::string> text_of(const Json& object, const char* member) {
  const Json& value = object.at(member);
  return value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
}

std::uint64_t offset_of(const Json& value) {
  return value.is_string() ? std::stoull(value.get<std::string>()) : value.get<std::uint64_t>();
}

SourceLocation location_of(const Json& object) {
  SourceLocation location;
  location.function = text_of(object, "function");
  for (const Json& function : object.at("inlined_into")) location.inlined_into.push_back(function.get<std::string>());
  location.file = text_of(object, "file");
  if (!object.at("line").is_null()) location.line = object.at("line").get<int>();
  return location;
}

Json json_of(std::uint64_t offset, const SourceLocation& location) {
  return {{"offset", json_count(offset)},
          {"function", location.function ? Json(*location.function) : Json(nullptr)},
          {"inlined_into", location.inlined_into},
          {"file", location.file ? Json(*location.file) : Json(nullptr)},
          {"line", location.line ? Json(*location.line) : Json(nullptr)}};
}

void take(const Json& document, const Job& job, Symbols& symbols) {
  std::map<ModuleKey, const ModuleRecord*> modules;
  for (const ModuleRecord& module : job.modules) {
    if (!module.function) modules.emplace(key_of(module.path, module.build_id), &module);
  }
  for (const Json& stored : document.at("modules")) {
    const auto found = modules.find(key_of(stored.at("path").get<std::string>(), text_of(stored, "build_id")));
    if (found == modules.end()) continue;
    for (const Json& location : stored.at("locations")) {
      symbols.add_known(*found->second, offset_of(location.at("offset")), location_of(location));
    }
  }
}

/// Offsets of the job's frames, by module. Of functions that an interpreter runs the trace itself says the lines.
std::vector<std::vector<std::uint64_t>> places_of(const Job& job) {
  std::vector<std::vector<std::uint64_t>> places(job.modules.size());
  for (const JobFrame& frame : job.frames) {
    if (frame.module && !job.module(*frame.module).function) places[frame.module->value].push_back(frame.offset);
  }
  for (std::vector<std::uint64_t>& of_module : places) {
    std::sort(of_module.begin(), of_module.end());
    of_module.erase(std::unique(of_module.begin(), of_module.end()), of_module.end());
  }
  return places;
}

/// A module with what is known of its places.
Json module_json(const ModuleRecord& module, const std::vector<std::uint64_t>& places, Symbols& symbols,
                 Resolved& resolved) {
  Json locations = Json::array();
  Resolved::Unresolved unresolved{module.path, {}, 0};
  for (const std::uint64_t offset : places) {
    const SourceLocation& location = symbols.resolve(module, offset);
    ++resolved.places;
    resolved.with_function += location.function.has_value();
    resolved.with_line += location.line.has_value();
    if (location.function || location.file) locations.push_back(json_of(offset, location));
    if (location.function) continue;
    ++unresolved.places;
    unresolved.why = location.why_unresolved;
  }
  if (unresolved.places != 0) resolved.unresolved.push_back(std::move(unresolved));
  return {{"path", module.path},
          {"build_id", module.build_id ? Json(*module.build_id) : Json(nullptr)},
          {"locations", std::move(locations)}};
}

}  // namespace

std::filesystem::path folder_of_trace(std::span<const std::filesystem::path> paths) {
  std::error_code error;
  const std::filesystem::path& first = paths.front();
  if (std::filesystem::is_directory(first, error)) return first;
  return first.has_parent_path() ? first.parent_path() : std::filesystem::path(".");
}

std::optional<std::string> read_symbols(const std::filesystem::path& folder, const Job& job, Symbols& symbols) {
  const std::filesystem::path file = folder / symbols_file_name;
  std::ifstream stream(file);
  if (!stream) return std::nullopt;
  const std::string again = "; functions and lines are looked for in the modules, `ddtscope resolve` writes it anew.";
  try {
    const Json document = Json::parse(stream);
    if (document.at("format") != format_name) return file.string() + ": is no file of symbols" + again;
    if (document.at("version").get<int>() > format_version) {
      return file.string() + ": is of version " + std::to_string(document.at("version").get<int>()) +
             ", this ddtscope reads up to version " + std::to_string(format_version) + again;
    }
    take(document, job, symbols);
  } catch (const std::exception&) {  // JSON that is none, members that are missing, numbers out of range
    return file.string() + ": is damaged" + again;
  }
  return std::nullopt;
}

std::variant<Resolved, TraceProblem> write_symbols(const std::filesystem::path& folder, const Job& job,
                                                   Symbols& symbols) {
  Resolved resolved;
  const auto places = places_of(job);
  // All is looked up before the file is made: who is ended meanwhile leaves nothing.
  Json modules = Json::array();
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i].empty()) modules.push_back(module_json(job.modules[i], places[i], symbols, resolved));
  }
  const auto problem = write_whole_file(folder / symbols_file_name, [&](std::ostream& stream) {
    JsonObjectWriter object(stream);
    object.add("format", format_name);
    object.add("version", format_version);
    object.add("job", job.header().job);
    object.add_array("modules", [&](JsonArrayWriter& array) {
      for (const Json& module : modules) array.add(module);
    });
    object.end();
  });
  if (problem) return *problem;
  return resolved;
}

}  // namespace ddtscope::reporters
