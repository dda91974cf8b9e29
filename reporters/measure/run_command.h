// Running a command without a shell, within a time, and ending it with all that it has started.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ddtscope::reporters {

/// Words with blanks between them, as on a command line; nothing is quoted or expanded.
std::vector<std::string> words_of_command(std::string_view text);

struct CommandToRun {
  std::vector<std::string> words;  // the program first, found by PATH
  std::filesystem::path folder;    // where its output is kept, and its temporary files are
  std::chrono::milliseconds limit{};
};

/// lost: somebody else, or the kernel where SIGCHLD is ignored, has taken its status.
enum class CommandEnd : std::uint8_t { status, signal, limit, interrupted, lost, not_started };
struct CommandResult {
  CommandEnd end = CommandEnd::not_started;
  int number = 0;      // the exit status, the signal, or errno of what could not be started or waited for
  std::string output;  // of its beginning a few megabytes
  std::string errors;  // the last lines of its standard error
  bool is_fine() const { return end == CommandEnd::status && number == 0; }
};
/// Waits for the command. It is ended with its process group at the limit, and where an Interruption comes. Its
/// standard input is empty. It runs without ddtscope's plugins, and leaves no core.
CommandResult run_command(const CommandToRun& command);

/// "ended with status 3", "was killed by signal 11 (Segmentation fault)", "did not end within 120 s"
std::string how_it_ended(const CommandResult& result, std::chrono::milliseconds limit);

}  // namespace ddtscope::reporters
