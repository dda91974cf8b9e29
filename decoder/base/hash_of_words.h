// A hash of numbers, one after the other, for tables in memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ddtscope {

class HashOfWords {
 public:
  explicit HashOfWords(std::uint64_t first = 0) : hash_(first * 0xD6E8FEB86659FD93u) {}
  HashOfWords& add(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9E3779B97F4A7C15u;
    hash_ ^= hash_ >> 29;
    return *this;
  }
  HashOfWords& add(const void* address) { return add(std::uint64_t{reinterpret_cast<std::uintptr_t>(address)}); }
  std::size_t value() const { return hash_; }

 private:
  std::uint64_t hash_;
};

}  // namespace ddtscope
