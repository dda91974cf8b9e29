#include "reporters/resolve/symbols_file.h"

#include <algorithm>
#include <map>
#include <utility>

#include "reporters/json/kept_document.h"

namespace ddtscope::reporters {
namespace {

constexpr KeptDocument of_symbols{
    .file = symbols_file_name,
    .format = "ddtscope-symbols",
    .version = 1,
    .list = "modules",
    .what = "file of symbols",
    .advice = "; functions and lines are looked for in the modules, `ddtscope resolve` writes it anew."};

/// By build id, or by path where the module has none.
using ModuleKey = std::pair<bool, std::string>;
ModuleKey key_of(const std::string& path, const std::optional<std::string>& build_id) {
  return {build_id.has_value(), build_id.value_or(path)};
}

std::optional<std::string> text_of(const Json& object, const char* member) {
  const Json& value = object.at(member);
  return value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
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

using ModulesByKey = std::map<ModuleKey, const ModuleRecord*>;
ModulesByKey modules_by_key(const Job& job) {
  ModulesByKey modules;
  for (const ModuleRecord& module : job.modules) {
    if (!module.function) modules.emplace(key_of(module.path, module.build_id), &module);
  }
  return modules;
}

void take(const Json& stored, const ModulesByKey& modules, Symbols& symbols) {
  const auto found = modules.find(key_of(stored.at("path").get<std::string>(), text_of(stored, "build_id")));
  if (found == modules.end()) return;
  for (const Json& location : stored.at("locations")) {
    symbols.add_known(*found->second, count_of_json(location.at("offset")), location_of(location));
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
  const ModulesByKey modules = modules_by_key(job);
  return read_kept_document(folder, of_symbols, [&](const Json& stored) { take(stored, modules, symbols); });
}

std::variant<Resolved, TraceProblem> write_symbols(const std::filesystem::path& folder, const Job& job,
                                                   Symbols& symbols) {
  Resolved resolved;
  const auto places = places_of(job);
  // All is looked up before the file is made: who is ended meanwhile leaves nothing.
  std::vector<Json> modules;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i].empty()) modules.push_back(module_json(job.modules[i], places[i], symbols, resolved));
  }
  if (const auto problem = write_kept_document(folder, of_symbols, job, modules)) return *problem;
  return resolved;
}

}  // namespace ddtscope::reporters
