#include "reporters/measure/run_command.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "decoder/base/pointers_to_words.h"
#include "reporters/measure/interruption.h"

namespace ddtscope::reporters {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t most_output = std::size_t{4} << 20;
constexpr std::size_t most_lines = 8;
constexpr std::size_t longest_excerpt = 2000;
/// From the request to end, to the end that is not asked for.
constexpr milliseconds grace{2000};

std::string beginning_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(most_output, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::string last_lines_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(0, in.tellg()));
  in.seekg(static_cast<std::streamoff>(size - std::min(size, longest_excerpt)));
  std::string text(std::istreambuf_iterator<char>(in), {});
  while (text.ends_with('\n')) text.pop_back();
  std::size_t begin = text.size();
  for (std::size_t lines = 0; lines < most_lines && begin != 0; ++lines) {
    const std::size_t before = text.rfind('\n', begin - 1);
    begin = before == text.npos ? 0 : before;
  }
  return text.substr(begin == 0 ? 0 : begin + 1);
}

/// What is to be preloaded, without the plugins: a program that is measured in a job of `ddtscope exec` would be
/// measured with what they take.
std::string without_plugins(std::string_view preload) {
  std::string left;
  while (!preload.empty()) {
    const std::size_t end = std::min(preload.find_first_of(" :"), preload.size());  // ld.so(8)
    const std::string_view path = preload.substr(0, end);
    const bool is_plugin = path.substr(path.rfind('/') + 1).starts_with("libddtscope-");
    if (!path.empty() && !is_plugin) left += (left.empty() ? "" : ":") + std::string(path);
    preload.remove_prefix(std::min(end + 1, preload.size()));
  }
  return left;
}

/// This process's, with its temporary files in the folder.
std::vector<std::string> environment_in(const fs::path& folder) {
  constexpr std::string_view preload = "LD_PRELOAD=";
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with(preload)) {
      const std::string left = without_plugins(text.substr(preload.size()));
      if (!left.empty()) variables.push_back(std::string(preload) + left);
    } else if (!text.starts_with("TMPDIR=")) {
      variables.emplace_back(text);
    }
  }
  variables.push_back("TMPDIR=" + folder.string());
  return variables;
}

/// What is started while it lives leaves no core where ddtscope was started.
class WithoutCores {
 public:
  WithoutCores() {
    if (getrlimit(RLIMIT_CORE, &before_) != 0) return;
    const rlimit none{0, before_.rlim_max};
    is_set_ = setrlimit(RLIMIT_CORE, &none) == 0;
  }
  ~WithoutCores() {
    if (is_set_) setrlimit(RLIMIT_CORE, &before_);
  }
  WithoutCores(const WithoutCores&) = delete;
  WithoutCores& operator=(const WithoutCores&) = delete;

 private:
  rlimit before_{};
  bool is_set_ = false;
};

/// What posix_spawn is told besides the words.
class Spawning {
 public:
  Spawning(const fs::path& output, const fs::path& errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, output.c_str(), flags, 0600);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, errors.c_str(), flags, 0600);
    // A group of its own: it is ended with all that it has started, and a terminal's SIGINT is ours alone.
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  ~Spawning() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;

  /// errno, or 0.
  int start(pid_t& process, std::vector<std::string> words, std::vector<std::string> environment) const {
    const WithoutCores without_cores;
    return posix_spawnp(&process, words.front().c_str(), &actions_, &attributes_, pointers_to_words(words).data(),
                        pointers_to_words(environment).data());
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

enum class Waited : std::uint8_t { ended, lost, not_yet };
enum class StopsAt : std::uint8_t { end, end_or_interruption };

/// What has become of the process by then: `status` is its own where it has ended, and errno says why where that is
/// lost.
Waited wait_until(steady_clock::time_point end, pid_t process, int& status, StopsAt stops) {
  milliseconds pause{1};
  while (true) {
    const pid_t found = waitpid(process, &status, WNOHANG);
    if (found == process) return Waited::ended;
    if (found < 0 && errno != EINTR) return Waited::lost;
    const bool is_interrupted = stops == StopsAt::end_or_interruption && Interruption::has_come();
    if (steady_clock::now() >= end || is_interrupted) return Waited::not_yet;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, milliseconds(20));
  }
}

void end_group(pid_t process) {
  int status = 0;
  kill(-process, SIGTERM);
  const Waited waited = wait_until(steady_clock::now() + grace, process, status, StopsAt::end);
  kill(-process, SIGKILL);
  if (waited != Waited::not_yet) return;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
}

void take_end(CommandResult& result, Waited waited, int status) {
  if (waited == Waited::not_yet) {
    result.end = Interruption::has_come() ? CommandEnd::interrupted : CommandEnd::limit;
  } else if (waited == Waited::lost) {
    result.end = CommandEnd::lost;
    result.number = errno;
  } else if (WIFSIGNALED(status)) {
    result.end = CommandEnd::signal;
    result.number = WTERMSIG(status);
  } else {
    result.end = CommandEnd::status;
    result.number = WEXITSTATUS(status);
  }
}

}  // namespace

std::vector<std::string> words_of_command(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end != begin) words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

CommandResult run_command(const CommandToRun& command) {
  const fs::path output = command.folder / "output", errors = command.folder / "errors";
  CommandResult result;
  pid_t process = 0;
  result.number = Spawning(output, errors).start(process, command.words, environment_in(command.folder));
  if (result.number != 0) return result;
  int status = 0;
  const auto end = steady_clock::now() + command.limit;
  const Waited waited = wait_until(end, process, status, StopsAt::end_or_interruption);
  take_end(result, waited, status);
  if (waited == Waited::not_yet) end_group(process);
  result.output = beginning_of(output);
  result.errors = last_lines_of(errors);
  return result;
}

std::string how_it_ended(const CommandResult& result, milliseconds limit) {
  switch (result.end) {
    case CommandEnd::status:
      return "ended with status " + std::to_string(result.number);
    case CommandEnd::signal:
      return "was killed by signal " + std::to_string(result.number) + " (" + strsignal(result.number) + ")";
    case CommandEnd::limit:
      return "did not end within " + std::to_string((limit.count() + 999) / 1000) + " s";
    case CommandEnd::interrupted:
      return "was interrupted";
    case CommandEnd::lost:
      return std::string("ended, and how is not known (") + std::strerror(result.number) + ")";
    case CommandEnd::not_started:
      break;
  }
  return std::string("could not be started (") + std::strerror(result.number) + ")";
}

}  // namespace ddtscope::reporters
