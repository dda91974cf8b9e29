// The lines of a file that may be larger than the memory, and may grow while it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reporters/trace/read/reader.h"

namespace ddtscope {

class LineFile {
 public:
  /// So many bytes behind a line may be read, whatever they are.
  static constexpr std::size_t padding = 64;
  /// No line of a trace is longer: DDTSCOPE_MAX_TRACE is no more by default.
  static constexpr std::size_t longest_line = std::size_t{1} << 30;

  /// Why the file cannot be read, if it cannot.
  std::optional<TraceProblem> open(const std::filesystem::path& file);

  enum class Next : std::uint8_t { line, end, failed, too_long };
  /// The next line, without its line feed; it lives until the next call. A last one that has none is no line. May be
  /// asked again after `end`: a file may grow.
  Next next(std::string_view& line);
  /// What stands behind the last line, once `next` has said `end`.
  std::string_view rest() const { return {buffer_.data() + begin_, end_ - begin_}; }
  std::uint64_t bytes_read() const { return bytes_read_; }
  /// Where in the file the line begins that was given last.
  std::uint64_t line_begin() const { return line_begin_; }
  TraceProblem failure() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what was read and not yet given
  std::uint64_t bytes_read_ = 0;
  std::uint64_t line_begin_ = 0;
  int error_ = 0;
};

}  // namespace ddtscope
