#include "reporters/cli/terminal_output.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>

#include "decoder/base/pointers_to_words.h"
#include "reporters/trace/format/number_of_text.h"

namespace ddtscope::reporters {
namespace {

constexpr std::string_view dots = "...";
constexpr std::string_view plain = "\033[0m";
constexpr std::size_t fewest_columns = 20;

/// A piece of text that stands together: an escape sequence, or a character with what belongs to it in UTF-8.
struct Glyph {
  std::string_view text;
  std::size_t columns = 0;
};

Glyph first_glyph(std::string_view text) {
  std::size_t size = 1;
  if (text.front() == '\033') {
    while (size < text.size() && std::isalpha(static_cast<unsigned char>(text[size])) == 0) ++size;
    return {text.substr(0, size + 1), 0};
  }
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) ++size;
  return {text.substr(0, size), 1};
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    columns += glyph.columns;
    text.remove_prefix(glyph.text.size());
  }
  return columns;
}

/// The bytes that fill so many columns.
std::size_t bytes_in(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const Glyph glyph = first_glyph(text.substr(bytes));
    if (glyph.columns > columns) break;
    columns -= glyph.columns;
    bytes += glyph.text.size();
  }
  return bytes;
}

std::string without_colours(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    if (glyph.columns != 0) result += glyph.text;
    text.remove_prefix(glyph.text.size());
  }
  return result;
}

std::string cut(std::string_view line, std::size_t columns) {
  std::string result(line.substr(0, bytes_in(line, columns - dots.size())));
  const bool is_coloured = result.find('\033') != std::string::npos;
  return result + std::string(dots) + (is_coloured ? std::string(plain) : "");
}

/// Where the last column of a table begins that has one: behind two blanks or more.
std::size_t last_column(const std::string& text, std::size_t indent) {
  const std::size_t blanks = text.rfind("  ");
  return blanks == std::string::npos || blanks < indent ? indent : blanks + 2;
}

/// Sentences: most of the words are words, as they are not in pictures, and either it ends as one or it is no row of
/// several columns.
bool is_prose(const std::string& text, std::size_t indent) {
  std::istringstream words(text);
  std::size_t all = 0;
  std::size_t long_ones = 0;
  for (std::string word; words >> word; ++all) long_ones += word.size() >= 3;
  if (all < 2 || long_ones * 2 < all) return false;
  return (text.ends_with('.') && !text.ends_with(dots)) || last_column(text, indent) == indent;
}

/// What goes before the blank at which a line of so many columns ends. A word that is longer is taken apart.
std::size_t bytes_of_line(std::string_view text, std::size_t columns) {
  const std::size_t most = bytes_in(text, columns);
  if (most == text.size() || text[most] == ' ') return most;
  const std::size_t blank = text.substr(0, most).rfind(' ');
  return blank == std::string_view::npos || blank == 0 ? most : blank;
}

std::vector<std::string> wrapped(std::string_view line, std::size_t columns, std::size_t indent) {
  std::vector<std::string> lines;
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  std::size_t size = first + bytes_of_line(line.substr(first), columns - std::min(first, columns / 2));
  lines.emplace_back(line.substr(0, size));
  for (line.remove_prefix(size); !line.empty(); line.remove_prefix(size)) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) break;
    size = bytes_of_line(line, columns - indent);
    lines.push_back(std::string(indent, ' ') + std::string(line.substr(0, size)));
  }
  return lines;
}

bool is_terminal_that_moves() {
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && *terminal != '\0' && std::strcmp(terminal, "dumb") != 0;
}

/// As git does it: what a shell must read goes to one.
std::vector<std::string> words_of(const std::string& command) {
  if (command.find_first_of("|&;<>()$`\\\"'*?[#~=%") != std::string::npos) return {"sh", "-c", command};
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::size_t number_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? 0 : number_of_text<std::uint16_t>(std::string_view(value)).value_or(0);
}

}  // namespace

std::vector<std::string> fitted_lines(std::string_view line, std::size_t columns) {
  columns = std::max(columns, fewest_columns);
  if (columns_of(line) <= columns) return {std::string(line)};
  const std::string text = without_colours(line);
  const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
  if (!is_prose(text, indent)) return {cut(line, columns)};
  const std::size_t under = last_column(text, indent);
  return wrapped(line, columns, under <= columns / 2 ? under : std::min<std::size_t>(indent, columns / 4));
}

std::string pager_command() {
  if (!is_terminal_that_moves()) return "";
  for (const char* variable : {"DDTSCOPE_PAGER", "PAGER"}) {
    if (const char* command = std::getenv(variable)) return std::strcmp(command, "cat") == 0 ? "" : command;
  }
  return "less";
}

TerminalOutput::TerminalOutput(const Presentation& presentation)
    : fits_(presentation.fit == Fit::to_terminal),
      may_page_(presentation.paging == Paging::when_long),
      target_(STDOUT_FILENO) {
  if (isatty(STDOUT_FILENO) != 1) return;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    columns_ = size.ws_col;
    rows_ = size.ws_row;
  }
  if (const std::size_t columns = number_in("COLUMNS"); columns != 0) columns_ = columns;
  may_page_ = may_page_ && rows_ > 1 && !pager_command().empty();
  std::cout.flush();
  before_ = std::cout.rdbuf(this);
}

TerminalOutput::~TerminalOutput() {
  if (before_ == nullptr) return;
  if (!line_.empty()) end_line("");
  write_all(held_);
  std::cout.rdbuf(before_);
  if (pager_ == 0) return;
  close(target_);
  wait_for_pager(0);
}

/// Who leaves the pager may interrupt what is still worked out.
void TerminalOutput::wait_for_pager(int options) {
  pid_t ended = -1;
  while ((ended = waitpid(pager_, nullptr, options)) < 0 && errno == EINTR) {
  }
  if (ended == 0) return;
  pager_ = 0;
  restore_signals();
}

void TerminalOutput::restore_signals() {
  for (std::size_t i = 0; i < signals_of_pager.size(); ++i) sigaction(signals_of_pager[i], &usual_[i], nullptr);
}

TerminalOutput::int_type TerminalOutput::overflow(int_type character) {
  if (character == traits_type::eof()) return traits_type::not_eof(character);
  const char byte = traits_type::to_char_type(character);
  xsputn(&byte, 1);
  return character;
}

std::streamsize TerminalOutput::xsputn(const char* text, std::streamsize size) {
  std::string_view rest(text, static_cast<std::size_t>(size));
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    line_ += rest.substr(0, end);
    end_line("\n");
    rest.remove_prefix(end + 1);
  }
  line_ += rest;
  return size;
}

void TerminalOutput::end_line(std::string_view end) {
  if (!fits_ || columns_ == 0) {
    held_rows_ += columns_ == 0 ? 1 : std::max<std::size_t>(1, (columns_of(line_) + columns_ - 1) / columns_);
    put(line_ + std::string(end));
  } else {
    const std::vector<std::string> lines = fitted_lines(line_, columns_);
    for (const std::string& line : lines) {
      ++held_rows_;
      put(line + std::string(&line == &lines.back() ? end : "\n"));
    }
  }
  line_.clear();
}

/// Holds what fits on the screen, if a pager is to have what does not.
void TerminalOutput::put(std::string_view text) {
  held_ += text;
  if (may_page_ && held_rows_ < rows_) return;
  if (may_page_) {
    may_page_ = false;
    start_pager();  // where there is none, all goes onto the terminal
  }
  write_all(held_);
  held_.clear();
}

void TerminalOutput::start_pager() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  setenv("LESS", "FRX", 0);
  setenv("LV", "-c", 0);
  std::vector<std::string> words = words_of(pager_command());
  const std::vector<char*> arguments = pointers_to_words(words);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  // The pager is asked, and what it does not want is left. From before the pager may tell.
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  for (std::size_t i = 0; i < signals_of_pager.size(); ++i) sigaction(signals_of_pager[i], &ignored, &usual_[i]);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int number : signals_of_pager) sigaddset(&usual, number);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error =
      words.empty() ? ENOENT : posix_spawnp(&pager_, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[0]);
  if (error != 0) {
    restore_signals();
    close(ends[1]);
    pager_ = 0;
    return;
  }
  target_ = ends[1];
}

void TerminalOutput::write_all(std::string_view text) {
  while (!text.empty() && !is_closed_) {
    const ssize_t written = write(target_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {  // so another program has left the terminal
      pollfd ready{target_, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      is_closed_ = true;
      if (pager_ == 0) std::cout.setstate(std::ios::badbit);
    }
  }
  if (is_closed_ && pager_ != 0) wait_for_pager(WNOHANG);
}

}  // namespace ddtscope::reporters
