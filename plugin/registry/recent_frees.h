// Where types were freed, as far back as a small table reaches: for those who are told of a handle that is used
// afterwards.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plugin/call/entry_point.h"
#include "plugin/debug_view/debug_table.h"
#include "plugin/registry/library_queries.h"
#include "reporters/trace/format/file_number.h"

namespace ddtscope::plugin {

/// The call that frees, as cheap as it is to be had: the caller alone.
struct FreedAt {
  const EntryPoint* called = nullptr;
  void* address = nullptr;  // where the call returns to
};

/// The last life of a handle: a trace::DebugFree.
struct FreedType {
  HandleBits handle = 0;
  DefinitionNumber definition;
  FreedAt at;
};
static_assert(sizeof(FreedType) == sizeof(trace::DebugFree));
static_assert(offsetof(FreedType, definition) == offsetof(trace::DebugFree, line));
static_assert(offsetof(FreedType, at) + offsetof(FreedAt, address) == offsetof(trace::DebugFree, address));

/// One life for each slot: a free costs a store, and a handle that many others followed is forgotten. Not synchronised.
class RecentFrees {
 public:
  /// `published` is where debuggers find it.
  explicit RecentFrees(std::uint64_t& published)
      : slots_(published, trace::DebugTableKind::frees, std::size_t{1} << bits) {
    slots_.set_used(slots_.capacity());
  }

  void remember(const FreedType& freed) { slots_[slot_of(freed.handle)] = freed; }
  const FreedType* find(HandleBits handle) const {
    const FreedType& freed = slots_[slot_of(handle)];
    return freed.handle == handle && freed.at.called != nullptr ? &freed : nullptr;
  }

 private:
  static constexpr int bits = 10;
  static std::size_t slot_of(HandleBits handle) {
    return static_cast<std::size_t>((handle * 0x9E3779B97F4A7C15u) >> (64 - bits));
  }

  DebugTable<FreedType> slots_;
};

}  // namespace ddtscope::plugin
