// The file beside a process's trace file that has the last lines of the trace (FORMAT.md): mapped, so that they survive
// whatever happens to the process, and are no write each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ddtscope::trace {

inline constexpr char lines_file_magic[8] = {'d', 'd', 't', 'l', 'i', 'n', 'e', 's'};
inline constexpr std::uint32_t lines_file_version = 1;
inline constexpr std::uint32_t lines_file_byte_order = 0x01020304;
/// "rank-3.jsonl" has its last lines in "rank-3.lines".
inline constexpr const char* lines_file_extension = ".lines";
/// Where in the file the lines begin.
inline constexpr std::size_t lines_file_header_bytes = 4096;
/// Room for lines behind that.
inline constexpr std::size_t lines_file_room = std::size_t{1} << 16;

/// At the file's start. Integers in the byte order of the machine that wrote them.
struct LinesFileHeader {
  char magic[8];
  std::uint32_t byte_order;
  std::uint32_t version;
  std::uint64_t trace;   // XXH3, 64 bits, of the trace file's first line without its line feed
  std::uint64_t begin;   // offset in the trace of the first byte that is here
  std::uint64_t length;  // of whole lines; raised after they are there, 0 before others take their place
};
static_assert(sizeof(LinesFileHeader) == 40);

}  // namespace ddtscope::trace
