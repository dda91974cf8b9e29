#include "reporters/manual/man_page.h"

#include "decoder/base/joined.h"
#include "decoder/notation/text_cursor.h"
#include "reporters/manual/template.h"

namespace ddtscope::reporters {
namespace {

/// As roff takes a line of text: no escapes, no requests, and hyphens that stay what they are.
std::string roff(const std::string& text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool begins_word = i == 0 || text[i - 1] == ' ' || text[i - 1] == '-' || text[i - 1] == '(';
    if (i == 0 && (c == '.' || c == '\'')) line += "\\&";
    if (c == '\\') {
      line += "\\e";
    } else if (c == '\'') {
      line += "\\(aq";
    } else if (c == '`') {
      line += "\\(ga";
    } else if (c == '-' && begins_word) {
      line += "\\-";
    } else {
      line += c;
    }
  }
  return line;
}

/// "Fl -output" of "--output"
std::string flag(const std::string& name) { return "Fl " + name.substr(1); }

/// "Ar DIR", "Cm rows | grid"; an optional one in brackets.
std::string value_words(const OptionDescription& option) {
  if (!option.value) return "";
  const ValueDescription& value = *option.value;
  std::string words = "Ar " + value.name;
  if (value.name.empty()) words = "Cm " + joined(value.words, " | ");
  return option.may_lack_value ? " Op " + words : " " + words;
}

/// Formatters keep it on one line: where it would be too long, the list of options has its words.
std::string synopsis_row(const OptionDescription& option) {
  constexpr std::size_t longest = 40;
  std::string words = value_words(option);
  if (words.size() > longest) words = " Ar " + in_upper_case(option.names.front().substr(2));
  return (option.is_required ? "." : ".Op ") + flag(option.names.front()) + words + "\n";
}

/// What is to be known beside an option's text, in parentheses.
std::string conditions(const OptionDescription& option) {
  std::vector<std::string> all;
  if (option.is_required) all.emplace_back("required");
  if (option.may_repeat) all.emplace_back("may be given several times");
  if (option.value && !option.value->range.empty()) all.push_back(option.value->range);
  const bool is_named = option.value && !option.value->name.empty() && !option.value->name.starts_with("ID");
  if (is_named && !option.value->words.empty()) all.push_back(joined(option.value->words, ", "));
  for (const std::string& name : option.excluded) all.push_back("not with " + name);
  return all.empty() ? "" : roff("(" + joined(all, "; ") + ")") + "\n";
}

std::string list_of_options(const VerbDescription& verb) {
  std::string list = ".Pp\nThe options are:\n.Bl -tag -width indent\n";
  for (const OptionDescription& option : verb.options) {
    list += ".It ";
    for (const std::string& name : option.names) list += (&name == &option.names.front() ? "" : " , ") + flag(name);
    list += value_words(option) + "\n" + roff(option.text) + "\n" + conditions(option);
  }
  return list + ".El\n";
}

std::string synopsis(const VerbDescription& verb) {
  std::string text = ".Nm ddtscope\n.Cm " + verb.name + "\n";
  for (const OptionDescription& option : verb.options) {
    if (option.names.back() != "--help") text += synopsis_row(option);
  }
  for (const PositionalDescription& positional : verb.positionals) text += ".Ar " + positional.synopsis + "\n";
  return text;
}

std::string list_of_positionals(const VerbDescription& verb) {
  if (verb.positionals.empty()) return "";
  std::string list = ".Bl -tag -width indent\n";
  for (const PositionalDescription& positional : verb.positionals) {
    list += ".It Ar " + positional.synopsis + "\n" + roff(positional.text) + "\n";
  }
  return list + ".El\n";
}

}  // namespace

std::string man_page_of_verb(const ManPageInput& input) {
  return ".Dd " + input.date + "\n.Dt DDTSCOPE-" + in_upper_case(input.verb.name) + " 1\n.Os\n.Sh NAME\n.Nm ddtscope-" +
         input.verb.name + "\n.Nd " + roff(input.verb.summary) + "\n.Sh SYNOPSIS\n" + synopsis(input.verb) +
         ".Sh DESCRIPTION\n" +
         filled(input.prose, {{"OPTIONS", list_of_positionals(input.verb) + list_of_options(input.verb)}}) +
         ".Sh SEE ALSO\n.Xr ddtscope 1\n";
}

std::string man_rows_of_verbs(const std::vector<VerbDescription>& verbs) {
  std::string rows;
  for (const VerbDescription& verb : verbs) {
    rows += ".It Xr ddtscope-" + verb.name + " 1\n" + roff(verb.summary) + "\n";
  }
  return rows;
}

}  // namespace ddtscope::reporters
