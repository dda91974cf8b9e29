// Where in a sequence of parts the k-th entry, block or run begins: prefix sums, made when first asked for and kept
// apart from the layouts, which the plugin builds too.
#pragma once

#include <array>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "decoder/layout.h"
#include "decoder/layout_units.h"

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

  /// How many entries stand before part `part` of a parts node. The same cost.
  Exact entries_before_part(const LayoutNode& node, std::size_t part);

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

  const Layouts& layouts_;
  std::array<std::unordered_map<const LayoutNode*, std::vector<Sum>>, unit_kinds> sums_;
};

extern template LayoutIndex::PartAndUnit LayoutIndex::part_of_unit<EntryUnits>(const LayoutNode&, Exact);
extern template LayoutIndex::PartAndUnit LayoutIndex::part_of_unit<BlockUnits>(const LayoutNode&, Exact);
extern template LayoutIndex::PartAndUnit LayoutIndex::part_of_unit<RunUnits>(const LayoutNode&, Exact);

}  // namespace ddtscope
