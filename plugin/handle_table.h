// Handle -> what is known of the object behind it, with open addressing: one probe in the common case.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "decoder/definition.h"
#include "plugin/library_queries.h"

namespace ddtscope::plugin {

/// A life that was begun while an older one of the same handle goes on: MPICH's get_contents returns the
/// same handle with one more reference.
inline constexpr std::uint32_t no_life = UINT32_MAX;

struct HandleEntry {
  HandleBits handle = 0;
  DefinitionId definition;
  std::uint32_t counter = 0;           // of the youngest life
  std::uint32_t older_life = no_life;  // of the life below it
  std::uint32_t generation = 0;        // tells a reused handle from the one being freed
  bool used = false;
  bool predefined = false;  // named, or an F90 type: never freed
  bool committed = false;   // the youngest life
  bool dying = false;       // inside MPI_Type_free
};

class HandleTable {
 public:
  HandleTable() : entries_(std::size_t{1} << initial_bits), shift_(64 - initial_bits) {}

  HandleEntry* find(HandleBits handle) {
    for (std::size_t at = home(handle);; at = next(at)) {
      HandleEntry& entry = entries_[at];
      if (!entry.used) return nullptr;
      if (entry.handle == handle) return &entry;
    }
  }
  /// As find(), trying first the slot where the handle stood before.
  HandleEntry* find(HandleBits handle, std::size_t slot) {
    if (slot < entries_.size() && entries_[slot].used && entries_[slot].handle == handle) return &entries_[slot];
    return find(handle);
  }
  std::size_t slot_of(const HandleEntry& entry) const { return static_cast<std::size_t>(&entry - entries_.data()); }
  /// The entry of a handle, a new one where it has none. Invalidates pointers to entries.
  HandleEntry& find_or_add(HandleBits handle, bool& is_new) {
    if ((used_ + 1) * 2 > entries_.size()) grow();
    std::size_t at = home(handle);
    for (; entries_[at].used; at = next(at)) {
      if (entries_[at].handle != handle) continue;
      is_new = false;
      return entries_[at];
    }
    ++used_;
    is_new = true;
    entries_[at] = HandleEntry{};
    entries_[at].handle = handle;
    entries_[at].used = true;
    return entries_[at];
  }
  void remove(HandleEntry& entry) {
    // Entries behind the hole that hash before it move up: no tombstones.
    std::size_t hole = slot_of(entry);
    for (std::size_t at = next(hole); entries_[at].used; at = next(at)) {
      const std::size_t wanted = home(entries_[at].handle);
      if (((at - wanted) & mask()) >= ((at - hole) & mask())) {
        entries_[hole] = entries_[at];
        hole = at;
      }
    }
    entries_[hole].used = false;
    --used_;
  }
  std::uint32_t next_generation() { return ++generation_; }

  struct Life {
    std::uint32_t counter;
    std::uint32_t older;
    bool committed;
  };
  std::uint32_t push_life(const Life& life) {
    if (free_lives_.empty()) {
      lives_.push_back(life);
      return static_cast<std::uint32_t>(lives_.size() - 1);
    }
    const std::uint32_t index = free_lives_.back();
    free_lives_.pop_back();
    lives_[index] = life;
    return index;
  }
  Life pop_life(std::uint32_t index) {
    free_lives_.push_back(index);
    return lives_[index];
  }

 private:
  // Room for the predefined types with few neighbours: a removal looks at every entry up to the next gap.
  static constexpr int initial_bits = 12;

  std::size_t mask() const { return entries_.size() - 1; }
  std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
  std::size_t home(HandleBits handle) const {
    return static_cast<std::size_t>((handle * 0x9E3779B97F4A7C15u) >> shift_);
  }
  void grow() {
    std::vector<HandleEntry> old(entries_.size() * 2);
    old.swap(entries_);
    --shift_;
    for (const HandleEntry& entry : old) {
      if (!entry.used) continue;
      std::size_t at = home(entry.handle);
      while (entries_[at].used) at = next(at);
      entries_[at] = entry;
    }
  }

  std::vector<HandleEntry> entries_;
  int shift_;
  std::size_t used_ = 0;
  std::uint32_t generation_ = 0;
  std::vector<Life> lives_;
  std::vector<std::uint32_t> free_lives_;
};

}  // namespace ddtscope::plugin
