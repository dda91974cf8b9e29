// Prefix sums over the parts of layout nodes.
#include "decoder/layout_index.h"

#include <algorithm>

namespace ddtscope {

template <class Units>
Exact LayoutIndex::add_part(const LayoutNode& node, Sum& sum) const {
  const LayoutPart part = node.part(sum.part++);
  const LayoutFacts& facts = layouts_[part.child].facts;
  if (part.blocklength <= 0 || facts.empty()) return 0;
  const Placed first = {&facts, part.displacement};
  const Exact joined = sum.last.facts == nullptr ? Exact(0) : Units::joins(sum.last, first);
  sum.units = sum.units + units_of_copies<Units>(facts, part.blocklength, part.extent) - joined;
  sum.last = {&facts, part.displacement + steps(Exact(part.blocklength) - 1, part.extent)};
  return joined;
}

template <class Units>
const std::vector<LayoutIndex::Sum>& LayoutIndex::sums_of(const LayoutNode& node) {
  std::vector<Sum>& sums = sums_[Units::kind][&node];
  if (sums.empty()) {
    sums.reserve(node.part_count / parts_per_sum + 1);
    for (Sum sum; sum.part < node.part_count;) {
      if (sum.part % parts_per_sum == 0) sums.push_back(sum);
      add_part<Units>(node, sum);
    }
  }
  return sums;
}

template <class Units>
LayoutIndex::PartAndUnit LayoutIndex::part_of_unit(const LayoutNode& node, Exact unit) {
  Sum sum;
  if (node.part_count > parts_per_sum) {
    const std::vector<Sum>& sums = sums_of<Units>(node);
    const auto after = std::upper_bound(sums.begin(), sums.end(), unit, [](Exact wanted, const Sum& before) {
      return !before.units.fits() || wanted < before.units;
    });
    sum = *(after - 1);
  }
  while (true) {
    const Sum before = sum;
    const Exact joined = add_part<Units>(node, sum);
    if (!sum.units.fits() || unit < sum.units || sum.part == node.part_count) {
      return {before.part, unit - before.units + joined};
    }
  }
}

Exact LayoutIndex::entries_before_part(const LayoutNode& node, std::size_t part) {
  Sum sum;
  if (node.part_count > parts_per_sum) sum = sums_of<EntryUnits>(node)[part / parts_per_sum];
  while (sum.part < part) add_part<EntryUnits>(node, sum);
  return sum.units;
}

template LayoutIndex::PartAndUnit LayoutIndex::part_of_unit<EntryUnits>(const LayoutNode&, Exact);
template LayoutIndex::PartAndUnit LayoutIndex::part_of_unit<BlockUnits>(const LayoutNode&, Exact);
template LayoutIndex::PartAndUnit LayoutIndex::part_of_unit<RunUnits>(const LayoutNode&, Exact);

}  // namespace ddtscope
