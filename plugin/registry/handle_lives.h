// Which definition each handle stands for, and when its lives begin and end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "plugin/call/call_outcome.h"
#include "plugin/debug_view/debug_memory.h"
#include "plugin/registry/fortran_handles.h"
#include "plugin/registry/handle_table.h"

namespace ddtscope::plugin {

/// The library gives handles again once they are freed, maybe before the call that freed them has come back, and may
/// give one to the same object several times, so that a handle has several lives at once. Whoever begins lives is told
/// by `ended(counter)` of those that end by that: the library gives a handle anew only after it was freed, by the
/// MPI_Type_free that has not yet come back, which counts it itself, or by a call that no wrapper saw. Not
/// synchronised.
class HandleLives {
 public:
  using Life = HandleTable::Life;

  explicit HandleLives(DebugMemory& memory)
      : memory_(memory),
        table_(memory.table(trace::DebugTableKind::handles), memory.table(trace::DebugTableKind::older_lives)) {}

  /// The entry of a live handle; else null.
  const HandleEntry* find(HandleBits handle) { return table_.find(handle); }
  /// The handle stood for a type that is gone, or for one of which nothing is known.
  bool is_dead(HandleBits handle) { return table_.is_dead(handle); }
  /// The handle stood for a type that was freed, and for nothing since.
  bool was_freed(HandleBits handle) { return table_.was_freed(handle); }
  /// It stands for a type of which nothing can be kept.
  bool is_dropped(HandleBits handle) { return table_.is_dropped(handle); }
  /// It has a life that no call of MPI_Type_free is ending.
  bool has_lasting_life(const HandleEntry& entry) const { return table_.has_lasting_life(entry); }
  /// Of the first life that begins from now on.
  std::uint32_t next_generation() { return table_.next_generation(); }

  /// The library gave a handle to a new object.
  template <class Ended>
  [[gnu::always_inline]] inline void begin(HandleBits handle, const Life& life, const Ended& ended) {
    HandleEntry& entry = table_.slot_for(handle);
    if (entry.is_live()) [[unlikely]] {
      if (entry.is_predefined()) return;  // an unnamed one: the same handle each time
      table_.each_lasting_life(entry, ended);
    }
    table_.begin_life(entry, handle, life);
  }
  /// The library gave a handle: to a new object, or once more to one that is alive. Then the next free ends this life
  /// first.
  template <class Ended>
  void begin_or_share(HandleBits handle, const Life& life, const Ended& ended) {
    HandleEntry* entry = table_.find(handle);
    const bool is_alive = entry && !entry->is_predefined() && table_.has_lasting_life(*entry);
    if (is_alive && entry->type() == life.definition) {
      table_.share(*entry, life.counter);
    } else {
      begin(handle, life, ended);
    }
  }
  /// The library gave a handle to an object of which nothing can be kept.
  template <class Ended>
  void drop(HandleBits handle, const Ended& ended) {
    HandleEntry& entry = table_.slot_for(handle);
    if (entry.is_live()) {
      if (entry.is_predefined()) return;
      table_.each_lasting_life(entry, ended);
    }
    table_.drop(entry, handle);
  }
  /// Nothing may be known of the handle, unless it is alive.
  void bury(HandleBits handle) { table_.bury_unless_live(handle); }

  /// What a handle stands for, as far as its commit is concerned.
  struct Commit {
    enum class Of : std::uint8_t { nothing_known, freed_type, first, repeated };
    HandleBits handle = 0;
    std::uint32_t generation = 0;
    std::uint32_t counter = 0;  // of the life that is committed for the first time
    Of of = Of::repeated;       // a predefined type is committed from the beginning
    bool is_doubtful() const { return of == Of::nothing_known || of == Of::freed_type; }
  };
  [[gnu::always_inline]] inline Commit begin_commit(HandleBits handle) {
    HandleEntry* entry = table_.find(handle);
    if (!entry) [[unlikely]]
      return {.handle = handle, .of = was_freed(handle) ? Commit::Of::freed_type : Commit::Of::nothing_known};
    if (entry->is_predefined() || entry->is_committed()) return {};
    HandleTable::commit(*entry);
    return {.handle = handle, .generation = entry->generation, .counter = entry->counter, .of = Commit::Of::first};
  }
  /// False where the handle stands for something else by now.
  bool take_back(const Commit& commit) {
    HandleEntry* entry = table_.find(commit.handle);
    if (!entry || entry->generation != commit.generation || entry->counter != commit.counter) return false;
    HandleTable::take_commit_back(*entry);
    return true;
  }

  /// The type may be used without a commit that is seen: the library gave it, or it is a duplicate of such a one.
  void needs_no_commit(HandleBits handle) {
    if (HandleEntry* entry = table_.find(handle)) HandleTable::set_needs_no_commit(*entry);
  }

  /// A free in two steps: the handle stays resolvable while the library runs delete callbacks, and may be reused by
  /// another thread before the library's call returns.
  struct Free {
    HandleBits handle = 0;
    std::uint32_t generation = 0;
    std::uint32_t counter = 0;
    bool known = false;
    DefinitionId definition = {};
  };
  [[gnu::always_inline]] inline Free begin_free(HandleBits handle) {
    HandleEntry* entry = table_.find(handle);
    if (!entry) [[unlikely]]
      return {.handle = handle};
    if (entry->is_predefined()) return {};
    return {.handle = handle,
            .generation = entry->generation,
            .counter = table_.begin_free(*entry),
            .known = true,
            .definition = entry->type()};
  }
  /// True where the handle still stands for the type, by an older reference.
  template <class Ended>
  [[gnu::always_inline]] inline bool end_free(const Free& free, CallOutcome outcome, const Ended& ended) {
    const bool succeeded = outcome == CallOutcome::succeeded;
    if (!free.known) [[unlikely]] {
      if (succeeded && free.handle != 0) bury(free.handle);
      return false;
    }
    HandleEntry* entry = table_.find(free.handle);
    if (!entry || entry->generation != free.generation) [[unlikely]] {  // reused meanwhile
      if (succeeded && free.counter != trace::debug_view_none) ended(free.counter);
      return false;
    }
    table_.end_free(*entry);
    if (!succeeded) return false;
    ended(entry->counter);
    return table_.end_life(*entry);
  }

  // In the handle's lane: nothing is done where that does not suffice, or the counter of a life is not this lane's.

  /// There are lanes from now on.
  void split() { table_.split(); }
  /// The entry of a live handle, for those who may not have its lane; else null.
  const HandleEntry* find_beside_lanes(HandleBits handle) const { return table_.find_beside_lanes(handle); }
  /// As begin(), where no life ends by that.
  [[gnu::always_inline]] inline bool begin_in_lane(HandleBits handle, const Life& life) {
    HandleEntry* entry = table_.has_lanes() ? table_.find_in_lane(handle) : nullptr;
    if (!entry || !table_.is_alone(*entry) || (entry->is_live() && !entry->is_dying())) return false;
    table_.begin_life_in_lane(*entry, handle, life);
    return true;
  }
  template <class IsOfLane>
  [[gnu::always_inline]] inline std::optional<Commit> begin_commit_in_lane(HandleBits handle,
                                                                           const IsOfLane& is_of_lane) {
    HandleEntry* entry = table_.find_in_lane(handle);
    if (!entry || !entry->is_live()) return std::nullopt;
    if (entry->is_predefined() || entry->is_committed()) return Commit{};
    if (!is_of_lane(entry->counter)) return std::nullopt;
    HandleTable::commit(*entry);
    return Commit{
        .handle = handle, .generation = entry->generation, .counter = entry->counter, .of = Commit::Of::first};
  }
  [[gnu::always_inline]] inline std::optional<Free> begin_free_in_lane(HandleBits handle) {
    HandleEntry* entry = table_.find_in_lane(handle);
    const bool is_plain = entry && entry->is_live() && table_.is_alone(*entry) && !entry->is_dying();
    if (!is_plain || entry->is_predefined()) return std::nullopt;
    return Free{.handle = handle,
                .generation = entry->generation,
                .counter = table_.begin_free(*entry),
                .known = true,
                .definition = entry->type()};
  }
  /// Of a free that was successful, of a life whose counter is this lane's. True where the handle's slot stands for
  /// another life by now, or for none.
  [[gnu::always_inline]] inline bool end_free_in_lane(const Free& free) {
    HandleEntry* entry = table_.find_in_lane(free.handle);
    if (!entry || !table_.is_alone(*entry)) return false;
    if (!entry->is_live() || entry->generation != free.generation) return true;  // reused meanwhile
    if (entry->counter != free.counter) return false;  // another thread has ended the youngest of several lives
    table_.end_free(*entry);
    table_.end_life(*entry);
    return true;
  }

  /// The library has said which INTEGER stands for a handle in Fortran: for debuggers, which may have no more than
  /// that.
  void stands_in_fortran(HandleBits handle, std::int32_t integer) {
    const HandleEntry* entry = table_.find(handle);
    if (!entry) return;
    table_.next_generation();  // in whatever lane, what begins from now on is younger
    if (!fortran_) fortran_.emplace(memory_.table(trace::DebugTableKind::fortran));
    fortran_->set(handle, entry->generation, integer, [&](const trace::DebugFortran& other) {
      const HandleEntry* known = table_.find(other.handle);
      return known && known->generation == other.generation;
    });
  }

  /// The handle of the freed type that the INTEGER stood for last; 0 where none is remembered, or where the handle was
  /// given again.
  HandleBits freed_in_fortran(std::int32_t integer) {
    trace::DebugFortran last{};
    if (fortran_) {
      fortran_->each_of(integer, [&](const trace::DebugFortran& one) {
        if (one.generation > last.generation) last = one;
      });
    }
    return last.handle != 0 && table_.was_freed(last.handle) ? last.handle : 0;
  }

 private:
  DebugMemory& memory_;
  HandleTable table_;
  std::optional<FortranHandles> fortran_;  // made when it is needed
};

}  // namespace ddtscope::plugin
