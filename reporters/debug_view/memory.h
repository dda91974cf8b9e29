// Memory of another process, as whoever reads it can: through a debugger, from a core file, from /proc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace ddtscope::reporters {

/// Copies so many bytes from that address; false where some of them are not there. May throw std::bad_alloc.
using ReadMemory = std::function<bool(std::uint64_t address, void* to, std::size_t bytes)>;

/// So far memory is read at once: what lies beyond a page may not be there.
constexpr std::uint64_t memory_page = 4096;

struct MemoryRange {
  std::uint64_t begin = 0, end = 0;
};

/// An address, or what else a word holds: "0x7f0000001000".
std::string hexadecimal(std::uint64_t word);

/// The address of a debug view, found by its magic in the ranges; the first that its own address and its checksum
/// confirm. Memory that is not there is passed over.
std::optional<std::uint64_t> find_debug_view(const ReadMemory& read, std::span<const MemoryRange> ranges);

}  // namespace ddtscope::reporters
