// Handle -> what is known of the object behind it, with open addressing: one probe in the common case. Debuggers read
// the slots as they stand.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "decoder/definition/definition.h"
#include "plugin/base/laned_lock.h"
#include "plugin/debug_view/debug_table.h"
#include "plugin/registry/library_queries.h"
#include "reporters/trace/format/debug_view.h"

namespace ddtscope::plugin {

/// A slot, which only the table changes.
struct HandleEntry : trace::DebugHandle {
  DefinitionId type() const { return DefinitionId{definition}; }
  // Whoever looks for one handle passes by others, which may be changed in their lanes.
  trace::DebugHandleState now() const { return std::atomic_ref(state_word()).load(std::memory_order_acquire); }
  void become(trace::DebugHandleState next) { std::atomic_ref(state).store(next, std::memory_order_release); }
  bool is_live() const { return now() == trace::DebugHandleState::live; }
  /// Named, or an F90 type: never freed.
  bool is_predefined() const { return flags & trace::debug_handle_predefined; }
  /// The youngest life.
  bool is_committed() const { return flags & trace::debug_handle_committed; }
  /// Whether the object may be used in communication, as far as is known.
  bool may_be_used() const {
    return flags &
           (trace::debug_handle_predefined | trace::debug_handle_committed | trace::debug_handle_needs_no_commit);
  }
  /// Inside MPI_Type_free.
  bool is_dying() const { return flags & trace::debug_handle_dying; }

 private:
  trace::DebugHandleState& state_word() const { return const_cast<HandleEntry*>(this)->state; }
};
static_assert(sizeof(HandleEntry) == sizeof(trace::DebugHandle));

constexpr std::uint64_t hash_of(HandleBits handle) { return handle * 0x9E3779B97F4A7C15u; }
/// The lane in which the slot of a handle belongs. Slots of one lane lie side by side.
constexpr Lane lane_of(HandleBits handle) { return Lane(hash_of(handle) >> (64 - LanedLock::lane_bits)); }

/// Under a LanedLock: functions whose names end with `_in_lane` need no more than the handle's lane, as do those that
/// are given an entry that is_alone().
class alignas(64) HandleTable {
 public:
  /// Where the addresses of the two tables are to stand. Throws std::bad_alloc, as all that adds does.
  HandleTable(std::uint64_t& handles, std::uint64_t& older_lives)
      : slots_(handles, trace::DebugTableKind::handles, std::size_t{1} << initial_bits),
        entries_(slots_.data()),
        mask_(slots_.capacity() - 1),
        last_(entries_),
        shift_(64 - initial_bits),
        older_(older_lives, trace::DebugTableKind::older_lives, 64) {}

  /// The entry of a live handle.
  [[gnu::always_inline]] inline HandleEntry* find(HandleBits handle) {
    HandleEntry& entry = *place_of(handle);
    return entry.is_live() ? &entry : nullptr;
  }
  /// Of the first life that begins from now on, whatever the lane.
  std::uint32_t next_generation() {
    if (has_lanes_) [[unlikely]] {
      for (const InLane& lane : in_lanes_) generation_ = std::max(generation_, lane.generation);
      for (InLane& lane : in_lanes_) lane.generation = generation_;
    }
    return generation_ + 1;
  }
  bool is_dead(HandleBits handle) { return place_of(handle)->now() == trace::DebugHandleState::dead; }

  struct Life {
    DefinitionId definition;
    std::uint32_t counter = 0;
    bool predefined = false;
  };
  /// The slot of a handle that was seen before; else null.
  [[gnu::always_inline]] inline HandleEntry* find_in_lane(HandleBits handle) {
    InLane& lane = in_lane(handle);
    if (lane.last == nullptr || lane.last->handle != handle) [[unlikely]]
      lane.last = search(handle);
    return lane.last->now() == trace::DebugHandleState::none ? nullptr : lane.last;
  }
  /// As find(), for whoever may not have the handle's lane.
  const HandleEntry* find_beside_lanes(HandleBits handle) const {
    const HandleEntry* entry = search(handle);
    return entry->is_live() ? entry : nullptr;
  }
  /// Whether what is known of the handle stands in its slot alone.
  bool is_alone(const HandleEntry& entry) const {
    return !(entry.flags & trace::debug_handle_sharing) && !some_freed_twice_;
  }
  /// There are lanes from now on: before, no life begins in one.
  void split() {
    has_lanes_ = true;
    next_generation();
  }
  bool has_lanes() const { return has_lanes_; }

  /// The slot where a handle stands, in whatever state, or is to stand. Invalidates pointers to entries.
  [[gnu::always_inline]] inline HandleEntry& slot_for(HandleBits handle) {
    HandleEntry* entry = place_of(handle);
    // Three quarters full at most: even after it has doubled, it has no more than 64 bytes for each handle.
    if (entry->now() == trace::DebugHandleState::none && (slots_.used() + 1) * 4 > slots_.capacity() * 3) [[unlikely]] {
      grow();
      entry = place_of(handle);
    }
    return *entry;
  }
  /// The handle stands for a new object, whatever it stood for before. `entry` is its slot.
  [[gnu::always_inline]] inline void begin_life(HandleEntry& entry, HandleBits handle, const Life& life) {
    if (entry.flags & trace::debug_handle_sharing) [[unlikely]]
      drop_older(entry);
    if (entry.is_dying() && some_freed_twice_) [[unlikely]]
      freed_once(handle);
    take(entry, handle);
    begin(entry, life, next_generation_of(handle));
  }
  /// As begin_life, of an entry that is alone.
  [[gnu::always_inline]] inline void begin_life_in_lane(HandleEntry& entry, HandleBits handle, const Life& life) {
    begin(entry, life, ++in_lane(handle).generation);
  }
  /// One more life of the same object begins: the one that goes on below it is continued when it ends.
  void share(HandleEntry& entry, std::uint32_t counter) {
    const bool has_older = entry.flags & trace::debug_handle_sharing;
    std::uint32_t& youngest = youngest_older_[entry.handle];
    const trace::DebugOlderLife life = {.handle = entry.handle,
                                        .counter = entry.counter,
                                        .older = has_older ? youngest : trace::debug_view_none,
                                        .committed = entry.is_committed() ? 1u : 0u,
                                        .reserved = 0};
    if (free_older_.empty()) {
      older_.push_back(life);
      youngest = static_cast<std::uint32_t>(older_.used() - 1);
    } else {
      youngest = free_older_.back();
      free_older_.pop_back();
      older_[youngest] = life;
    }
    const Change change(entry);
    entry.counter = counter;
    // Of the object that MPI_Type_get_contents returns nobody knows whether it is committed (MPI-4.1 5.1.13).
    entry.flags = static_cast<std::uint8_t>(trace::debug_handle_sharing | trace::debug_handle_needs_no_commit |
                                            (entry.flags & trace::debug_handle_dying));
  }
  /// The youngest life ends. True where an older one goes on.
  [[gnu::always_inline]] inline bool end_life(HandleEntry& entry) {
    if (entry.flags & trace::debug_handle_sharing) [[unlikely]] {
      const trace::DebugOlderLife life = pop_older(entry.handle);
      const Change change(entry);
      entry.counter = life.counter;
      entry.flags = static_cast<std::uint8_t>((life.committed ? trace::debug_handle_committed : 0) |
                                              (life.older != trace::debug_view_none ? trace::debug_handle_sharing : 0) |
                                              (entry.may_be_used() ? trace::debug_handle_needs_no_commit : 0) |
                                              (entry.flags & trace::debug_handle_dying));
      return true;
    }
    // A dead entry keeps its slot: as many slots are taken as there were handles in use at once.
    entry.become(trace::DebugHandleState::dead);
    return false;
  }
  /// For a handle of which nothing may be known; one that is live stays so.
  void bury_unless_live(HandleBits handle) {
    HandleEntry& entry = slot_for(handle);
    if (entry.is_live()) return;
    take(entry, handle);
    const Change change(entry);
    entry.definition = trace::debug_view_none;
    entry.become(trace::DebugHandleState::dead);
    entry.flags = 0;
  }
  /// The handle stands for a type of which nothing can be kept: as dead, but is_dropped() tells. `entry` is its slot.
  void drop(HandleEntry& entry, HandleBits handle) {
    begin_life(entry, handle, {});
    const Change change(entry);
    entry.definition = trace::debug_view_none;
    entry.become(trace::DebugHandleState::dead);
    entry.flags = trace::debug_handle_dropped;
  }
  bool is_dropped(HandleBits handle) {
    const HandleEntry& entry = *place_of(handle);
    return entry.now() == trace::DebugHandleState::dead && (entry.flags & trace::debug_handle_dropped);
  }
  static void commit(HandleEntry& entry) { entry.flags |= trace::debug_handle_committed; }
  static void take_commit_back(HandleEntry& entry) {
    entry.flags = static_cast<std::uint8_t>(entry.flags & ~trace::debug_handle_committed);
  }
  static void set_needs_no_commit(HandleEntry& entry) { entry.flags |= trace::debug_handle_needs_no_commit; }
  /// Whether a handle that is dead stood for a type that was made and freed here.
  bool was_freed(HandleBits handle) {
    const HandleEntry& entry = *place_of(handle);
    return entry.now() == trace::DebugHandleState::dead && entry.definition != trace::debug_view_none;
  }
  /// MPI_Type_free has been called. The counter of the life that it is to end, debug_view_none where the calls that
  /// have not come back end all.
  [[gnu::always_inline]] inline std::uint32_t begin_free(HandleEntry& entry) {
    std::uint32_t before = 0;
    if (entry.is_dying()) [[unlikely]] {
      before = ++more_frees_[entry.handle];
      some_freed_twice_ = true;
    }
    entry.flags |= trace::debug_handle_dying;
    return before == 0 ? entry.counter : nth_life(entry, before);
  }
  /// It has come back, and the handle stands for the same object.
  [[gnu::always_inline]] inline void end_free(HandleEntry& entry) {
    if (some_freed_twice_) [[unlikely]] {
      const auto more = more_frees_.find(entry.handle);
      if (more != more_frees_.end()) {
        if (--more->second == 0) freed_once(entry.handle);
        return;
      }
    }
    entry.flags = static_cast<std::uint8_t>(entry.flags & ~trace::debug_handle_dying);
  }
  /// Whether a live handle has a life that no call of MPI_Type_free is ending.
  bool has_lasting_life(const HandleEntry& entry) const {
    return !entry.is_dying() || nth_life(entry, frees(entry)) != trace::debug_view_none;
  }
  /// Calls `visit(counter)` for each of these lives.
  template <class Visit>
  void each_lasting_life(const HandleEntry& entry, const Visit& visit) const {
    std::uint32_t ending = frees(entry);
    each_life(entry, [&](std::uint32_t counter) {
      if (ending == 0) {
        visit(counter);
      } else {
        --ending;
      }
      return true;
    });
  }

 private:
  // Room for the predefined types with few neighbours.
  static constexpr int initial_bits = 12;

  /// A slot is odd while it changes: whoever looks meanwhile knows that it is neither the old nor the new. Who looks
  /// has stopped the process, so that the order of the instructions is what counts.
  class Change {
   public:
    [[gnu::always_inline]] explicit Change(HandleEntry& entry) : entry_(entry) {
      ++entry_.sequence;
      std::atomic_signal_fence(std::memory_order_release);
    }
    [[gnu::always_inline]] ~Change() {
      std::atomic_signal_fence(std::memory_order_release);
      ++entry_.sequence;
    }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

   private:
    HandleEntry& entry_;
  };

  /// Calls of MPI_Type_free that have not come back.
  std::uint32_t frees(const HandleEntry& entry) const {
    if (!entry.is_dying()) return 0;
    const auto more = more_frees_.find(entry.handle);
    return more == more_frees_.end() ? 1 : 1 + more->second;
  }
  /// The lives of a live handle, youngest first, while `visit(counter)` is true.
  template <class Visit>
  void each_life(const HandleEntry& entry, const Visit& visit) const {
    if (!visit(entry.counter) || !(entry.flags & trace::debug_handle_sharing)) return;
    for (std::uint32_t at = youngest_older_.at(entry.handle); at != trace::debug_view_none; at = older_[at].older) {
      if (!visit(older_[at].counter)) return;
    }
  }
  /// The counter of a life, 0 the youngest.
  std::uint32_t nth_life(const HandleEntry& entry, std::uint32_t n) const {
    std::uint32_t found = trace::debug_view_none;
    each_life(entry, [&](std::uint32_t counter) {
      if (n == 0) found = counter;
      return n-- != 0;
    });
    return found;
  }
  /// One call at most is freeing the handle.
  void freed_once(HandleBits handle) {
    more_frees_.erase(handle);
    some_freed_twice_ = !more_frees_.empty();
  }
  /// What is of one lane, in a line of the cache of its own.
  struct alignas(64) InLane {
    HandleEntry* last = nullptr;  // where the handle stands that was looked up last
    std::uint32_t generation = 0;
  };
  InLane& in_lane(HandleBits handle) { return in_lanes_[static_cast<std::size_t>(lane_of(handle))]; }

  [[gnu::always_inline]] static inline void begin(HandleEntry& entry, const Life& life, std::uint32_t generation) {
    const Change change(entry);
    entry.definition = life.definition.value;
    entry.counter = life.counter;
    entry.generation = generation;
    entry.become(trace::DebugHandleState::live);
    entry.flags = life.predefined ? trace::debug_handle_predefined : std::uint8_t{0};
  }
  /// Those of one handle ascend, whether they begin in its lane or not.
  [[gnu::always_inline]] inline std::uint32_t next_generation_of(HandleBits handle) {
    if (!has_lanes_) [[likely]]
      return ++generation_;
    InLane& lane = in_lane(handle);
    return lane.generation = generation_ = std::max(generation_, lane.generation) + 1;
  }
  /// The slot where a handle stands, or the empty one where it would.
  [[gnu::always_inline]] inline HandleEntry* place_of(HandleBits handle) {
    // What is made is mostly committed and freed next.
    if (last_->handle == handle && last_->now() != trace::DebugHandleState::none) [[likely]]
      return last_;
    return look_up(handle);
  }
  [[gnu::always_inline]] inline HandleEntry* look_up(HandleBits handle) { return last_ = search(handle); }
  [[gnu::noinline]] HandleEntry* search(HandleBits handle) const {
    std::size_t at = home(handle);
    while (entries_[at].now() != trace::DebugHandleState::none && entries_[at].handle != handle) at = (at + 1) & mask_;
    return entries_ + at;
  }
  [[gnu::always_inline]] inline void take(HandleEntry& entry, HandleBits handle) {
    if (entry.now() != trace::DebugHandleState::none) [[likely]]
      return;
    entry.handle = handle;
    slots_.set_used(slots_.used() + 1);
  }
  std::size_t home(HandleBits handle) const { return static_cast<std::size_t>(hash_of(handle) >> shift_); }
  void grow() {
    slots_.grow(slots_.capacity() * 2, [&](const HandleEntry* old, std::size_t count, HandleEntry* larger) {
      --shift_;  // now that there is memory
      const std::size_t mask = count * 2 - 1;
      for (std::size_t i = 0; i < count; ++i) {
        if (old[i].state == trace::DebugHandleState::none) continue;
        std::size_t at = home(old[i].handle);
        while (larger[at].state != trace::DebugHandleState::none) at = (at + 1) & mask;
        larger[at] = old[i];
      }
    });
    entries_ = last_ = slots_.data();
    mask_ = slots_.capacity() - 1;
    for (InLane& lane : in_lanes_) lane.last = nullptr;
  }
  trace::DebugOlderLife pop_older(HandleBits handle) {
    const auto youngest = youngest_older_.find(handle);
    const std::uint32_t at = youngest->second;
    const trace::DebugOlderLife life = older_[at];
    free_older_.push_back(at);
    older_[at] = {};
    if (life.older == trace::debug_view_none) {
      youngest_older_.erase(youngest);
    } else {
      youngest->second = life.older;
    }
    return life;
  }
  void drop_older(const HandleEntry& entry) {
    while (pop_older(entry.handle).older != trace::debug_view_none) {
    }
  }

  // All that most calls look at, in one line of the cache.
  DebugTable<HandleEntry> slots_;
  HandleEntry* entries_;  // of slots_, at hand
  std::size_t mask_;
  HandleEntry* last_;  // where the handle stands that was looked up last
  int shift_;
  std::uint32_t generation_ = 0;
  bool some_freed_twice_ = false;  // more_frees_ has some
  bool has_lanes_ = false;

  std::array<InLane, LanedLock::lanes> in_lanes_;
  DebugTable<trace::DebugOlderLife> older_;
  std::vector<std::uint32_t> free_older_;
  std::unordered_map<HandleBits, std::uint32_t> youngest_older_;  // of handles that have older lives
  std::unordered_map<HandleBits, std::uint32_t> more_frees_;      // of handles that are freed by several calls at once
};

}  // namespace ddtscope::plugin
