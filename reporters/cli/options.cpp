// From the words to the verb that they are for. What each verb takes is said in verb_arguments.h.
#include "reporters/cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "reporters/cli/type_arguments.h"
#include "reporters/cli/verb_arguments.h"

namespace ddtscope::reporters {
namespace {

bool is_verb(std::string_view word) {
  return std::any_of(verbs().begin(), verbs().end(), [&](const Verb& verb) { return verb.name == word; });
}

/// "exec, summary or explain", with that word before the last.
std::string list_of_verbs(const std::string& before_last) {
  std::string list;
  for (const Verb& verb : verbs()) {
    if (&verb != &verbs().front()) {
      list += &verb == &verbs().back() ? " " + before_last + " " : ", ";
    }
    list += verb.name;
  }
  return list;
}

/// What is wrong with the first word, where something is.
std::string problem_of_first(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return "say what to do: " + list_of_verbs("or") + "; `ddtscope --help` explains.";
  const std::string& first = arguments.front();
  if (!first.starts_with('-')) {
    return is_verb(first) ? "" : "there is no verb \"" + first + "\"; the verbs are " + list_of_verbs("and") + ".";
  }
  constexpr std::string_view options_before_verb[] = {"-h", "--help", "--version"};
  const bool is_known =
      std::find(std::begin(options_before_verb), std::end(options_before_verb), first) != std::end(options_before_verb);
  return is_known ? "" : "there is no option " + first + " before the verb; `ddtscope --help` shows what can be given.";
}

/// How many words an option has: its value may be the next one. 0 where the verb has no option that is called so.
std::ptrdiff_t words_of_option(const CLI::App& verb, const std::string& word) {
  if (!word.starts_with('-')) return 0;
  const std::size_t equals = word.find('=');
  const CLI::Option* const option = verb.get_option_no_throw(word.substr(0, equals));
  if (option == nullptr) return 0;
  return option->get_items_expected_min() > 0 && equals == std::string::npos ? 2 : 1;
}

/// Where the options of `exec` end: at `--`, or at the first word that is neither an option nor the value of one.
std::vector<std::string>::iterator end_of_exec_options(const CLI::App& verb, std::vector<std::string>& arguments) {
  auto word = arguments.begin() + 1;
  while (word != arguments.end() && word->starts_with('-') && *word != "--") {
    word += std::min(std::max(words_of_option(verb, *word), std::ptrdiff_t{1}), arguments.end() - word);
  }
  return word;
}

/// Takes off what is not ddtscope's: the words of the debugger itself.
std::vector<std::string> words_of_debugger(const CLI::App& verb, std::vector<std::string>& arguments) {
  std::vector<std::string> own, ours = {arguments.front()};
  for (auto word = arguments.begin() + 1; word != arguments.end();) {
    const std::ptrdiff_t count = std::min(words_of_option(verb, *word), arguments.end() - word);
    if (count == 0) {
      own.push_back(*word++);
    } else {
      ours.insert(ours.end(), word, word + count);
      word += count;
    }
  }
  arguments = std::move(ours);
  return own;
}

/// Where the program of a debugger begins: at `--`, or at what gdb itself calls it.
std::vector<std::string>::iterator end_of_debugger_words(const std::string& debugger,
                                                         std::vector<std::string>& arguments) {
  return std::find_if(arguments.begin(), arguments.end(), [&](const std::string& word) {
    return word == "--" || (debugger == "gdb" && (word == "--args" || word == "-args"));
  });
}

/// CLI11 takes a word in brackets for a list of words. With this behind it, it is a word as any other.
constexpr std::string_view behind_brackets = "\x1F";

std::string marked(std::string word) {
  if (word.size() > 1 && word.front() == '[' && word.back() == ']') word += behind_brackets;
  return word;
}

std::string unmarked(std::string word) {
  if (word.starts_with('[') && word.ends_with(behind_brackets)) word.pop_back();
  return word;
}

/// What CLI11 did not expect, in the order in which it was given: its versions have orders of their own.
std::string unexpected_words(const CLI::App& app, const std::vector<std::string>& given) {
  std::vector<std::string> left = app.remaining(true);
  std::string list;
  for (const std::string& word : given) {
    const auto found = std::find(left.begin(), left.end(), word);
    if (found == left.end()) continue;
    left.erase(found);
    list += " " + unmarked(word);
  }
  return "The following arguments were not expected:" + list;
}

/// Takes off what stands at `mark` and behind it: the program's words, however they look. A mark with a dash in front
/// is none of them.
std::vector<std::string> program_behind(std::vector<std::string>::iterator mark, std::vector<std::string>& arguments) {
  const bool is_marked = mark != arguments.end() && mark->starts_with('-');
  std::vector<std::string> program(is_marked ? mark + 1 : mark, arguments.end());
  arguments.erase(mark, arguments.end());
  return program;
}

/// The verbs' options, and what each asks for.
class CommandLine {
 public:
  CommandLine() : app_("Shows what MPI derived datatypes really are.", "ddtscope") {
    app_.set_version_flag("--version", "ddtscope " DDTSCOPE_VERSION);
    app_.require_subcommand(1);
    app_.footer(
        "Exit status: 0 fine, 1 findings or differences (measure: the library moves other data), 2 usage (measure: or "
        "no compiler, or a type that cannot be measured), 3 unreadable trace, or nothing found in an incomplete one "
        "(measure: or a program or a disk that failed); exec gives the program's own.");
    for (const Verb& verb : verbs()) {
      CLI::App* const subcommand = app_.add_subcommand(verb.name, verb.description);
      declared_.emplace_back(subcommand, verb.declare(*subcommand));
      for (CLI::Option* option : subcommand->get_options()) option->transform(unmarked);
    }
  }

  const CLI::App& verb(const std::string& name) const { return *app_.get_subcommand(name); }

  /// Where there is nothing to be done, all has been said.
  std::optional<Said> parse(std::vector<std::string> arguments) {
    std::ranges::transform(arguments, arguments.begin(), marked);
    const std::vector<std::string> given = arguments;
    try {
      std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes a vector
      app_.parse(arguments);
      return std::nullopt;
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) {
        app_.exit(error);
        return Said{exit_fine};
      }
      const auto parsed = app_.get_subcommands();
      std::string what = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ? unexpected_words(app_, given)
                                                                                  : std::string(error.what());
      std::replace(what.begin(), what.end(), '\n', ' ');
      return usage(what + "; `ddtscope " + (parsed.empty() ? "" : parsed.front()->get_name() + " ") +
                   "--help` shows what can be given.");
    }
  }

  /// What the words asked for, once they are parsed.
  Command command() const {
    const auto found =
        std::find_if(declared_.begin(), declared_.end(), [](const auto& verb) { return verb.first->parsed(); });
    return found->second();
  }

 private:
  CLI::App app_;
  std::vector<std::pair<CLI::App*, Asked>> declared_;
};

}  // namespace

Command command_of(std::vector<std::string> arguments) {
  if (const std::string problem = problem_of_first(arguments); !problem.empty()) return usage(problem);
  const std::string verb = arguments.front();
  CommandLine line;
  std::vector<std::string> program, own;
  if (verb == "exec") program = program_behind(end_of_exec_options(line.verb(verb), arguments), arguments);
  if (verb == "gdb" || verb == "lldb") {
    program = program_behind(end_of_debugger_words(verb, arguments), arguments);
    own = words_of_debugger(line.verb(verb), arguments);
  }
  if (const std::optional<Said> said = line.parse(std::move(arguments))) return *said;
  if (verb == "exec" && program.empty()) {
    return usage(
        "say the program: ddtscope exec [options] PROGRAM ARGS, or after `--` where its name begins with a dash.");
  }
  Command command = line.command();
  if (auto* launch = std::get_if<LaunchOptions>(&command)) launch->command = program;
  if (auto* debugger = std::get_if<DebuggerOptions>(&command)) {
    debugger->own = own;
    debugger->command = program;
  }
  return command;
}

}  // namespace ddtscope::reporters
