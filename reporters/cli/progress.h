// A bar on the terminal while a large trace is read.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// "reading [#####.....]  52 %  1.2 of 2.4 GB".
std::string progress_line(const LoadProgress& progress);

/// Draws on the standard error stream where that is a terminal, once reading has taken a while. Wiped out in the end.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const LoadProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;
  bool is_on_terminal_;
  Clock::time_point next_;
  std::size_t drawn_ = 0;  // characters
};

}  // namespace ddtscope::reporters
