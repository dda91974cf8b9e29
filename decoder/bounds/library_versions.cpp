#include "decoder/bounds/library_versions.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

namespace ddtscope {
namespace {

constexpr ModelledRelease by_text[] = {
    {BoundsRule::standard, BoundsModel::standard, {4, 1}, "MPI-4.1", "4.1", "4.1"},
};
constexpr ModelledRelease of_openmpi[] = {
    {BoundsRule::openmpi, BoundsModel::openmpi_4_1, {4, 1, 4}, "Open MPI 4.1.4", "4.1.4", "4.1"},
    {BoundsRule::openmpi, BoundsModel::openmpi_5_0, {5, 0, 7}, "Open MPI 5.0.7", "5.0.7", "5.0"},
    {BoundsRule::openmpi,
     BoundsModel::openmpi_6_0,
     {6, 0, 0, ReleaseNumber::candidate, 2},
     "Open MPI 6.0.0rc2",
     "6.0.0rc2",
     "6.0"},
};
constexpr ModelledRelease of_mpich[] = {
    {BoundsRule::mpich, BoundsModel::mpich_4_0, {4, 0, 2}, "MPICH 4.0.2", "4.0.2", "4.0"},
    {BoundsRule::mpich, BoundsModel::mpich_4_0, {4, 2, 1}, "MPICH 4.2.1", "4.2.1", "4.2"},
    {BoundsRule::mpich, BoundsModel::mpich_5_0, {5, 0, 2}, "MPICH 5.0.2", "5.0.2", "5.0"},
};

/// What stands before the number where the library says its own name; a vendor's derivative says another one.
std::string_view introduction(BoundsRule library) {
  switch (library) {
    case BoundsRule::standard:
      break;
    case BoundsRule::openmpi:
      return "Open MPI v";
    case BoundsRule::mpich:
      return "MPICH Version:";
  }
  return "";
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes the number at the beginning off the text.
std::optional<int> take_integer(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || !is_digit(text.front()) || error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<ReleaseNumber::Stage> take_stage(std::string_view& text) {
  static constexpr std::pair<std::string_view, ReleaseNumber::Stage> stages[] = {{"rc", ReleaseNumber::candidate},
                                                                                 {"a", ReleaseNumber::alpha},
                                                                                 {"b", ReleaseNumber::beta},
                                                                                 {"p", ReleaseNumber::patched}};
  for (const auto& [word, stage] : stages) {
    if (!text.starts_with(word)) continue;
    text.remove_prefix(word.size());
    return stage;
  }
  return std::nullopt;
}

/// "6.0.0rc2", "3.4", "4.1.5a1": the whole of a word.
std::optional<ReleaseNumber> release_number(std::string_view word) {
  ReleaseNumber number;
  const std::optional<int> major = take_integer(word);
  if (!major) return std::nullopt;
  number.major = *major;
  for (int* part : {&number.minor, &number.patch}) {
    if (!word.starts_with('.')) break;
    word.remove_prefix(1);
    const std::optional<int> value = take_integer(word);
    if (!value) return std::nullopt;
    *part = *value;
  }
  if (const std::optional<ReleaseNumber::Stage> stage = take_stage(word)) {
    number.stage = *stage;
    number.stage_number = take_integer(word).value_or(0);
  }
  // Distributions and snapshots put more behind a dash or a plus sign, which is no release of its own.
  if (!word.empty() && word.front() != '-' && word.front() != '+') return std::nullopt;
  return number;
}

std::string_view first_word(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_first_of(" \t\r\n,"));
}

}  // namespace

std::string first_line_of_version(std::string_view library_version) {
  std::string line(library_version.substr(0, library_version.find_first_of("\r\n")));
  std::replace(line.begin(), line.end(), '\t', ' ');  // MPICH's
  return line;
}

std::string product_and_release(std::string_view library_version) {
  const std::string line = first_line_of_version(library_version);
  return line.substr(0, line.find(','));
}

std::string_view text_of(BoundsRule rule) {
  switch (rule) {
    case BoundsRule::standard:
      return "standard";
    case BoundsRule::openmpi:
      return "openmpi";
    case BoundsRule::mpich:
      return "mpich";
  }
  return "";
}

std::string_view product_name(BoundsRule rule) {
  switch (rule) {
    case BoundsRule::standard:
      break;
    case BoundsRule::openmpi:
      return "Open MPI";
    case BoundsRule::mpich:
      return "MPICH";
  }
  return "";
}

std::span<const ModelledRelease> modelled_releases(BoundsRule rule) {
  switch (rule) {
    case BoundsRule::standard:
      break;
    case BoundsRule::openmpi:
      return of_openmpi;
    case BoundsRule::mpich:
      return of_mpich;
  }
  return by_text;
}

const ModelledRelease& newest_release(BoundsRule rule) { return modelled_releases(rule).back(); }

std::string text_of_releases(const ModelledRelease& first, const ModelledRelease& last) {
  if (first.rule == BoundsRule::standard) return std::string(first.name);
  std::string text = std::string(product_name(first.rule)) + " " + std::string(first.series);
  if (&first != &last) text += " to " + std::string(last.series);
  return text;
}

TakenRelease release_taken_for(BoundsRule library, std::string_view library_version) {
  const std::span<const ModelledRelease> releases = modelled_releases(library);
  if (library == BoundsRule::standard) return {&releases.back(), ""};
  std::string_view text = library_version;
  const bool is_introduced = text.starts_with(introduction(library));
  if (is_introduced) text.remove_prefix(introduction(library).size());
  const std::string_view word = first_word(text);
  const std::optional<ReleaseNumber> number =
      is_introduced || word.size() == text.size() ? release_number(word) : std::nullopt;
  const auto is_taken = [](const ModelledRelease& release) {
    return "the rule of " + std::string(release.name) + " is taken.";
  };
  if (!number) {
    const std::string name = product_and_release(library_version);
    return {&releases.back(), (name.empty() ? "The library does not say which it is"
                                            : "\"" + name + "\" is no release that ddtscope models") +
                                  ": " + is_taken(releases.back())};
  }
  const std::string name = std::string(product_name(library)) + " " + std::string(word);
  const ModelledRelease* taken = nullptr;
  for (const ModelledRelease& release : releases) {
    if (release.number <= *number) taken = &release;
  }
  if (taken == nullptr) {
    return {&releases.front(), name + " is older than what ddtscope models: " + is_taken(releases.front())};
  }
  if (taken->number == *number) return {taken, ""};
  const std::string_view how = taken == &releases.back() ? " is newer than what ddtscope models: "
                                                         : " is not among the releases that ddtscope models: ";
  return {taken, name + std::string(how) + is_taken(*taken)};
}

}  // namespace ddtscope
