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
  /// What is to be read, and how many words could be.
  struct Piece {
    std::uintptr_t address = 0;
    std::span<std::uintptr_t> words;
    std::size_t read = 0;
  };
  /// The same of each, with as few calls of the system as there are pieces that are not all there, and one more.
  void read_all(std::span<Piece> pieces) const noexcept;

 private:
  bool works_ = false;
};

}  // namespace ddtscope::plugin
