// Prefix sums over the parts of layout nodes, and the parts by place.
#include "decoder/layout/layout_index.h"

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

const LayoutIndex::Places& LayoutIndex::places_of(const LayoutNode& node) {
  const auto [found, is_new] = places_.try_emplace(&node);
  Places& places = found->second;
  if (!is_new) return places;
  for (std::size_t i = 0; i < node.part_count; ++i) {
    const LayoutPart part = node.part(i);
    const LayoutFacts& facts = layouts_[part.child].facts;
    if (part.blocklength <= 0 || facts.empty()) continue;
    const Hull hull = hull_of_part(facts, part);
    places.places.push_back({*hull.begin.to_int64(), *(hull.end - 1).to_int64(), i});
  }
  const auto by_begin = [](const Place& a, const Place& b) { return a.begin < b.begin; };
  if (!std::is_sorted(places.places.begin(), places.places.end(), by_begin)) {
    std::sort(places.places.begin(), places.places.end(), by_begin);
  }
  std::vector<std::int64_t> lasts;
  for (const Place& place : places.places) lasts.push_back(place.last);
  while (lasts.size() > group) {
    std::vector<std::int64_t> greatest;
    for (std::size_t i = 0; i < lasts.size(); i += group) {
      const auto first = lasts.begin() + static_cast<std::ptrdiff_t>(i);
      const auto end = lasts.begin() + static_cast<std::ptrdiff_t>(std::min(i + group, lasts.size()));
      greatest.push_back(*std::max_element(first, end));
    }
    lasts = greatest;
    places.greatest_last.push_back(std::move(greatest));
  }
  return places;
}

std::optional<LayoutIndex::PlaceSearch> LayoutIndex::parts_at(const LayoutNode& node, Int128 low, Int128 high) {
  const std::optional<std::int64_t> begin = node.facts.true_lb.to_int64();
  const std::optional<std::int64_t> end = node.facts.true_ub.to_int64();
  if (!begin || !end) return std::nullopt;
  const auto within = [&](Int128 value) {
    return static_cast<std::int64_t>(std::clamp<Int128>(value, INT64_MIN, INT64_MAX));
  };
  return PlaceSearch(places_of(node), within(low), within(high));
}

LayoutIndex::PlaceSearch::PlaceSearch(const Places& places, std::int64_t low, std::int64_t high)
    : places_(&places), low_(low) {
  const auto after = std::upper_bound(places.places.begin(), places.places.end(), high,
                                      [](std::int64_t byte, const Place& place) { return byte < place.begin; });
  end_ = static_cast<std::size_t>(after - places.places.begin());
}

std::optional<std::size_t> LayoutIndex::PlaceSearch::next() {
  // Backwards from end_: through the rest of a group, then over whole groups, and down into the first that has one.
  std::size_t level = 0;
  std::size_t i = end_;
  while (true) {
    const bool is_top = level == places_->greatest_last.size();
    while (i > 0 && (is_top || i % group != 0) && last_of(level, i - 1) < low_) --i;
    if (i == 0) {
      end_ = 0;
      return std::nullopt;
    }
    if (is_top || i % group != 0) break;
    i /= group;
    ++level;
  }
  while (level > 0) {
    --level;
    i = std::min(i * group, size_of(level));
    while (last_of(level, i - 1) < low_) --i;
  }
  end_ = i - 1;
  return places_->places[end_].part;
}

template LayoutIndex::PartAndUnit LayoutIndex::part_of_unit<EntryUnits>(const LayoutNode&, Exact);
template LayoutIndex::PartAndUnit LayoutIndex::part_of_unit<BlockUnits>(const LayoutNode&, Exact);
template LayoutIndex::PartAndUnit LayoutIndex::part_of_unit<RunUnits>(const LayoutNode&, Exact);

}  // namespace ddtscope
