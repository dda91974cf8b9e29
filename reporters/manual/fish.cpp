#include "decoder/base/joined.h"
#include "reporters/manual/completion.h"
#include "reporters/manual/template.h"

namespace ddtscope::reporters {
namespace {

/// The arguments of `complete` that say what is offered.
std::string offered(const ValueDescription& value) {
  switch (value.offer) {
    case Offer::nothing:
      return " -x";
    case Offer::words:
      return " -x -a " + quoted(joined(value.words, " "));
    case Offer::list_of_words:
      return " -x -a " + quoted("(__fish_append , " + joined(value.words, " ") + ")");
    case Offer::files:
      return " -r -F";
    case Offer::folders:
      return " -x -a '(__fish_complete_directories)'";
    case Offer::programs:
      return " -x -a '(__fish_complete_command)'";
  }
  return "";
}

std::string row(const OptionDescription& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (option.value && !option.may_lack_value) text += offered(*option.value);
  return text + " -d " + quoted(option.text) + "\n";
}

}  // namespace

std::string fish_completion(const std::string& text, const Verbs& verbs) {
  std::string names, options;
  for (const VerbDescription& verb : verbs) {
    names += "complete -c ddtscope -n __fish_use_subcommand -f -a " + verb.name + " -d " + quoted(verb.summary) + "\n";
    const std::string begin = "complete -c ddtscope -n '__ddtscope_verb " + verb.name + "'";
    for (const OptionDescription& option : verb.options) options += begin + row(option);
    if (verb.positionals.empty()) continue;
    const ValueDescription& value = verb.positionals.front().value;
    if (value.offer == Offer::words) options += begin + " -f -a " + quoted(joined(value.words, " ")) + "\n";
    if (value.offer == Offer::programs) options += begin + " -x -a '(__ddtscope_program)'\n";
  }
  return filled(text, {{"VERBS", names}, {"OPTIONS", options}});
}

}  // namespace ddtscope::reporters
