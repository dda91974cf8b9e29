#include "plugin/sources/own_memory.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace ddtscope::plugin {
namespace {

std::size_t read_bytes(std::uintptr_t address, void* into, std::size_t bytes) noexcept {
  constexpr std::size_t page = 4096;  // the smallest there is: what it is cut at
  const std::size_t in_first = std::min(bytes, page - address % page);
  const iovec local{into, bytes};
  // What lies in different pages is different pieces: of a piece that is not all there nothing may be read.
  const std::array<iovec, 2> remote{iovec{reinterpret_cast<void*>(address), in_first},
                                    iovec{reinterpret_cast<void*>(address + in_first), bytes - in_first}};
  const int errno_before = errno;
  const ssize_t got = process_vm_readv(getpid(), &local, 1, remote.data(), bytes > in_first ? 2 : 1, 0);
  errno = errno_before;
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

}  // namespace

OwnMemory::OwnMemory() noexcept {
  const std::uintptr_t known = 0x5C09E;
  std::uintptr_t seen = 0;
  works_ = read_bytes(reinterpret_cast<std::uintptr_t>(&known), &seen, sizeof seen) == sizeof seen && seen == known;
}

std::size_t OwnMemory::read(std::uintptr_t address, std::span<std::uintptr_t> words) const noexcept {
  if (!works_ || address % sizeof address != 0) return 0;
  return read_bytes(address, words.data(), words.size_bytes()) / sizeof address;
}

}  // namespace ddtscope::plugin
