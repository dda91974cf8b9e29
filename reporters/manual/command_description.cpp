#include "reporters/manual/command_description.h"

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "decoder/findings/finding_kinds.h"
#include "reporters/cli/verb_arguments.h"

namespace ddtscope::reporters {
namespace {

/// What values are called, and what that means to a shell.
constexpr std::pair<std::string_view, Offer> offers[] = {
    {"DIR", Offer::folders},
    {"FILE", Offer::files},
    {"TRACE", Offer::files},
    {"OLD", Offer::files},
    {"NEW", Offer::files},
    {"CORE", Offer::files},
    {"PROGRAM", Offer::programs},
    {"COMMAND", Offer::programs},
    {"ID", Offer::words},
    {"ID,...", Offer::list_of_words},
    {"LIST", Offer::list_of_words},
    {"BY", Offer::words},
    {"N", Offer::nothing},
    {"N,M", Offer::nothing},
    {"PID", Offer::nothing},
    {"BYTES", Offer::nothing},
    {"INDICES", Offer::nothing},
    {"NAME", Offer::nothing},
    {"PATTERN", Offer::nothing},
    {"SECONDS", Offer::nothing},
    {"SIZES[:TYPE]", Offer::nothing},
};

Offer offer_of(const std::string& name, const std::string& option) {
  for (const auto& [known, offer] : offers) {
    if (known == name) return offer;
  }
  throw std::logic_error("what is \"" + name + "\", which " + option +
                         " takes? Give it a type_name() that is in reporters/manual/command_description.cpp.");
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// What CLI11 calls a value that nobody named.
bool is_default_name(std::string_view name) {
  return name.empty() || name == "TEXT" || name == "INT" || name == "UINT" || name == "FLOAT";
}

/// "0 to 1024" of "INT in [0 - 1024]", as a CLI::Range describes itself.
std::string range_of(const std::string& validator) {
  const std::size_t open = validator.find('['), middle = validator.find(" - "), close = validator.rfind(']');
  if (open == std::string::npos || middle == std::string::npos || close == std::string::npos) return "";
  return validator.substr(open + 1, middle - open - 1) + " to " + validator.substr(middle + 3, close - middle - 3);
}

std::vector<std::string> finding_ids() {
  std::vector<std::string> ids;
  for (int id = 0; id < finding_kind_count; ++id) ids.emplace_back(kind_of(FindingId(id)).id);
  return ids;
}

/// Of "TEXT:{rows,grid}", "N:INT in [0 - 1024]", "SIZES[:TYPE]": its name, and what its validator says of it.
ValueDescription value_of(const CLI::Option& option) {
  const std::string& own_name = option.get_name();
  const std::string type = option.get_type_name();
  std::size_t colon = type.find(':');
  if (colon != std::string::npos && colon > 0 && type[colon - 1] == '[') colon = type.find(':', colon + 1);
  ValueDescription value;
  value.name = option.get_positional() ? own_name : type.substr(0, colon);
  const std::string validator = colon == std::string::npos ? "" : type.substr(colon + 1);
  if (validator.starts_with('{')) value.words = split(validator.substr(1, validator.size() - 2), ',');
  value.range = range_of(validator);
  if (is_default_name(value.name) && !value.words.empty()) {
    value.name.clear();
    value.offer = Offer::words;
  } else {
    value.offer = offer_of(value.name, own_name);
  }
  if (value.name.starts_with("ID")) value.words = finding_ids();
  return value;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

OptionDescription describe_option(const CLI::Option& option) {
  OptionDescription described;
  described.names = names_of(option);
  described.text = option.get_description();
  described.is_required = option.get_required();
  if (option.get_items_expected_max() > 0) {
    described.value = value_of(option);
    described.may_lack_value = option.get_expected_min() == 0;
    described.may_repeat = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll ||
                           option.get_expected_max() >= CLI::detail::expected_max_vector_size;
  }
  for (const CLI::Option* const excluded : option.get_excludes()) {
    described.excluded.push_back(names_of(*excluded).back());
  }
  return described;
}

PositionalDescription describe_positional(const CLI::Option& option) {
  PositionalDescription described;
  described.value = value_of(option);
  described.text = option.get_description();
  const std::string more = option.get_expected_max() > 1 ? " ..." : "";
  if (const std::string& text = option.get_option_text(); !text.empty()) {
    // "... TYPE" goes on behind the name, all else stands for it.
    described.synopsis = text.starts_with("...") ? described.value.name + " " + text : text;
  } else if (option.get_required()) {
    described.synopsis = described.value.name + more;
  } else {
    described.synopsis = "[" + described.value.name + more + "]";
  }
  return described;
}

}  // namespace

std::vector<VerbDescription> describe_verbs() {
  std::vector<VerbDescription> described;
  for (const Verb& verb : verbs()) {
    CLI::App app(verb.description, verb.name);
    const Asked asked = verb.declare(app);
    VerbDescription& description = described.emplace_back();
    description.name = verb.name;
    const std::string summary = verb.description;
    description.summary = summary.substr(0, summary.find(": ddtscope "));
    for (const CLI::Option* const option : app.get_options()) {
      if (option->get_group().empty()) continue;  // help does not tell of it either
      if (option->get_positional()) {
        description.positionals.push_back(describe_positional(*option));
      } else {
        description.options.push_back(describe_option(*option));
      }
    }
  }
  return described;
}

}  // namespace ddtscope::reporters
