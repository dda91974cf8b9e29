// What is left of evicted definitions: by which key and number the trace knows them. Flat, in anonymous memory, of a
// size that never changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "decoder/definition.h"
#include "plugin/debug_table.h"
#include "reporters/trace/debug_view.h"
#include "reporters/trace/writer.h"

namespace ddtscope::plugin {

/// A table of groups; a key has its place in one of them, where the oldest entry makes room for a new one.
class EvictedDefinitions {
 public:
  /// Takes about `bytes`, and touches only what is used. `published` is where the table's address is to stand.
  EvictedDefinitions(std::uint64_t& published, std::size_t bytes);

  void add(const trace::DebugEvicted& entry);
  /// The number in the trace file of the definition that had this key; its entry is gone.
  std::optional<trace::LineId> take(Key key, std::uint32_t check);
  /// How many entries made room for others.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  trace::DebugEvicted* group_of(Key key) {
    return table_.data() + (key & (table_.capacity() / group_length - 1)) * group_length;
  }

  static constexpr std::size_t least_bytes = std::size_t{1} << 16;
  static constexpr std::size_t most_bytes = std::size_t{1} << 30;
  static constexpr std::size_t group_length = 8;  // two lines of the cache
  DebugTable<trace::DebugEvicted> table_;
  std::uint64_t forgotten_ = 0;
};

}  // namespace ddtscope::plugin
