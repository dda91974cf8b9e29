// A flat table that a debugger reads (reporters/trace/format/debug_view.h). It grows into a copy, which takes its place
// when it is whole.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "plugin/debug_view/debug_records.h"
#include "reporters/trace/format/debug_view.h"

namespace ddtscope::plugin {

/// Entries are plain structs, zeroed until they are set. Not synchronised.
template <class Entry>
class DebugTable {
  static_assert(std::is_trivially_copyable_v<Entry>);

 public:
  /// `published` is where the table's address is to stand. Throws std::bad_alloc.
  DebugTable(std::uint64_t& published, trace::DebugTableKind kind, std::size_t capacity)
      : published_(published), kind_(kind), table_(make(capacity)) {
    publish();
  }
  ~DebugTable() {
    published_ = 0;
    unmap_memory(table_, bytes(table_->capacity));
  }
  DebugTable(const DebugTable&) = delete;
  DebugTable& operator=(const DebugTable&) = delete;

  Entry* data() { return entries_of(table_); }
  const Entry* data() const { return entries_of(table_); }
  Entry& operator[](std::size_t i) { return data()[i]; }
  const Entry& operator[](std::size_t i) const { return data()[i]; }
  std::size_t capacity() const { return table_->capacity; }
  /// How many entries are whole.
  std::size_t used() const { return table_->used; }
  void set_used(std::size_t used) { std::atomic_ref(table_->used).store(used, std::memory_order_release); }

  /// An entry more, behind the used ones; true where that moved the others.
  bool push_back(const Entry& entry) {
    const bool is_full = used() == capacity();
    if (is_full) {
      grow(capacity() * 2,
           [&](const Entry* old, std::size_t, Entry* larger) { std::memcpy(larger, old, used() * sizeof(Entry)); });
    }
    data()[used()] = entry;
    set_used(used() + 1);
    return is_full;
  }

  /// Takes a larger table; `fill(old entries, their number, new entries)` puts into it what the old one held.
  template <class Fill>
  void grow(std::size_t new_capacity, const Fill& fill) {
    trace::DebugTable* larger = make(new_capacity);
    fill(std::as_const(*this).data(), capacity(), entries_of(larger));
    larger->used = table_->used;
    trace::DebugTable* old = std::exchange(table_, larger);
    publish();
    unmap_memory(old, bytes(old->capacity));
  }

 private:
  static std::size_t bytes(std::size_t capacity) { return sizeof(trace::DebugTable) + capacity * sizeof(Entry); }
  static Entry* entries_of(trace::DebugTable* table) { return reinterpret_cast<Entry*>(table + 1); }
  static const Entry* entries_of(const trace::DebugTable* table) { return reinterpret_cast<const Entry*>(table + 1); }
  trace::DebugTable* make(std::size_t capacity) const {
    auto* table = reinterpret_cast<trace::DebugTable*>(map_memory(bytes(capacity)));
    std::memcpy(table->magic, trace::debug_table_magic, sizeof table->magic);
    table->self = reinterpret_cast<std::uintptr_t>(table);
    table->kind = static_cast<std::uint32_t>(kind_);
    table->entry_bytes = sizeof(Entry);
    table->capacity = capacity;
    return table;
  }
  void publish() {
    std::atomic_ref(published_).store(reinterpret_cast<std::uintptr_t>(table_), std::memory_order_release);
  }

  std::uint64_t& published_;
  const trace::DebugTableKind kind_;
  trace::DebugTable* table_;
};

}  // namespace ddtscope::plugin
