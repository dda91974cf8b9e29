// Which handles stand for named predefined types: told by a load and a comparison.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "decoder/definition/definition.h"
#include "plugin/registry/library_queries.h"

namespace ddtscope::plugin {

/// Each handle stands where a few of its bits tell: those by which the fewest of them meet in one place. One that finds
/// its place taken is not among them. Never changes, so that nobody needs a lock to ask.
class PredefinedHandles {
 public:
  struct alignas(16) Item {
    HandleBits handle;
    DefinitionId definition;
  };

  PredefinedHandles() = default;
  /// Of several items of one handle the first counts.
  explicit PredefinedHandles(std::span<const Item> items) {
    std::size_t most = 0;
    for (int shift = 0; shift < tried_shifts; ++shift) {
      const std::size_t placed = place(items, shift);
      if (placed <= most) continue;
      most = placed;
      shift_ = shift;
    }
    place(items, shift_);
  }

  /// Invalid for other handles, and for those that found their place taken.
  DefinitionId find(HandleBits handle) const {
    const Item& item = items_[place_of(handle, shift_)];
    return item.handle == handle ? item.definition : DefinitionId{};
  }
  bool has(HandleBits handle) const { return find(handle).valid(); }

 private:
  static constexpr std::size_t places = 512;
  static constexpr int tried_shifts = 24;

  static std::size_t place_of(HandleBits handle, int shift) {
    return static_cast<std::size_t>(handle >> shift) % places;
  }
  /// How many have found a place.
  std::size_t place(std::span<const Item> items, int shift) {
    items_.fill({});
    std::size_t placed = 0;
    for (const Item& item : items) {
      Item& there = items_[place_of(item.handle, shift)];
      if (there.definition.valid()) continue;
      there = item;
      ++placed;
    }
    return placed;
  }

  int shift_ = 0;
  std::array<Item, places> items_{};
};

}  // namespace ddtscope::plugin
