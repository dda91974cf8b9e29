// Signals that would end the process, held back until it has put things in order.
#pragma once

namespace ddtscope::reporters {

/// While it lives, SIGINT, SIGTERM, SIGHUP and SIGQUIT are noted in place of ending the process, so that it can put
/// things in order. They do so when it goes. SIGCHLD is as a process finds it that was started by nobody else: where it
/// is ignored, nobody learns how a command ended. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  /// Whether one has come.
  static bool has_come();
};

}  // namespace ddtscope::reporters
