// What a report looks like on a terminal: as wide as that is, and by a pager where it is longer.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace ddtscope::reporters {

enum class Fit : std::uint8_t { to_terminal, none };  // none: lines stay as long as they are
enum class Paging : std::uint8_t { when_long, none };
struct Presentation {
  Fit fit = Fit::to_terminal;
  Paging paging = Paging::when_long;
};

/// A line as it stands in so many columns: prose goes on in further lines, under its own beginning, a row of a table
/// ends with "...". Colours (escape sequences) take no column.
std::vector<std::string> fitted_lines(std::string_view line, std::size_t columns);

/// The pager's command: DDTSCOPE_PAGER, else PAGER, else less; empty where there is to be none, also on a terminal that
/// cannot move its cursor (TERM).
std::string pager_command();

/// What a pager answers, not the command that waits for it.
inline constexpr std::array signals_of_pager = {SIGINT, SIGPIPE};

/// Stands behind std::cout while it lives, if the standard output is a terminal; else it does nothing.
class TerminalOutput : private std::streambuf {
 public:
  explicit TerminalOutput(const Presentation& presentation);
  /// Waits until the user has left the pager. That he did so early is no error.
  ~TerminalOutput() override;
  TerminalOutput(const TerminalOutput&) = delete;
  TerminalOutput& operator=(const TerminalOutput&) = delete;

 private:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  void end_line(std::string_view end);
  void put(std::string_view text);
  void start_pager();
  void wait_for_pager(int options);
  void restore_signals();
  void write_all(std::string_view text);

  std::streambuf* before_ = nullptr;  // none: the standard output is no terminal
  bool fits_, may_page_;
  std::size_t columns_ = 0;  // 0: not known
  std::size_t rows_ = 0;
  std::string line_;
  std::string held_;  // what may still be on one screen
  std::size_t held_rows_ = 0;
  int target_;
  bool is_closed_ = false;  // the pager takes no more
  pid_t pager_ = 0;         // 0: there is none, or none any more
  std::array<struct sigaction, signals_of_pager.size()> usual_{};
};

}  // namespace ddtscope::reporters
