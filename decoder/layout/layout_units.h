// What can be counted in a layout: entries, contiguous blocks, and runs of one basic type. How many a node has, and
// whether the last one of a subtree and the first one of the next are the same.
#pragma once

#include "decoder/layout/layout.h"

namespace ddtscope {

/// A subtree where it stands.
struct Placed {
  const LayoutFacts* facts = nullptr;
  Exact base = 0;
};

/// Each kind has: how many units facts count; whether the first unit of `next` goes on with the last one of `before`
/// (1 or 0, or unfit where that is unknown); and the kind's number.
struct EntryUnits {
  static constexpr std::size_t kind = 0;
  static const Exact& count(const LayoutFacts& facts) { return facts.entries; }
  static Exact joins(const Placed&, const Placed&) { return 0; }
};

struct BlockUnits {
  static constexpr std::size_t kind = 1;
  static const Exact& count(const LayoutFacts& facts) { return facts.blocks; }
  static Exact joins(const Placed& before, const Placed& next) {
    const Exact end = before.base + before.facts->last_end;
    const Exact begin = next.base + next.facts->first_displacement;
    if (!end.fits() || !begin.fits()) return Exact::unfit();
    return Exact(end == begin ? 1 : 0);
  }
};

struct RunUnits {
  static constexpr std::size_t kind = 2;
  static const Exact& count(const LayoutFacts& facts) { return facts.signature_runs; }
  static Exact joins(const Placed& before, const Placed& next) {
    return Exact(before.facts->last_type == next.facts->first_type ? 1 : 0);
  }
};
inline constexpr std::size_t unit_kinds = 3;

/// The displacement of copy `copy`: the first one's is exact whatever the stride.
inline Exact steps(Exact copy, Exact stride) { return copy == Exact(0) ? Exact(0) : copy * stride; }

/// The bytes begin .. end - 1 that the copies of a part's child span, where it has entries.
struct Hull {
  Exact begin, end;
};
inline Hull hull_of_part(const LayoutFacts& child, const LayoutPart& part) {
  const Exact last = part.displacement + steps(Exact(part.blocklength) - 1, part.extent);
  return {min(part.displacement, last) + child.true_lb, max(part.displacement, last) + child.true_ub};
}

/// How many units `copies` copies of a subtree, one every `stride` bytes, have together.
template <class Units>
Exact units_of_copies(const LayoutFacts& facts, Exact copies, Exact stride) {
  const Exact count = Units::count(facts);
  if (copies == Exact(1)) return count;
  return copies * count - (copies - 1) * Units::joins({&facts, 0}, {&facts, stride});
}

/// In which copy unit `unit` begins, and the unit's number in there. What does not fit is more than `unit`.
struct CopyAndUnit {
  Exact copy;
  Exact unit;
};
template <class Units>
CopyAndUnit copy_of_unit(const LayoutFacts& facts, Exact unit, Exact stride) {
  const Exact count = Units::count(facts);
  if (!count.fits() || unit < count) return {0, unit};
  // In all copies but the first, the unit that goes on with the copy before does not begin.
  const Exact joined = Units::joins({&facts, 0}, {&facts, stride});
  const Int128 rest = (unit - count).value();
  const Int128 each = (count - joined).value();
  const bool is_narrow = rest <= INT64_MAX && each <= INT64_MAX;
  const Int128 copies = is_narrow ? static_cast<std::int64_t>(rest) / static_cast<std::int64_t>(each) : rest / each;
  return {Exact(copies) + 1, Exact(rest - copies * each) + joined};
}

}  // namespace ddtscope
