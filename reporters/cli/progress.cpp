#include "reporters/cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace ddtscope::reporters {
namespace {

constexpr std::size_t bar_width = 30;
// What is read sooner needs no bar.
constexpr std::chrono::milliseconds patience{500};
constexpr std::chrono::milliseconds pause{100};

}  // namespace

std::string progress_line(const LoadProgress& progress) {
  // A trace that is being written grows while it is read.
  const double all = static_cast<double>(std::max(progress.bytes, progress.bytes_of_all));
  const double part = all == 0 ? 1 : static_cast<double>(progress.bytes) / all;
  const auto marks = static_cast<std::size_t>(part * static_cast<double>(bar_width));
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, "%3.0f %%  %.1f of %.1f GB", 100 * part,
                static_cast<double>(progress.bytes) / 1e9, all / 1e9);
  return "reading [" + std::string(marks, '#') + std::string(bar_width - marks, '.') + "] " + numbers;
}

ProgressBar::ProgressBar() : is_on_terminal_(isatty(STDERR_FILENO) != 0), next_(Clock::now() + patience) {}

ProgressBar::~ProgressBar() {
  if (drawn_ != 0) {
    std::cerr << '\r' << std::string(drawn_, ' ') << '\r' << std::flush;
  }
}

void ProgressBar::show(const LoadProgress& progress) {
  if (!is_on_terminal_ || Clock::now() < next_) {
    return;
  }
  next_ = Clock::now() + pause;
  const std::string line = progress_line(progress);
  std::cerr << '\r' << line << std::string(drawn_ - std::min(drawn_, line.size()), ' ') << std::flush;
  drawn_ = line.size();
}

}  // namespace ddtscope::reporters
