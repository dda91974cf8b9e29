#include "decoder/base/joined.h"
#include "reporters/manual/completion.h"
#include "reporters/manual/template.h"

namespace ddtscope::reporters {
namespace {

/// A text where _arguments takes brackets and colons for its own.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

/// ":DIR:_files -/"
std::string action(const ValueDescription& value) {
  const std::string message = ":" + escaped(value.name.empty() ? "word" : value.name) + ":";
  switch (value.offer) {
    case Offer::nothing:
      return message + " ";
    case Offer::words:
      return message + "(" + joined(value.words, " ") + ")";
    case Offer::list_of_words:
      return message + "_values -s , word " + joined(value.words, " ");
    case Offer::files:
      return message + "_files";
    case Offer::folders:
      return message + "_files -/";
    case Offer::programs:
      return message + "_command_names -e";
  }
  return message;
}

/// The arguments of _arguments for an option: one for each of its names.
std::string specifications(const OptionDescription& option) {
  std::string others;
  for (const std::string& name : option.excluded) others += " " + name;
  for (const std::string& name : option.names) others += " " + name;
  std::string rows;
  for (const std::string& name : option.names) {
    std::string specification = option.may_repeat ? "*" : "(" + others.substr(1) + ")";
    specification += name;
    if (option.value && !option.may_lack_value) specification += name.starts_with("--") ? "=" : "+";
    if (option.may_lack_value) specification += "=-";
    specification += "[" + escaped(option.text) + "]";
    if (option.value) specification += (option.may_lack_value ? ":" : "") + action(*option.value);
    rows += " \\\n            " + quoted(specification);
  }
  return rows;
}

/// A program's words are completed as if they stood alone.
std::string positional(const VerbDescription& verb) {
  const ValueDescription& value = verb.positionals.front().value;
  if (value.offer != Offer::programs) return " \\\n            " + quoted("*" + action(value));
  return " \\\n            " + quoted("(-)1" + action(value)) + " \\\n            " + quoted("*::argument:_normal");
}

}  // namespace

std::string zsh_completion(const std::string& text, const Verbs& verbs) {
  std::string names, options;
  for (const VerbDescription& verb : verbs) {
    names += "        " + quoted(verb.name + ":" + verb.summary) + "\n";
    options += "        " + verb.name + ")\n          _arguments -s -S";
    for (const OptionDescription& option : verb.options) options += specifications(option);
    if (!verb.positionals.empty()) options += positional(verb);
    options += "\n          ;;\n";
  }
  return filled(text, {{"VERBS", names}, {"OPTIONS", options}});
}

}  // namespace ddtscope::reporters
