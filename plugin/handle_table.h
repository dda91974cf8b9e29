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

/// What a handle stands for.
enum class HandleState : std::uint8_t {
  none,  // an empty slot of the table
  live,
  // Freed, or made of a type that was: some libraries take such a handle again, yet what is behind it may be gone, so
  // nothing is asked about it. Ends where the library gives the handle to a new type.
  dead,
};

struct HandleEntry {
  HandleBits handle = 0;
  DefinitionId definition;
  std::uint32_t counter = 0;           // of the youngest life
  std::uint32_t older_life = no_life;  // of the life below it
  std::uint32_t generation = 0;        // tells a reused handle from the one being freed
  HandleState state = HandleState::none;
  bool predefined = false;  // named, or an F90 type: never freed
  bool committed = false;   // the youngest life
  bool dying = false;       // inside MPI_Type_free
};

class HandleTable {
 public:
  HandleTable() : entries_(std::size_t{1} << initial_bits), shift_(64 - initial_bits) {}

  /// The entry of a live handle.
  HandleEntry* find(HandleBits handle) {
    for (std::size_t at = home(handle);; at = next(at)) {
      HandleEntry& entry = entries_[at];
      if (entry.state == HandleState::none) return nullptr;
      if (entry.handle == handle) return entry.state == HandleState::live ? &entry : nullptr;
    }
  }
  /// As find(), trying first the slot where the handle stood before.
  HandleEntry* find(HandleBits handle, std::size_t slot) {
    if (slot < entries_.size() && entries_[slot].state == HandleState::live && entries_[slot].handle == handle)
      return &entries_[slot];
    return find(handle);
  }
  std::size_t slot_of(const HandleEntry& entry) const { return static_cast<std::size_t>(&entry - entries_.data()); }
  /// The entry of a handle, live now; a new one where it had none. Invalidates pointers to entries.
  HandleEntry& find_or_add(HandleBits handle, bool& is_new) {
    HandleEntry& entry = slot_for(handle);
    is_new = entry.state != HandleState::live;
    if (is_new) revive(entry, handle);
    return entry;
  }
  bool is_dead(HandleBits handle) const {
    for (std::size_t at = home(handle); entries_[at].state != HandleState::none; at = next(at)) {
      if (entries_[at].handle == handle) return entries_[at].state == HandleState::dead;
    }
    return false;
  }
  /// A dead entry keeps its slot: as many slots are taken as there were handles in use at once.
  static void bury(HandleEntry& entry) { entry.state = HandleState::dead; }
  /// As bury(), for a handle that may not be known; one that is live again stays so.
  void bury_unless_live(HandleBits handle) {
    HandleEntry& entry = slot_for(handle);
    if (entry.state == HandleState::live) return;
    revive(entry, handle);
    bury(entry);
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
  // Room for the predefined types with few neighbours.
  static constexpr int initial_bits = 12;

  /// The slot where a handle stands, or is to stand.
  HandleEntry& slot_for(HandleBits handle) {
    if ((used_ + 1) * 2 > entries_.size()) grow();
    std::size_t at = home(handle);
    while (entries_[at].state != HandleState::none && entries_[at].handle != handle) at = next(at);
    return entries_[at];
  }
  void revive(HandleEntry& entry, HandleBits handle) {
    if (entry.state == HandleState::none) ++used_;
    entry = HandleEntry{};
    entry.handle = handle;
    entry.state = HandleState::live;
  }
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
      if (entry.state == HandleState::none) continue;
      std::size_t at = home(entry.handle);
      while (entries_[at].state != HandleState::none) at = next(at);
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
