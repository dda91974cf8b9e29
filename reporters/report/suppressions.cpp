#include "reporters/report/suppressions.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

namespace ddtscope::reporters {
namespace {

constexpr std::string_view blanks = " \t\r";

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

Suppressor::Suppressor(const std::vector<Suppression>& suppressions, const Job& job, Symbols& symbols) {
  for (const Suppression& line : suppressions) lines_.push_back({line.ids, SitePattern(line.pattern, job, symbols)});
}

bool Suppressor::operator()(const FindingKind& kind, FrameIndex site) {
  return std::any_of(lines_.begin(), lines_.end(), [&](Line& line) {
    return (line.ids.empty() || line.ids.contains(id_of(kind))) && line.sites.matches(site);
  });
}

}  // namespace ddtscope::reporters
