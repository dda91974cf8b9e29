// A hash table of numbers; what they stand for is kept elsewhere, by whoever asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ddtscope {

/// Open addressing, linear probing, at most half full. A number is found by its hash, of which the table keeps half,
/// and by the asker's comparison. Hashes must be such that any of their bits will do. Not synchronised.
class IndexTable {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  explicit IndexTable(std::size_t first_slots = 256) : slots_(first_slots) {}

  /// The number that was put in with this hash and of which `is_it(number)` is true; else none.
  template <class IsIt>
  std::uint32_t find(std::uint64_t hash, const IsIt& is_it) const {
    const std::uint32_t folded = fold(hash);
    for (std::size_t at = folded & mask(); slots_[at].number != none; at = next(at)) {
      if (slots_[at].hash == folded && is_it(slots_[at].number)) return slots_[at].number;
    }
    return none;
  }
  /// Throws std::bad_alloc, and is then as before.
  void insert(std::uint64_t hash, std::uint32_t number) {
    if ((used_ + 1) * 2 > slots_.size()) grow();
    put({fold(hash), number});
    ++used_;
  }
  /// Takes out a number that was put in with this hash.
  void erase(std::uint64_t hash, std::uint32_t number) {
    std::size_t gap = fold(hash) & mask();
    while (slots_[gap].number != number) gap = next(gap);
    // What stands behind moves up, where its home is not beyond the gap: a search ends at the first free slot.
    for (std::size_t at = next(gap); slots_[at].number != none; at = next(at)) {
      if (((at - slots_[at].hash) & mask()) < ((at - gap) & mask())) continue;
      slots_[gap] = slots_[at];
      gap = at;
    }
    slots_[gap] = {};
    --used_;
  }
  void clear() {
    slots_.assign(slots_.size(), {});
    used_ = 0;
  }
  std::size_t size() const { return used_; }

 private:
  struct Slot {
    std::uint32_t hash = 0;  // its lower bits are the slot where the number stands if that is free
    std::uint32_t number = none;
  };

 public:
  /// What a number takes, where the table is half full.
  static constexpr std::size_t bytes_per_number = 2 * sizeof(Slot);

 private:
  static std::uint32_t fold(std::uint64_t hash) { return static_cast<std::uint32_t>(hash ^ (hash >> 32)); }
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
  void put(const Slot& slot) {
    std::size_t at = slot.hash & mask();
    while (slots_[at].number != none) at = next(at);
    slots_[at] = slot;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != none) put(slot);
    }
  }

  std::vector<Slot> slots_;  // a power of two
  std::size_t used_ = 0;
};

}  // namespace ddtscope
