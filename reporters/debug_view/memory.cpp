#include "reporters/debug_view/memory.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <vector>

#include "reporters/trace/format/debug_view_checksum.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t block = std::size_t{1} << 20;
constexpr std::size_t alignment = 8;

/// A view at a place in `bytes` that stands for `address`.
bool is_view(const ReadMemory& read, std::uint64_t address) {
  trace::DebugView view;
  // What a newer version has behind its own address is not known; that it is one is to be said.
  return read(address, &view, sizeof view) && view.self == address &&
         (view.checksum == checksum_of(view) ||
          (view.byte_order == trace::debug_view_byte_order && view.version > trace::debug_view_version));
}

}  // namespace

std::string hexadecimal(std::uint64_t word) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, word);
  return text;
}

std::optional<std::uint64_t> find_debug_view(const ReadMemory& read, std::span<const MemoryRange> ranges) {
  std::vector<char> bytes(block);
  for (const MemoryRange& range : ranges) {
    std::uint64_t at = (range.begin + alignment - 1) / alignment * alignment;
    while (at < range.end && range.end - at >= sizeof(trace::DebugView)) {
      std::size_t length = static_cast<std::size_t>(std::min<std::uint64_t>(block, range.end - at));
      if (!read(at, bytes.data(), length)) {
        // One page that is missing must not hide what stands beside it.
        length = static_cast<std::size_t>(std::min<std::uint64_t>(memory_page - at % memory_page, range.end - at));
        if (!read(at, bytes.data(), length)) {
          at += length;
          continue;
        }
      }
      for (std::size_t i = 0; i + sizeof trace::debug_view_magic <= length; i += alignment) {
        if (std::memcmp(bytes.data() + i, trace::debug_view_magic, sizeof trace::debug_view_magic) == 0 &&
            is_view(read, at + i)) {
          return at + i;
        }
      }
      at += length;
    }
  }
  return std::nullopt;
}

}  // namespace ddtscope::reporters
