// Which INTEGER stands for a handle in Fortran, for debuggers, where the library has INTEGERs of its own for handles.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "plugin/debug_view/debug_table.h"
#include "plugin/registry/library_queries.h"

namespace ddtscope::plugin {

/// A hash table by handle, open addressing. An entry holds for one life of its handle: nothing is to be done when a
/// type is freed. Not synchronised.
class FortranHandles {
 public:
  /// Where the table's address is to stand. Throws std::bad_alloc, as set() does.
  explicit FortranHandles(std::uint64_t& published)
      : table_(published, trace::DebugTableKind::fortran, first_capacity) {}

  /// `integer` stands for the handle in this life. `is_current(entry)` tells of another entry whether its handle still
  /// has the life that it names.
  template <class IsCurrent>
  void set(HandleBits handle, std::uint32_t generation, std::int32_t integer, const IsCurrent& is_current) {
    trace::DebugFortran* entry = place_of(table_.data(), table_.capacity(), handle);
    if (entry->handle == handle && entry->generation == generation && entry->integer == integer) return;
    if (entry->handle == 0) {
      if ((table_.used() + 1) * 4 > table_.capacity() * 3) {
        make_room(is_current);
        entry = place_of(table_.data(), table_.capacity(), handle);
      }
      table_.set_used(table_.used() + 1);
    }
    // Without a life, whoever looks meanwhile does not take it.
    entry->generation = 0;
    std::atomic_signal_fence(std::memory_order_release);
    entry->integer = integer;
    entry->handle = handle;
    std::atomic_signal_fence(std::memory_order_release);
    entry->generation = generation;
  }

  /// The handles that the INTEGER has stood for, as far as they are remembered: calls `visit(entry)` for each. Takes
  /// time that grows with the table.
  template <class Visit>
  void each_of(std::int32_t integer, const Visit& visit) const {
    for (std::size_t i = 0; i < table_.capacity(); ++i) {
      if (table_[i].handle != 0 && table_[i].integer == integer) visit(table_[i]);
    }
  }

 private:
  static constexpr std::size_t first_capacity = 1024;

  static trace::DebugFortran* place_of(trace::DebugFortran* entries, std::size_t capacity, HandleBits handle) {
    const std::uint64_t hash = handle * 0x9E3779B97F4A7C15u;
    std::size_t at = static_cast<std::size_t>(hash ^ (hash >> 32)) & (capacity - 1);
    while (entries[at].handle != 0 && entries[at].handle != handle) at = (at + 1) & (capacity - 1);
    return entries + at;
  }
  /// Drops what is out of date, and doubles the table where that was less than half of it.
  template <class IsCurrent>
  void make_room(const IsCurrent& is_current) {
    std::size_t current = 0;
    for (std::size_t i = 0; i < table_.capacity(); ++i) {
      if (table_[i].handle != 0 && is_current(table_[i])) ++current;
    }
    const std::size_t capacity = current * 8 > table_.capacity() * 3 ? table_.capacity() * 2 : table_.capacity();
    table_.grow(capacity, [&](const trace::DebugFortran* old, std::size_t count, trace::DebugFortran* larger) {
      for (std::size_t i = 0; i < count; ++i) {
        if (old[i].handle != 0 && is_current(old[i])) *place_of(larger, capacity, old[i].handle) = old[i];
      }
    });
    table_.set_used(current);
  }

  DebugTable<trace::DebugFortran> table_;
};

}  // namespace ddtscope::plugin
