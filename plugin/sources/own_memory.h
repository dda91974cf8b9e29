// Memory of this process that may not be there: read so that nothing can fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ddtscope::plugin {

class OwnMemory {
 public:
  /// Tries it.
  OwnMemory() noexcept;
  /// Whether the system lets a process read itself this way; else read() reads nothing.
  bool works() const { return works_; }
  /// How many words from the address on, at most as many as there is room for, could be read: up to the first page
  /// that is not there.
  std::size_t read(std::uintptr_t address, std::span<std::uintptr_t> words) const noexcept;

 private:
  bool works_ = false;
};

}  // namespace ddtscope::plugin
