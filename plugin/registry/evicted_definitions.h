// What is left of evicted definitions: by which key and number the trace knows them, and where their counters are.
// Flat, in anonymous memory, of a size that never changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "decoder/definition/definition.h"
#include "plugin/debug_view/debug_table.h"
#include "plugin/registry/counter_pages.h"
#include "reporters/trace/format/debug_view.h"
#include "reporters/trace/format/file_number.h"

namespace ddtscope::plugin {

/// A hash table. Where it is full, any entry makes room for a new one: of a cycle that is longer than the table, some
/// part is always known again.
class EvictedDefinitions {
 public:
  /// Takes about `bytes`, and a quarter more, and touches only what is used. `published` is where the table's address
  /// is to stand.
  EvictedDefinitions(std::uint64_t& published, std::size_t bytes);

  ~EvictedDefinitions();
  EvictedDefinitions(const EvictedDefinitions&) = delete;
  EvictedDefinitions& operator=(const EvictedDefinitions&) = delete;

  /// `records` is the first of its counters' records that still count. Gives the first such record of the definition
  /// that made room for it, if one did.
  RecordNumber add(const trace::DebugEvicted& entry, RecordNumber records);
  struct Found {
    DefinitionNumber number;
    RecordNumber records;
  };
  /// The definition that had this key; its entry is gone.
  std::optional<Found> take(Key key, std::uint32_t check);
  /// How many entries made room for others.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  std::size_t mask() const { return table_.capacity() - 1; }
  std::size_t most_entries() const { return table_.capacity() / 8 * 7; }
  void remove(std::size_t index);

  static constexpr std::size_t least_bytes = std::size_t{1} << 16;
  static constexpr std::size_t most_bytes = std::size_t{1} << 30;
  DebugTable<trace::DebugEvicted> table_;
  RecordNumber* const records_;  // as many; no business of debuggers'
  std::uint64_t forgotten_ = 0;
};

}  // namespace ddtscope::plugin
