#include "decoder/base/joined.h"
#include "reporters/manual/completion.h"
#include "reporters/manual/template.h"

namespace ddtscope::reporters {
namespace {

const char* kind_of_offer(Offer offer) {
  switch (offer) {
    case Offer::nothing:
      return "nothing";
    case Offer::words:
      return "words";
    case Offer::list_of_words:
      return "list";
    case Offer::files:
      return "files";
    case Offer::folders:
      return "folders";
    case Offer::programs:
      return "programs";
  }
  return "";
}

/// A row of a `case`: what is offered in such a place.
std::string row(const std::string& pattern, const ValueDescription& value) {
  return "    " + pattern + ") offered=(" + kind_of_offer(value.offer) +
         (value.words.empty() ? "" : " " + joined(value.words, " ")) + ") ;;\n";
}

}  // namespace

std::string bash_completion(const std::string& text, const Verbs& verbs) {
  std::string names = "    offered=(words --help --version", options, values, positionals;
  for (const VerbDescription& verb : verbs) {
    names += " " + verb.name;
    options += "    " + verb.name + ") offered=(words";
    for (const OptionDescription& option : verb.options) {
      std::string pattern;
      for (const std::string& name : option.names) {
        options += " " + name;
        pattern += (pattern.empty() ? "" : " | ") + verb.name + "," + name;
      }
      if (option.value && !option.may_lack_value) values += row(pattern, *option.value);
    }
    options += ") ;;\n";
    if (!verb.positionals.empty()) positionals += row(verb.name, verb.positionals.front().value);
  }
  return filled(text,
                {{"VERBS", names + ")\n"}, {"OPTIONS", options}, {"VALUES", values}, {"POSITIONALS", positionals}});
}

}  // namespace ddtscope::reporters
