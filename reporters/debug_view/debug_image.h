// A debug view made from a trace file, byte by byte as debug_view.h has it: the reader's oracle, and what damage is
// done to.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "reporters/debug_view/memory.h"
#include "reporters/trace/format/debug_view.h"

namespace ddtscope::reporters {

struct ImageOptions {
  /// Of the trace's end, or so that as many types are live as the handles say.
  enum class Counters : std::uint8_t { there, missing, fitting } counters = Counters::there;
  std::uint64_t arena_bytes = 4096;  // small, so that there are several
  std::uint32_t long_double_digits = 64;
  std::vector<trace::DebugFile> files = {};
};

class DebugImage {
 public:
  /// Of one process's file, which must be a good one. Throws std::runtime_error.
  explicit DebugImage(const std::filesystem::path& trace, ImageOptions options = {});

  // Where a process has nothing, under the address sanitizer of clang 14 to 21 neither.
  static constexpr std::uint64_t base = 0x200000001000;           // where `bytes` stand
  static constexpr std::uint64_t counters_base = 0x1f0000000000;  // where counters do
  std::vector<char> bytes;
  std::vector<char> counters;
  std::uint64_t view = 0;

  /// Where the first record of a kind stands in `bytes`.
  std::size_t record_of(trace::DebugRecordKind kind) const;
  ReadMemory reader() const;
  /// A live handle of the definition with that number in the file, and its number in the process.
  static std::uint64_t handle_of(std::uint32_t line) { return 0x55d000000000 + line * 0x170; }

 private:
  friend class ImageBuilder;
};

}  // namespace ddtscope::reporters
