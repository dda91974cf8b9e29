// The words by which verbs of one type say which type, and in what it is to be shown.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "reporters/cli/options.h"

namespace ddtscope::reporters {

/// What is wrong with the words, in one sentence on the standard error.
Said usage(const std::string& sentence);

/// The array that a type is to be drawn in.
struct ArrayArguments {
  std::string array, at, row;

  void add_to(CLI::App& verb);
  /// A text says what is wrong.
  std::variant<std::optional<UserArray>, std::string> value() const;

 private:
  CLI::Option* array_ = nullptr;
};

/// A type of a trace, or one that is written down.
struct RuleArguments {
  std::string library;

  void add_to(CLI::App& verb);
  /// The traces and the type behind them, and this: for verbs of one type.
  void take_words(CLI::App& verb, std::vector<std::string>& words);
  BoundsRule rule() const { return bounds_rule_of_text(library).value_or(BoundsRule::standard); }
  /// Takes the type from behind the traces; what is wrong with the words, where something is.
  std::string take_type(const std::string& verb, std::vector<std::string>& traces, std::string& type) const;
};

/// Of `match`.
struct MatchArguments {
  std::string count, fail_on = "warning";

  void add_to(CLI::App& verb, std::vector<std::string>& words);
  /// The last two of what the report takes for traces are the types.
  Command command(ReportOptions report, const RuleArguments& rule) const;
};

/// Of `code`.
struct CodeArguments {
  std::string language, record;
  bool program = false;

  void add_to(CLI::App& verb);
  Command command(std::vector<std::string> words, const RuleArguments& rule) const;

 private:
  Command of_struct(const std::vector<std::string>& words) const;
};

}  // namespace ddtscope::reporters
