// Reads the last lines of a process's trace where they are in the file beside it (lines_file.h): of one that runs, was
// killed, or whose trace file took no more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>

#include "reporters/trace/format/lines_file.h"
#include "reporters/trace/read/reader.h"

namespace ddtscope {

struct LinesBeside {
  enum class State : std::uint8_t { none, read, changing };  // changing: its process moved them while they were read
  State state = State::none;
  std::uint64_t begin = 0;  // where in the trace they stand
  std::string lines;
};

/// `trace` is the hash of the trace file's first line that the file beside it must name. Never throws but
/// std::bad_alloc.
std::variant<LinesBeside, TraceProblem> read_lines_beside(const std::filesystem::path& trace_file, std::uint64_t trace);

/// The file's name.
inline std::filesystem::path lines_file_of(std::filesystem::path trace_file) {
  return trace_file.replace_extension(trace::lines_file_extension);
}

}  // namespace ddtscope
