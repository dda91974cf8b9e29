// Signals that would end the process, held back until it has put things in order.
#pragma once

namespace ddtscope {

/// While it lives, SIGINT, SIGTERM and SIGHUP are noted in place of ending the process, so that it can put things in
/// order. They do so when it goes. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  /// Whether one has come.
  static bool has_come();
};

}  // namespace ddtscope
