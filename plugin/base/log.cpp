// spdlog, header-only and hidden: a program may carry another spdlog or fmt of its own.
#include "plugin/base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

namespace ddtscope::plugin {
namespace {

/// Names of folders and values of settings are the user's, or whoever gave them; a terminal obeys none of them.
void hide_control_characters(char* text, std::size_t size) noexcept {
  for (std::size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) text[i] = '?';
    // U+0080 to U+009F in UTF-8, which a terminal takes for control characters, too.
    if (byte == 0xc2 && i + 1 < size && (static_cast<unsigned char>(text[i + 1]) & 0xe0) == 0x80) {
      text[i] = text[i + 1] = '?';
    }
  }
}

std::string printable(std::string_view text) {
  std::string result(text);
  hide_control_characters(result.data(), result.size());
  return result;
}

}  // namespace

PipeGuard::PipeGuard() {
  sigset_t pending;
  sigpending(&pending);
  was_pending_ = sigismember(&pending, SIGPIPE) == 1;
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before_);
}

PipeGuard::~PipeGuard() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  const timespec at_once{0, 0};
  if (!was_pending_) sigtimedwait(&pipe, nullptr, &at_once);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

Log::Log(const Settings& settings, const std::string& file) {
  if (settings.log == LogTarget::none) return;
  spdlog::sink_ptr sink;
  if (settings.log == LogTarget::file) {
    try {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
    } catch (const spdlog::spdlog_ex&) {
      sink = nullptr;
    }
  }
  const bool plain = settings.log == LogTarget::default_line;
  if (!sink) sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  // Not registered with spdlog: nothing of it is global.
  logger_ = std::make_shared<spdlog::logger>("ddtscope", std::move(sink));
  logger_->set_pattern(plain ? "ddtscope: %v" : "%Y-%m-%dT%H:%M:%S.%e ddtscope[%P] %l: %v");
  logger_->set_level(plain                        ? spdlog::level::info
                     : settings.log_level.empty() ? spdlog::level::info
                                                  : spdlog::level::from_str(settings.log_level));
  logger_->flush_on(spdlog::level::trace);
}

Log::~Log() = default;

void Log::debug(std::string_view message) {
  const PipeGuard guard;
  if (logger_) logger_->debug("{}", printable(message));
}
void Log::say(std::string_view message) {
  const PipeGuard guard;
  if (logger_) logger_->info("{}", printable(message));
}
void Log::warn(std::string_view message) {
  const PipeGuard guard;
  if (logger_) logger_->warn("{}", printable(message));
}

void say_once(const char* message, const char* detail) noexcept {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  char line[512];
  std::size_t length = 0;
  for (const std::string_view part : {"ddtscope: ", message, detail}) {
    length += part.copy(line + length, sizeof line - 1 - length);
  }
  hide_control_characters(line, length);
  line[length++] = '\n';
  const PipeGuard guard;
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, length);
}

}  // namespace ddtscope::plugin
