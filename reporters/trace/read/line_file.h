// The lines of a trace file that may be larger than the memory, and may grow while it is read; and those that wait
// beside it (lines_file.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
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
  /// Of the file and of the one beside it.
  std::uint64_t bytes_read() const { return bytes_read_; }
  /// Where in the file the line begins that was given last.
  std::uint64_t line_begin() const { return line_begin_; }
  /// Whether the line that was given last ends beside the file.
  bool line_is_beside() const { return bytes_read_ - (end_ - begin_) > bytes_of_file_; }
  TraceProblem failure() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::size_t read_more();
  std::size_t read_file();
  std::size_t read_beside();
  char* room_for(std::size_t bytes);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what was read and not yet given
  std::uint64_t bytes_read_ = 0;
  std::uint64_t line_begin_ = 0;
  int error_ = 0;
  std::uint64_t bytes_of_file_ = 0;  // of those read: the others stood beside it
  std::optional<std::uint64_t> first_line_hash_;
  bool beside_changes_ = false;
  std::optional<TraceProblem> problem_;  // of what stands beside it
};

}  // namespace ddtscope
