#include "reporters/report/suppressions.h"

#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

namespace ddtscope {
namespace {

constexpr std::string_view blanks = " \t\r";

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

/// By its path, or by its name alone.
bool matches_path(const std::string& pattern, const std::string& path) {
  return matches(pattern, path) || matches(pattern, std::filesystem::path(path).filename().string());
}

/// As it is told, or without its parameters.
bool matches_function(const std::string& pattern, const std::string& function) {
  return matches(pattern, function) || matches(pattern, function.substr(0, function.find('(')));
}

std::variant<Suppression, std::string> suppression_of_line(std::string_view line) {
  const std::size_t end = line.find_first_of(blanks);
  const std::size_t pattern = end == std::string_view::npos ? end : line.find_first_not_of(blanks, end);
  if (pattern == std::string_view::npos) {
    return "a line is a finding's id and a pattern of a function, file or module, such as `never-freed libblacs*`.";
  }
  auto ids = finding_ids_of_text(std::string(line.substr(0, end)));
  if (const auto* unknown = std::get_if<std::string>(&ids)) {
    return "there is no finding \"" + *unknown + "\"; `ddtscope explain` lists all.";
  }
  return Suppression{std::move(std::get<0>(ids)), std::string(line.substr(pattern))};
}

}  // namespace

std::variant<std::set<FindingId>, std::string> finding_ids_of_text(const std::string& list) {
  std::set<FindingId> ids;
  if (list == "*") return ids;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string word = list.substr(begin, end - begin);
    const FindingKind* kind = find_finding_kind(word);
    if (kind == nullptr) return word;
    ids.insert(id_of(*kind));
    begin = end + 1;
  }
  return ids;
}

std::variant<std::vector<Suppression>, std::string> read_suppressions(const std::filesystem::path& file) {
  std::error_code error;
  std::ifstream stream(file);
  if (!stream || std::filesystem::is_directory(file, error)) {
    return file.string() + ": the suppressions cannot be read (" + std::strerror(stream ? EISDIR : errno) + ").";
  }
  std::vector<Suppression> suppressions;
  std::string text;
  for (std::size_t number = 1; std::getline(stream, text); ++number) {
    std::string_view line = text;
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    line = line.substr(0, line.find_last_not_of(blanks) + 1);
    if (line.empty() || line.front() == '#') continue;
    auto read = suppression_of_line(line);
    if (const auto* problem = std::get_if<std::string>(&read)) {
      return file.string() + ":" + std::to_string(number) + ": " + *problem;
    }
    suppressions.push_back(std::move(std::get<Suppression>(read)));
  }
  return suppressions;
}

bool Suppressor::operator()(const FindingKind& kind, FrameIndex site) {
  for (std::size_t line = 0; line < suppressions_.size(); ++line) {
    const std::set<FindingId>& ids = suppressions_[line].ids;
    if ((ids.empty() || ids.contains(id_of(kind))) && matches_site(line, site)) return true;
  }
  return false;
}

bool Suppressor::matches_site(std::size_t line, FrameIndex site) {
  const auto [known, is_new] = known_.try_emplace(std::uint64_t{line} << 32 | site.value);
  if (is_new) {
    const std::vector<FrameIndex> stack = job_.stack(site);
    known->second = std::any_of(stack.begin(), stack.end(),
                                [&](FrameIndex frame) { return matches_frame(suppressions_[line].pattern, frame); });
  }
  return known->second;
}

bool Suppressor::matches_frame(const std::string& pattern, FrameIndex index) {
  const JobFrame& frame = job_.frame(index);
  if (!frame.module) return false;
  const ModuleRecord& module = job_.module(*frame.module);
  if (matches_path(pattern, module.path)) return true;
  const SourceLocation& location = symbols_.resolve(module.path, module.build_id, frame.offset);
  return (location.function && matches_function(pattern, *location.function)) ||
         (location.file && matches_path(pattern, *location.file)) ||
         std::any_of(location.inlined_into.begin(), location.inlined_into.end(),
                     [&](const std::string& function) { return matches_function(pattern, function); });
}

}  // namespace ddtscope
