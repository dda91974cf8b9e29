// What the verbs of the command take, for man pages and for completion: read off the options that the command parses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ddtscope::reporters {

/// What a shell offers where a value is to be given.
enum class Offer : std::uint8_t { nothing, words, list_of_words, files, folders, programs };

struct ValueDescription {
  std::string name;  // "DIR"; empty for one of `words` that has no name
  Offer offer = Offer::nothing;
  std::vector<std::string> words;  // of a list there are commas between them
  std::string range;               // "0 to 1024"; empty where all that is such a value may be given
};

struct OptionDescription {
  std::vector<std::string> names;  // "-o", "--output"
  std::string text;
  std::optional<ValueDescription> value;  // none: a flag
  bool may_lack_value = false;
  bool is_required = false;
  bool may_repeat = false;
  std::vector<std::string> excluded;  // the last names of those that it cannot stand with
};

struct PositionalDescription {
  std::string synopsis;  // "TRACE ... TYPE"
  std::string text;
  ValueDescription value;  // `name` is never empty
};

struct VerbDescription {
  std::string name;
  std::string summary;  // without a synopsis
  std::vector<OptionDescription> options;
  std::vector<PositionalDescription> positionals;
};

/// In the order in which help tells of them. Throws std::logic_error where an option has a value of which it is not
/// known what it is.
std::vector<VerbDescription> describe_verbs();

}  // namespace ddtscope::reporters
