// Addressing a type: by id, by key, or by name.
#include <algorithm>
#include <charconv>
#include <string>

#include "reporters/model/job.h"

namespace ddtscope::reporters {
namespace {

std::optional<std::uint64_t> number_of_id(const std::string& text) {
  if (text.size() < 2 || (text[0] != 'T' && text[0] != 't')) {
    return std::nullopt;
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (end != text.data() + text.size()) {
    return std::nullopt;
  }
  return error == std::errc() ? number : UINT64_MAX;
}

std::string known_ids(const Job& job, TypeSource source) {
  if (job.types.empty()) {
    return "the program made no derived datatype";
  }
  return std::string(source.name) + " has T1" +
         (job.types.size() == 1 ? std::string(" only") : " to " + text_of(job.types.back().number));
}

}  // namespace

std::variant<TypeNumber, TraceProblem> find_type(const Job& job, const std::string& text, TypeSource source) {
  const auto unknown = [&](const std::string& what) {
    return TraceProblem{TraceProblem::Kind::usage, what + "; " + known_ids(job, source) + " (`" +
                                                       std::string(source.command) +
                                                       "` lists them with keys and names)."};
  };
  std::vector<TypeNumber> named;
  for (const JobType& type : job.types) {
    const std::vector<std::string>& names = job.names(type.number);
    if (std::find(names.begin(), names.end(), text) != names.end()) {
      named.push_back(type.number);
    }
  }
  // An id is an id, also where the program names a type "T3".
  if (const auto number = number_of_id(text)) {
    if (*number >= 1 && *number <= job.types.size()) {
      return TypeNumber{static_cast<std::uint32_t>(*number)};
    }
    if (named.empty()) {
      return unknown("there is no type " + text);
    }
  }
  if (const auto key = key_from_text(text)) {
    for (const JobType& type : job.types) {
      if (type.key == *key) {
        return type.number;
      }
    }
    if (named.empty()) {
      return unknown("there is no type with key " + text);
    }
  }
  if (named.size() == 1) {
    return named.front();
  }
  if (named.empty()) {
    return unknown("there is no type with id, key or name \"" + text + "\"");
  }
  std::string ids;
  for (const TypeNumber number : named) {
    ids += (ids.empty() ? "" : ", ") + text_of(number);
  }
  return TraceProblem{TraceProblem::Kind::usage, "\"" + text + "\" is the name of " + std::to_string(named.size()) +
                                                     " types: " + ids + "; give one of these ids."};
}

}  // namespace ddtscope::reporters
