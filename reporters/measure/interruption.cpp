#include "reporters/measure/interruption.h"

#include <signal.h>

#include <array>
#include <cstddef>

namespace ddtscope::reporters {
namespace {

volatile sig_atomic_t signal_that_came = 0;
constexpr std::array<int, 4> interrupting_signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
std::array<struct sigaction, interrupting_signals.size()> actions_before;
struct sigaction child_action_before {};

void note_signal(int number) { signal_that_came = number; }

}  // namespace

Interruption::Interruption() {
  signal_that_came = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  for (std::size_t i = 0; i < interrupting_signals.size(); ++i) {
    sigaction(interrupting_signals[i], nullptr, &actions_before[i]);
    // What is ignored, as SIGHUP by nohup, stays so.
    if (actions_before[i].sa_handler != SIG_IGN) sigaction(interrupting_signals[i], &action, nullptr);
  }
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &usual, &child_action_before);
}

Interruption::~Interruption() {
  sigaction(SIGCHLD, &child_action_before, nullptr);
  for (std::size_t i = 0; i < interrupting_signals.size(); ++i) {
    sigaction(interrupting_signals[i], &actions_before[i], nullptr);
  }
  if (signal_that_came != 0) raise(signal_that_came);
}

bool Interruption::has_come() { return signal_that_came != 0; }

}  // namespace ddtscope::reporters
