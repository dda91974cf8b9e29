// The words of `ddtscope measure`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "reporters/cli/options.h"

namespace ddtscope::reporters {

struct MeasureArguments {
  std::string mpi, compiler, launcher, count;
  unsigned seconds = 120;
  bool keeps = false;

  /// `words` are the traces, and behind them the type.
  void add_to(CLI::App& verb, std::vector<std::string>& words);
  Command command(ReportOptions report) const;

 private:
  CLI::Option* compiler_ = nullptr;
  CLI::Option* launcher_ = nullptr;
};

}  // namespace ddtscope::reporters
