// Reading DDTSCOPE_* variables. A value that makes no sense, or a name that is misspelt, is reported once and the
// default stays.
#include "plugin/base/settings.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "reporters/trace/format/number_of_text.h"

namespace ddtscope::plugin {
namespace {

std::string_view value_of(const char* name) {
  // secure_getenv: in a set-uid program the caller's variables are not to be trusted.
  const char* value = secure_getenv(name);
  return value ? std::string_view(value) : std::string_view();
}

/// "100", "64K", "10M", "2G".
std::optional<std::uint64_t> bytes_of_text(std::string_view text) {
  int shift = 0;
  constexpr std::string_view units = "KMG";
  if (const std::size_t unit = text.empty() ? units.npos : units.find(text.back()); unit != units.npos) {
    shift = 10 * (static_cast<int>(unit) + 1);
    text.remove_suffix(1);
  }
  const auto value = number_of_text<std::uint64_t>(text);
  return value && *value <= UINT64_MAX >> shift ? std::optional(*value << shift) : std::nullopt;
}

/// How many letters are to be put in, left out or changed to get from one word to the other.
std::size_t letters_between(std::string_view from, std::string_view to) {
  std::vector<std::size_t> changes(to.size() + 1);  // from what is read of `from`, to each beginning of `to`
  std::iota(changes.begin(), changes.end(), std::size_t{0});
  for (const char letter : from) {
    std::size_t of_shorter = changes[0]++;
    for (std::size_t i = 1; i <= to.size(); ++i) {
      const std::size_t replaced = of_shorter + (letter == to[i - 1] ? 0 : 1);
      of_shorter = changes[i];
      changes[i] = std::min({replaced, changes[i] + 1, changes[i - 1] + 1});
    }
  }
  return changes.back();
}

/// Takes variables into settings, and complains of those that make no sense.
class Variables {
 public:
  explicit Variables(Settings& settings) : settings_(settings) {}

  std::string_view text(const char* name) {
    names_.emplace_back(name);
    return value_of(name);
  }
  void flag(const char* name, bool& target) { choice<bool>(name, "0 or 1", {{"0", target}, {"1", true}}, target); }
  void on_or_off(const char* name, bool& target) {
    choice<bool>(name, "on or off", {{"off", false}, {"0", false}, {"on", true}, {"1", true}}, target);
  }
  /// One of some words; where the variable is not set, the target stays.
  template <class Value>
  void choice(const char* name, const char* wanted, std::initializer_list<std::pair<std::string_view, Value>> words,
              Value& target) {
    const std::string_view value = text(name);
    if (value.empty()) return;
    for (const auto& [word, meaning] : words) {
      if (value != word) continue;
      target = meaning;
      return;
    }
    complain(name, value, wanted);
  }
  void number(const char* name, const char* wanted, int least, int& target) {
    const std::string_view value = text(name);
    if (value.empty()) return;
    const auto parsed = number_of_text<int>(value);
    if (parsed && *parsed >= least) {
      target = *parsed;
    } else {
      complain(name, value, wanted);
    }
  }
  void bytes(const char* name, std::uint64_t& target) {
    const std::string_view value = text(name);
    if (value.empty()) return;
    if (const std::optional<std::uint64_t> parsed = bytes_of_text(value)) {
      target = *parsed;
    } else {
      complain(name, value, "a number of bytes, such as 100M");
    }
  }
  /// Of variables that nobody asks for, those that are nearly called like one that was asked for before. Others may be
  /// of the user's own scripts.
  void look_for_misspelt() {
    constexpr std::string_view prefix = "DDTSCOPE_";
    constexpr std::size_t longest = 64;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
      const std::string_view assignment(*variable);
      const std::string_view name = assignment.substr(0, assignment.find('='));
      const bool is_known = std::find(names_.begin(), names_.end(), name) != names_.end();
      if (!name.starts_with(prefix) || name.size() > longest || is_known) continue;
      for (const std::string_view known : names_) {
        const std::size_t letters = known.size() - prefix.size();
        if (letters_between(name, known) > (letters < 5 ? 1 : 2)) continue;
        settings_.problem = std::string(name) + " is no variable of ddtscope's; is " + std::string(known) + " meant?";
        return;
      }
    }
  }

 private:
  void complain(const char* name, std::string_view value, const char* wanted) {
    settings_.problem = std::string(name) + "=" + std::string(value) + " is not " + wanted + "; the default is used";
  }
  Settings& settings_;
  std::vector<std::string_view> names_;  // that were asked for
};

}  // namespace

Settings Settings::from_environment() {
  Settings settings;
  Variables variables(settings);
  settings.output = variables.text("DDTSCOPE_OUTPUT");
  settings.job = variables.text("DDTSCOPE_JOB");
  variables.flag("DDTSCOPE_VERIFY", settings.verify);
  variables.flag("DDTSCOPE_MPI_T", settings.control_variables);
  variables.flag("DDTSCOPE_QUIET", settings.quiet);
  variables.choice<bool>("DDTSCOPE_ON_ERROR", "stop", {{"stop", true}}, settings.stop_on_error);
  variables.number("DDTSCOPE_STACK", "a number of frames", 0, settings.stack_depth);
  variables.bytes("DDTSCOPE_MAX_TRACE", settings.most_trace_bytes);
  variables.bytes("DDTSCOPE_MAX_MEMORY", settings.most_memory_bytes);
  variables.on_or_off("DDTSCOPE_MERGE", settings.merge);
  variables.on_or_off("DDTSCOPE_USES", settings.uses);
  variables.on_or_off("DDTSCOPE_MESSAGES", settings.messages);
  variables.on_or_off("DDTSCOPE_SOURCES", settings.sources);
  variables.on_or_off("DDTSCOPE_TIME_CALLS", settings.time_calls);
  variables.number("DDTSCOPE_MERGE_TIMEOUT", "a number of seconds", 1, settings.merge_patience_s);
  variables.on_or_off("DDTSCOPE_SYMBOLS", settings.symbols);
  variables.number("DDTSCOPE_SYMBOLS_TIMEOUT", "a number of seconds", 1, settings.symbols_patience_s);
  settings.command = variables.text("DDTSCOPE_COMMAND");
  variables.choice<LogTarget>("DDTSCOPE_LOG", "file or stderr",
                              {{"file", LogTarget::file}, {"stderr", LogTarget::standard_error}}, settings.log);
  if (settings.quiet && settings.log == LogTarget::default_line) settings.log = LogTarget::none;
  settings.log_level = variables.text("DDTSCOPE_LOG_LEVEL");
  if (settings.problem.empty()) variables.look_for_misspelt();
  return settings;
}

}  // namespace ddtscope::plugin
