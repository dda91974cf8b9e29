// What all verbs that print a report take on the command line.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "reporters/cli/verbs.h"

namespace ddtscope::reporters {

/// "TRACE", of which there may be any number. `words` are given to `verb`, and must outlive the parsing.
void take_traces(CLI::App& verb, std::vector<std::string>& words);

/// An option that may be given several times takes one value each time, and leaves what stands behind that to others.
void take_one_each_time(CLI::Option& option);

struct ReportArguments {
  std::vector<std::string> paths;
  bool json = false;
  std::string colour = "auto";
  bool is_wide = false, has_no_pager = false;

  void add_to(CLI::App& verb);
  /// The traces are `paths`.
  ReportOptions options() const;
};

}  // namespace ddtscope::reporters
