// Where types were freed, as far back as a small table reaches: for those who are told of a handle that is used
// afterwards.
#pragma once

#include <cstddef>
#include <vector>

#include "plugin/call/entry_point.h"
#include "plugin/registry/library_queries.h"
#include "reporters/trace/format/file_number.h"

namespace ddtscope::plugin {

/// The call that frees, as cheap as it is to be had: the caller alone.
struct FreedAt {
  const EntryPoint* called = nullptr;
  void* address = nullptr;  // where the call returns to
};

/// The last life of a handle. In one line of the cache.
struct alignas(32) FreedType {
  HandleBits handle = 0;
  DefinitionNumber definition;
  FreedAt at;
};

/// One life for each slot: a free costs a store, and a handle that many others followed is forgotten. Not synchronised.
class RecentFrees {
 public:
  RecentFrees() : slots_(std::size_t{1} << bits) {}

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

  std::vector<FreedType> slots_;
};

}  // namespace ddtscope::plugin
