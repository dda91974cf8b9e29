// The last lines of a trace, in memory that outlives the process: a mapped file beside the trace file (lines_file.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "reporters/trace/format/lines_file.h"
#include "reporters/trace/write/own_file.h"

namespace ddtscope::trace {

/// Lines wait here until they are appended to the trace file, many at once. Not synchronised.
class LineWindow {
 public:
  LineWindow() = default;
  ~LineWindow();
  LineWindow(const LineWindow&) = delete;
  LineWindow& operator=(const LineWindow&) = delete;

  /// Makes the file; never overwrites. `trace` is as in the file's header. False where there is none: it cannot be
  /// made, or could kill the process when memory is written (can_be_mapped).
  bool create(std::string&& path, std::uint64_t trace);
  bool is_open() const { return header_ != nullptr; }
  bool has_room_for(std::size_t bytes) const { return is_open() && bytes <= lines_file_room - length_; }
  /// `offset` is where in the trace the lines stand: where those stop that wait already.
  void append(std::string_view lines, std::uint64_t offset);
  /// The lines that wait, and where in the trace they begin.
  std::string_view lines() const { return {lines_, length_}; }
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return begin_ + length_; }
  /// They are in the trace file now.
  void clear() { length_ = 0; }
  /// No more lines wait here: the file goes.
  void remove();

 private:
  bool map();
  void unmap();

  OwnFile file_;
  std::string path_;
  LinesFileHeader* header_ = nullptr;
  char* lines_ = nullptr;
  std::uint64_t begin_ = 0;
  std::size_t length_ = 0;
};

}  // namespace ddtscope::trace
