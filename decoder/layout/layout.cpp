// Facts of layout nodes and the standard's bounds (MPI-4.1 5.1.7, 5.1.8).
#include "decoder/layout/layout.h"

#include <algorithm>
#include <cassert>

#include "decoder/base/children_first.h"
#include "decoder/layout/array_values.h"

namespace ddtscope {
namespace {

Exact widen(std::int64_t value) { return Exact(value); }

std::optional<Exact> lower(const std::optional<Exact>& a, const std::optional<Exact>& b) {
  if (!a || !b) return a ? a : b;
  return min(*a, *b);
}

std::optional<Exact> higher(const std::optional<Exact>& a, const std::optional<Exact>& b) {
  if (!a || !b) return a ? a : b;
  return max(*a, *b);
}

/// 1 where an entry at `displacement` joins one that ends at `end`.
Exact joins(Exact end, Exact displacement) {
  if (!end.fits() || !displacement.fits()) return Exact::unfit();
  return Exact(end == displacement ? 1 : 0);
}

LayoutFacts facts_of_basic(const PredefinedType& type, PredefinedId id) {
  LayoutFacts facts;
  facts.entries = 1;
  facts.size = widen(type.size);
  facts.blocks = 1;
  facts.true_ub = facts.size;
  facts.signature_runs = 1;
  facts.first_type = facts.last_type = id;
  facts.last_end = facts.size;
  facts.alignment = std::max<std::int64_t>(type.alignment, 1);
  return facts;
}

LayoutFacts replicated(const LayoutFacts& child, Exact count, Exact stride) {
  if (count == Exact(1)) return child;
  if (count <= Exact(0)) return {};
  const Exact steps = count - 1;
  const Exact last = steps * stride;
  // By the stride's sign and not by min and max: one side stays exact where the other does not fit.
  const Exact down = stride >= Exact(0) ? Exact(0) : last;
  const Exact up = stride <= Exact(0) ? Exact(0) : last;
  LayoutFacts facts;
  if (child.lb_marker) facts.lb_marker = *child.lb_marker + down;
  if (child.ub_marker) facts.ub_marker = *child.ub_marker + up;
  if (child.empty()) return facts;
  facts.entries = count * child.entries;
  facts.size = count * child.size;
  facts.blocks = count * child.blocks - steps * joins(child.last_end, child.first_displacement + stride);
  facts.true_lb = child.true_lb + down;
  facts.true_ub = child.true_ub + up;
  facts.signature_runs = count * child.signature_runs - (child.last_type == child.first_type ? steps : Exact(0));
  facts.first_type = child.first_type;
  facts.last_type = child.last_type;
  facts.first_displacement = child.first_displacement;
  facts.last_end = child.last_end + last;
  facts.alignment = child.alignment;
  facts.disjoint = child.disjoint && abs(stride) >= child.true_extent();
  return facts;
}

void shift(LayoutFacts& facts, Exact by) {
  if (facts.lb_marker) facts.lb_marker = *facts.lb_marker + by;
  if (facts.ub_marker) facts.ub_marker = *facts.ub_marker + by;
  if (facts.empty()) return;
  facts.true_lb += by;
  facts.true_ub += by;
  facts.first_displacement += by;
  facts.last_end += by;
}

/// Appends a part's facts to those of the sequence before it. The caller looks after `disjoint`.
void append(LayoutFacts& facts, const LayoutFacts& part) {
  facts.lb_marker = lower(facts.lb_marker, part.lb_marker);
  facts.ub_marker = higher(facts.ub_marker, part.ub_marker);
  if (part.empty()) return;
  if (facts.empty()) {
    const auto lb_marker = facts.lb_marker;
    const auto ub_marker = facts.ub_marker;
    const bool disjoint = facts.disjoint && part.disjoint;
    facts = part;
    facts.lb_marker = lb_marker;
    facts.ub_marker = ub_marker;
    facts.disjoint = disjoint;
    return;
  }
  facts.disjoint = facts.disjoint && part.disjoint;
  facts.entries += part.entries;
  facts.size += part.size;
  facts.blocks = facts.blocks + part.blocks - joins(facts.last_end, part.first_displacement);
  facts.true_lb = min(facts.true_lb, part.true_lb);
  facts.true_ub = max(facts.true_ub, part.true_ub);
  facts.signature_runs =
      facts.signature_runs + part.signature_runs - (facts.last_type == part.first_type ? Exact(1) : Exact(0));
  facts.last_type = part.last_type;
  facts.last_end = part.last_end;
  facts.alignment = std::max(facts.alignment, part.alignment);
}

LayoutFacts facts_of_sequence(const Layouts& layouts, const LayoutNode& node) {
  LayoutFacts facts;
  bool ascending = true;
  bool descending = true;
  for (std::size_t i = 0; i < node.part_count; ++i) {
    const LayoutPart part = node.part(i);
    LayoutFacts added = replicated(layouts[part.child].facts, widen(part.blocklength), part.extent);
    shift(added, part.displacement);
    if (!facts.empty() && !added.empty()) {
      ascending = ascending && added.true_lb >= facts.true_ub;
      descending = descending && added.true_ub <= facts.true_lb;
    }
    append(facts, added);
  }
  facts.disjoint = facts.disjoint && (ascending || descending);
  return facts;
}

// The long arrays of the indexed family go through one pass in 64 bits, after a check that nothing in it
// can overflow.

struct Range {
  std::int64_t least = INT64_MAX;
  std::int64_t greatest = INT64_MIN;
};

Range range_of(const IntegerArray& array) {
  return with_values(array, [&](auto values) {
    Range range;
    for (std::size_t i = 0; i < array.length; ++i) {
      range.least = std::min(range.least, values(i));
      range.greatest = std::max(range.greatest, values(i));
    }
    return range;
  });
}

/// One child for all parts, in 64 bits.
struct UniformChild {
  std::int64_t unit, extent, first, last_end, span;
};

/// Where the copies of the child stand, over the parts that are not empty.
struct ScannedCopies {
  std::int64_t total = 0;  // sum of blocklengths
  std::int64_t nonempty = 0;
  std::int64_t joined = 0;  // parts whose first entry joins the part before
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
  std::int64_t first = 0, last = 0;          // first copy of the first part, last copy of the last one
  bool ascending = true, descending = true;  // parts' hulls in order, apart from each other
};

template <class Displacements, class Blocklengths>
ScannedCopies scan(std::size_t n, Displacements displacements, Blocklengths blocklengths, const UniformChild& child) {
  ScannedCopies copies;
  std::size_t i = 0;
  while (i < n && blocklengths(i) <= 0) ++i;
  if (i == n) return copies;
  copies.first = displacements(i) * child.unit;
  std::int64_t before_low = 0;
  std::int64_t before_high = 0;
  bool is_first = true;
  for (; i < n; ++i) {
    const std::int64_t blocklength = blocklengths(i);
    if (blocklength <= 0) continue;
    const std::int64_t first = displacements(i) * child.unit;
    const std::int64_t last = first + (blocklength - 1) * child.extent;
    const std::int64_t low = std::min(first, last);
    const std::int64_t high = std::max(first, last);
    if (!is_first) {
      copies.joined += copies.last + child.last_end == first + child.first;
      copies.ascending &= low - before_high >= child.span;
      copies.descending &= before_low - high >= child.span;
    }
    is_first = false;
    copies.lowest = std::min(copies.lowest, low);
    copies.highest = std::max(copies.highest, high);
    copies.total += blocklength;
    ++copies.nonempty;
    copies.last = last;
    before_low = low;
    before_high = high;
  }
  return copies;
}

/// False where 64 bits might not do.
bool facts_of_uniform_parts(const LayoutFacts& child, const LayoutNode& node, LayoutFacts& facts) {
  constexpr std::int64_t safe = std::int64_t{1} << 60;
  const Range displacements = range_of(node.displacements);
  const std::int64_t longest = node.blocklengths.length == 0 ? node.blocklength : range_of(node.blocklengths).greatest;
  const Exact farthest = max(abs(widen(displacements.least)), abs(widen(displacements.greatest)));
  const Exact reach = farthest * abs(node.displacement_unit) + max(Exact(1), widen(longest)) * abs(node.child_extent) +
                      abs(child.first_displacement) + abs(child.last_end) + abs(child.true_lb) + abs(child.true_ub);
  const Exact most = max(Exact(1), widen(longest)) * widen(static_cast<std::int64_t>(node.part_count));
  if (!(reach < Exact(safe)) || !(most < Exact(safe)) || !(abs(node.displacement_unit) < Exact(safe))) return false;

  const UniformChild narrow = {*node.displacement_unit.to_int64(), *node.child_extent.to_int64(),
                               *child.first_displacement.to_int64(), *child.last_end.to_int64(),
                               *child.true_extent().to_int64()};
  const ScannedCopies copies =
      with_parts(node, [&](auto at, auto blocklengths) { return scan(node.part_count, at, blocklengths, narrow); });

  facts = LayoutFacts{};
  if (copies.nonempty == 0) return true;
  const Exact lowest = widen(copies.lowest);
  const Exact highest = widen(copies.highest);
  if (child.lb_marker) facts.lb_marker = *child.lb_marker + lowest;
  if (child.ub_marker) facts.ub_marker = *child.ub_marker + highest;
  if (child.empty()) return true;
  const Exact total = widen(copies.total);
  facts.entries = total * child.entries;
  facts.size = total * child.size;
  facts.blocks = total * child.blocks - widen(copies.joined) -
                 (total - widen(copies.nonempty)) * joins(child.last_end, child.first_displacement + node.child_extent);
  facts.true_lb = child.true_lb + lowest;
  facts.true_ub = child.true_ub + highest;
  facts.signature_runs = total * child.signature_runs - (child.last_type == child.first_type ? total - 1 : Exact(0));
  facts.first_type = child.first_type;
  facts.last_type = child.last_type;
  facts.first_displacement = child.first_displacement + widen(copies.first);
  facts.last_end = child.last_end + widen(copies.last);
  facts.alignment = child.alignment;
  facts.disjoint = child.disjoint && (copies.ascending || copies.descending) &&
                   (longest <= 1 || abs(node.child_extent) >= child.true_extent());
  return true;
}

}  // namespace

LayoutFacts facts_of(const Layouts& layouts, const LayoutNode& node) {
  switch (node.kind) {
    case LayoutKind::basic:
      return facts_of_basic(layouts.store().predefined()[node.basic], node.basic);
    case LayoutKind::empty:
      return {};
    case LayoutKind::repeat:
      return replicated(layouts[node.child].facts, node.count, node.stride);
    case LayoutKind::parts: {
      LayoutFacts facts;
      if (node.children.empty() && node.child_extents.empty() &&
          facts_of_uniform_parts(layouts[node.child].facts, node, facts)) {
        return facts;
      }
      return facts_of_sequence(layouts, node);
    }
  }
  return {};
}

Bounds standard_bounds(const LayoutFacts& facts) {
  Bounds bounds;
  bounds.size = facts.size;
  bounds.true_lb = facts.true_lb;
  bounds.true_ub = facts.true_ub;
  bounds.true_extent = facts.true_extent();
  const bool empty = facts.empty();
  // Without entries the bound that has no marker falls on the other one: the minimum, or maximum, is
  // over the markers alone.
  bounds.lb = facts.lb_marker ? *facts.lb_marker : empty && facts.ub_marker ? *facts.ub_marker : facts.true_lb;
  bounds.ub = facts.ub_marker ? *facts.ub_marker : empty ? bounds.lb : facts.true_ub;
  bounds.extent = bounds.ub - bounds.lb;
  if (!facts.ub_marker && !empty && bounds.extent.fits()) {
    const Int128 alignment = facts.alignment;
    const Int128 over = (bounds.extent.value() % alignment + alignment) % alignment;
    if (over != 0) {
      bounds.extent = bounds.extent + Exact(alignment - over);
      bounds.ub = bounds.lb + bounds.extent;
    }
  }
  return bounds;
}

Bounds as_bounds(const ObservedBounds& observed) {
  const auto exact = [](std::optional<std::int64_t> value) { return value ? Exact(*value) : Exact::unfit(); };
  Bounds bounds;
  bounds.size = exact(observed.size);
  bounds.lb = exact(observed.lb);
  bounds.extent = exact(observed.extent);
  bounds.ub = bounds.lb + bounds.extent;
  bounds.true_lb = exact(observed.true_lb);
  bounds.true_extent = exact(observed.true_extent);
  bounds.true_ub = bounds.true_lb + bounds.true_extent;
  return bounds;
}

std::size_t Layouts::OwnedArrays::bytes() const {
  const auto bytes_of = [](const auto& arrays) {
    std::size_t bytes = arrays.capacity() * sizeof arrays[0];
    for (const auto& array : arrays) bytes += array.capacity() * sizeof array[0];
    return bytes;
  };
  return sizeof *this + bytes_of(integers) + bytes_of(children) + bytes_of(extents);
}

LayoutId Layouts::add_node(const LayoutNode& node) {
  LayoutNode added = node;
  added.facts = facts_of(*this, node);
  added.next_own = own_;
  LayoutId id = free_node_;
  if (id.valid()) {
    free_node_ = nodes_[id.value].next_own;
    nodes_[id.value] = added;
  } else {
    id.value = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(added);
  }
  bytes_ += sizeof(LayoutNode);
  own_ = id;
  return id;
}

LayoutId Layouts::add_marked_node(const LayoutNode& node, Exact lb_marker, Exact ub_marker) {
  const LayoutId id = add_node(node);
  nodes_[id.value].facts.lb_marker = lb_marker;
  nodes_[id.value].facts.ub_marker = ub_marker;
  return id;
}

void Layouts::use_bounds(Type& type, const ObservedBounds& observed) {
  if (observed.extent) type.extent = Exact(*observed.extent);
  if (observed.lb) type.lb = Exact(*observed.lb);
}

void Layouts::observe(DefinitionId id, const ObservedBounds& observed) {
  Type& type = types_[places_[id.value]];
  type.observed = observed;
  use_bounds(type, observed);
}

void Layouts::lay_out(DefinitionId id) {
  children_first(
      id, [&](DefinitionId type) { return is_laid_out(type); },
      [&](DefinitionId type, auto see) {
        for (const DefinitionId oldtype : store_[type].call.datatypes) see(oldtype);
      },
      [&](DefinitionId type) {
        add(type);
        if (const auto observed = source_->observed(type)) use_bounds(types_[places_[type.value]], *observed);
      });
}

bool Layouts::make_room(std::size_t limit_bytes) {
  if (!bytes_of_first_) bytes_of_first_ = bytes_;
  // Where a type is made of so many others that each round would lay out the same ones, the rounds get longer.
  if (bytes_ <= std::max(limit_bytes, 2 * *bytes_of_first_)) return false;
  nodes_ = {};
  free_node_ = {};
  types_ = {};
  free_types_.clear();
  places_.clear();
  basic_nodes_.clear();
  bytes_ = 0;
  bytes_of_first_.reset();
  return true;
}

void Layouts::forget(DefinitionId id) {
  Type& type = types_[places_[id.value]];
  for (LayoutId node = type.own; node.valid();) {
    const LayoutId next = nodes_[node.value].next_own;
    nodes_[node.value].next_own = free_node_;
    free_node_ = node;
    bytes_ -= sizeof(LayoutNode);
    node = next;
  }
  bytes_ -= sizeof(Type) + (type.arrays ? type.arrays->bytes() : 0);
  free_types_.push_back(places_[id.value]);
  type = Type{};
  places_[id.value] = no_place;
}

}  // namespace ddtscope
