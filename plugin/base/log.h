// The plugin's own log, by spdlog: one line on stderr by default, a file or stderr with all that is
// asked for. Never the program's stdout.
#pragma once

#include <signal.h>

#include <memory>
#include <string>
#include <string_view>

#include "plugin/base/settings.h"

namespace spdlog {
class logger;
}

namespace ddtscope::plugin {

/// Keeps a closed pipe behind stderr from killing the program: SIGPIPE is blocked while this lives, and
/// taken off again if a write raised it.
class PipeGuard {
 public:
  PipeGuard();
  ~PipeGuard();

 private:
  sigset_t before_;
  bool was_pending_;
};

class Log {
 public:
  /// `file` is where DDTSCOPE_LOG=file writes. Where it cannot be opened, stderr serves.
  Log(const Settings& settings, const std::string& file);
  ~Log();

  void debug(std::string_view message);
  /// What the user must learn even by default: where the trace is, what went wrong.
  void say(std::string_view message);
  void warn(std::string_view message);

 private:
  std::shared_ptr<spdlog::logger> logger_;
};

/// For trouble before a log exists, or without memory: one line on stderr by write(2).
void say_once(const char* message, const char* detail) noexcept;

}  // namespace ddtscope::plugin
