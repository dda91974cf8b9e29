// Which of many parts the k-th entry, block or run begins in, and which of them meet a byte: prefix sums and orders,
// made when first asked for and kept apart from the layouts, which the plugin builds too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "decoder/layout/layout.h"
#include "decoder/layout/layout_units.h"

namespace ddtscope {

/// What is remembered about the layouts' nodes. Belongs to one thread; must not outlive the layouts, which may grow.
class LayoutIndex {
 public:
  explicit LayoutIndex(const Layouts& layouts) : layouts_(layouts) {}
  LayoutIndex(const LayoutIndex&) = delete;
  LayoutIndex& operator=(const LayoutIndex&) = delete;

  const Layouts& layouts() const { return layouts_; }

  /// The part of a parts node in which unit `unit` begins, and the unit's number among those of the part's copies.
  /// 0 <= unit < Units::count(node.facts). O(log parts) after the first time.
  struct PartAndUnit {
    std::size_t part = 0;
    Exact unit;
  };
  template <class Units>
  PartAndUnit part_of_unit(const LayoutNode& node, Exact unit);

  /// How many entries stand before part `part` < part_count of a parts node. The same cost.
  Exact entries_before_part(const LayoutNode& node, std::size_t part);

  /// The parts of a parts node whose hulls meet the bytes low .. high, one after the other; O(log parts) for each after
  /// the first time.
  class PlaceSearch;
  /// Nothing where the node's bytes do not fit 64 bits.
  std::optional<PlaceSearch> parts_at(const LayoutNode& node, Int128 low, Int128 high);

 private:
  /// What is known before a part is looked at.
  struct Sum {
    std::size_t part = 0;
    Exact units = 0;  // those that begin in the parts before
    Placed last;      // the last copy before that is not empty; no facts if there is none
  };
  // A sum is kept for every so many parts: 6 bytes per part, and the rest of the way is short.
  static constexpr std::size_t parts_per_sum = 16;

  /// Adds a part to the sum; returns how many of the part's own units belong to the one before (0 or 1).
  template <class Units>
  Exact add_part(const LayoutNode& node, Sum& sum) const;
  template <class Units>
  const std::vector<Sum>& sums_of(const LayoutNode& node);

  /// A part and the bytes begin .. last that its copies span.
  struct Place {
    std::int64_t begin, last;
    std::size_t part;
  };
  /// The parts of a node that have entries, by where they begin.
  struct Places {
    std::vector<Place> places;
    // Level 0: the greatest last byte of each group of places; level 1: of each group of those; and so on.
    std::vector<std::vector<std::int64_t>> greatest_last;
  };
  static constexpr std::size_t group = 16;
  const Places& places_of(const LayoutNode& node);

  const Layouts& layouts_;
  std::array<std::unordered_map<const LayoutNode*, std::vector<Sum>>, unit_kinds> sums_;
  std::unordered_map<const LayoutNode*, Places> places_;
};

class LayoutIndex::PlaceSearch {
 public:
  PlaceSearch() = default;
  PlaceSearch(const Places& places, std::int64_t low, std::int64_t high);
  /// The next part; nothing after the last one.
  std::optional<std::size_t> next();

 private:
  std::int64_t last_of(std::size_t level, std::size_t i) const {
    return level == 0 ? places_->places[i].last : places_->greatest_last[level - 1][i];
  }
  std::size_t size_of(std::size_t level) const {
    return level == 0 ? places_->places.size() : places_->greatest_last[level - 1].size();
  }

  const Places* places_ = nullptr;
  std::size_t end_ = 0;  // places from here on have been seen, or begin too late
  std::int64_t low_ = 0;
};

extern template LayoutIndex::PartAndUnit LayoutIndex::part_of_unit<EntryUnits>(const LayoutNode&, Exact);
extern template LayoutIndex::PartAndUnit LayoutIndex::part_of_unit<BlockUnits>(const LayoutNode&, Exact);
extern template LayoutIndex::PartAndUnit LayoutIndex::part_of_unit<RunUnits>(const LayoutNode&, Exact);

}  // namespace ddtscope
