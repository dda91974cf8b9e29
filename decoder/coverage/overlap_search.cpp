// Loops commute and pairs of copies differ by sums of strides: the rest is bookkeeping under a limit of work.
#include "decoder/coverage/overlap_search.h"

#include <algorithm>
#include <optional>

#include "decoder/coverage/nest.h"

namespace ddtscope {
namespace {

/// Whether a value is small enough that sums of a million such values stay within what StrideSums takes.
bool is_small(Exact value) { return abs(value) < Exact(StrideSums::limit >> 20); }

/// All bytes between the true bounds are touched.
bool is_solid(const LayoutFacts& facts) {
  return facts.blocks == Exact(1) || (facts.disjoint && facts.size == facts.true_extent());
}

bool is_untouched(const LayoutFacts& facts) { return facts.empty() || facts.size == Exact(0); }

/// Copies of one thing at several offsets: how far the nearest two are apart, and the farthest two.
struct Spread {
  Exact gap, span;
};

Spread spread_of(const NestList& list) {
  const Exact span = Exact(list.parts.back().end) - Exact(list.parts.front().begin);
  Exact gap = list.has_loops ? abs(Exact(list.extent)) : span;
  for (std::size_t i = 1; i < list.parts.size(); ++i) {
    gap = min(gap, Exact(list.parts[i].begin) - Exact(list.parts[i - 1].end));
  }
  return {gap, span};
}

}  // namespace

Exact last_in_reach(const LayoutFacts& facts, Exact stride) {
  if (!facts.true_extent().fits() || !stride.fits()) return Exact::unfit();
  if (stride == Exact(0)) return 1;
  return facts.true_extent().value() / abs(stride).value();
}

bool OverlapSearch::spend(std::size_t steps) {
  if (work_ < steps) {
    work_ = 0;
    return false;
  }
  work_ -= steps;
  return true;
}

Overlap OverlapSearch::within(LayoutId root) {
  std::vector<Placed> pending = {{root, 0}};
  std::unordered_set<std::uint32_t> seen;
  Overlap answer = Overlap::no;
  while (!pending.empty()) {
    Placed placed = pending.back();
    pending.pop_back();
    const LayoutFacts& facts = layouts_[placed.node].facts;
    if (facts.disjoint || facts.blocks == Exact(1) || is_untouched(facts)) continue;
    if (!seen.insert(placed.node.value).second) continue;
    if (!spend(1)) return Overlap::undecided;
    if (nest_is_disjoint(placed)) {
      pending.push_back(placed);
      continue;
    }
    const LayoutNode& node = layouts_[placed.node];
    const Overlap own = between_own_copies(placed);
    if (own == Overlap::yes) return own;
    if (own == Overlap::undecided) answer = own;
    if (node.kind == LayoutKind::repeat) {
      pending.push_back(Placed{node.child, placed.at});
      continue;
    }
    if (node.children.empty()) {
      pending.push_back(first_part(placed));
      continue;
    }
    for (std::size_t i = 0; i < node.part_count; ++i) {
      const LayoutPart part = node.part(i);
      if (part.blocklength > 0) pending.push_back(Placed{part.child, placed.at + part.displacement});
    }
  }
  return answer;
}

/// Copies at the offsets of several loops and displacement lists, in whatever order these nest, stand apart if
/// each one's gap, by size, covers the spans of all smaller ones. Moves `placed` to what is inside of them, where
/// that is so and there are any.
bool OverlapSearch::nest_is_disjoint(Placed& placed) {
  const Nest nest = nest_of(layouts_, placed.node, work_);
  if (nest.inner == placed.node) return false;
  std::vector<Spread> spreads;
  for (const NestLoop& loop : nest.loops) {
    spreads.push_back(Spread{abs(loop.stride), (loop.count - 1) * abs(loop.stride)});
  }
  for (const NestList& list : nest.lists) spreads.push_back(spread_of(list));
  for (const Spread& spread : spreads) {
    if (!spread.gap.fits() || !spread.span.fits()) return false;
  }
  std::sort(spreads.begin(), spreads.end(), [](const Spread& a, const Spread& b) { return a.gap < b.gap; });
  Exact span = layouts_[nest.inner].facts.true_extent();
  for (const Spread& spread : spreads) {
    if (!(spread.gap >= span)) return false;
    span += spread.span;
  }
  placed = Placed{nest.inner, placed.at + nest.at};
  return true;
}

/// The child in the first part that has one.
OverlapSearch::Placed OverlapSearch::first_part(const Placed& placed) const {
  const LayoutNode& node = layouts_[placed.node];
  std::size_t i = 0;
  while (node.part(i).blocklength <= 0) ++i;
  const LayoutPart part = node.part(i);
  return Placed{part.child, placed.at + part.displacement};
}

Overlap OverlapSearch::between_loop_copies(const Placed& child, Exact stride, Exact count) {
  const LayoutFacts& facts = layouts_[child.node].facts;
  if (count <= Exact(1) || abs(stride) >= facts.true_extent()) return Overlap::no;
  // A stride and a count may each be moderate, and their product not.
  const Exact last = min(count - 1, last_in_reach(facts, stride));
  if (!is_small(stride) || !is_small(stride * last) || !is_small(child.at)) return Overlap::undecided;
  terms_.clear();
  sides_.clear();
  terms_.push_back(StrideTerm{stride.value(), 1, last.value()});
  sides_.push_back(Side::copies);
  return meet(Pair{child.node, child.node, child.at.value(), 0, 1});
}

Overlap OverlapSearch::between_copies(LayoutId root, Exact extent, Exact last) {
  goal_ = StrideSums::Goal::any;
  return meet_copies(root, extent, last);
}

Overlap OverlapSearch::between(const PlacedCopies& first, const PlacedCopies& second) {
  goal_ = StrideSums::Goal::any;
  if (is_untouched(layouts_[first.root].facts) || is_untouched(layouts_[second.root].facts)) return Overlap::no;
  terms_.clear();
  sides_.clear();
  Pair pair{first.root, second.root, 0, 0, 0};
  const bool is_possible = move(pair, Side::first, first.at) && move(pair, Side::second, second.at) &&
                           add_loop(pair, Side::first, first.extent, first.count) &&
                           add_loop(pair, Side::second, second.extent, second.count);
  return is_possible ? meet(pair) : Overlap::undecided;
}

Overlap OverlapSearch::first_copy(LayoutId root, Exact extent, Exact last) {
  goal_ = StrideSums::Goal::least_of_first;
  const Overlap answer = meet_copies(root, extent, last);
  goal_ = StrideSums::Goal::any;
  return answer;
}

Overlap OverlapSearch::meet_copies(LayoutId root, Exact extent, Exact last) {
  const LayoutFacts& facts = layouts_[root].facts;
  if (is_untouched(facts) || last < Exact(1)) return Overlap::no;
  const Exact reaching = min(last, last_in_reach(facts, extent));
  if (reaching < Exact(1)) return Overlap::no;
  if (!is_small(extent) || !is_small(extent * reaching)) return Overlap::undecided;
  terms_.clear();
  sides_.clear();
  terms_.push_back(StrideTerm{extent.value(), 1, reaching.value()});
  sides_.push_back(Side::copies);
  return meet(Pair{root, root, 0, 0, 1});
}

/// Between the copies that a node makes of its children.
Overlap OverlapSearch::between_own_copies(const Placed& placed) {
  const LayoutNode& node = layouts_[placed.node];
  if (node.kind == LayoutKind::repeat) {
    return between_loop_copies(Placed{node.child, placed.at}, node.stride, node.count);
  }
  if (!spend(node.part_count)) return Overlap::undecided;
  Overlap answer = Overlap::no;
  const auto is_final = [&](Overlap found) {
    if (found != Overlap::no) answer = found;
    return found == Overlap::yes;
  };
  const auto own_copies = [&](const LayoutPart& part) {
    return between_loop_copies(Placed{part.child, placed.at + part.displacement}, part.extent, part.blocklength);
  };
  std::optional<std::size_t> longest;  // the part that says it for all, where all have one child
  for (std::size_t i = 0; i < node.part_count; ++i) {
    if (node.children.empty()) {
      if (!longest || node.part(i).blocklength > node.part(*longest).blocklength) longest = i;
    } else if (is_final(own_copies(node.part(i)))) {
      return Overlap::yes;
    }
  }
  if (longest && is_final(own_copies(node.part(*longest)))) return Overlap::yes;
  is_final(between_parts(placed));
  return answer;
}

Overlap OverlapSearch::between_parts(const Placed& placed) {
  const LayoutNode& node = layouts_[placed.node];
  if (node.part_count < 2) return Overlap::no;
  std::vector<PartHull> hulls;
  for (std::size_t i = 0; i < node.part_count; ++i) {
    const LayoutPart part = node.part(i);
    const LayoutFacts& facts = layouts_[part.child].facts;
    if (part.blocklength <= 0 || is_untouched(facts)) continue;
    const Exact last = part.displacement + Exact(part.blocklength - 1) * part.extent;
    const Exact begin = min(part.displacement, last) + facts.true_lb;
    const Exact end = max(part.displacement, last) + facts.true_ub;
    if (!begin.fits() || !end.fits()) return Overlap::undecided;
    hulls.push_back(PartHull{begin.value(), end.value(), i});
  }
  const auto by_begin = [](const PartHull& a, const PartHull& b) { return a.begin < b.begin; };
  if (!std::is_sorted(hulls.begin(), hulls.end(), by_begin)) std::sort(hulls.begin(), hulls.end(), by_begin);

  Overlap answer = Overlap::no;
  for (std::size_t i = 0; i < hulls.size(); ++i) {
    for (std::size_t k = i + 1; k < hulls.size() && hulls[k].begin < hulls[i].end; ++k) {
      if (!spend(1)) return Overlap::undecided;
      const LayoutPart a = node.part(hulls[i].part);
      const LayoutPart b = node.part(hulls[k].part);
      Pair pair{a.child, b.child, 0, 0, 0};
      terms_.clear();
      sides_.clear();
      const bool is_possible =
          move(pair, Side::first, placed.at + a.displacement) && move(pair, Side::second, placed.at + b.displacement) &&
          add_loop(pair, Side::first, a.extent, a.blocklength) && add_loop(pair, Side::second, b.extent, b.blocklength);
      const Overlap found = is_possible ? meet(pair) : Overlap::undecided;
      if (found == Overlap::yes) return found;
      if (found == Overlap::undecided) answer = found;
    }
  }
  return answer;
}

Overlap OverlapSearch::meet(Pair pair) {
  branches_.clear();
  const bool wants_first = goal_ == StrideSums::Goal::least_of_first;
  Overlap answer = open(pair);
  bool is_certain = answer != Overlap::undecided;
  while (!branches_.empty()) {
    if (answer == Overlap::yes) {
      if (!wants_first || copy_ <= Exact(terms_[0].least)) break;
      terms_[0].greatest = copy_.value() - 1;  // only a smaller number of steps is news
    }
    Branch& branch = branches_.back();
    const LayoutNode& node = layouts_[branch.side == Side::first ? branch.pair.first : branch.pair.second];
    if (branch.next_part == node.part_count) {
      branches_.pop_back();
      continue;
    }
    if (!spend(1)) return answer == Overlap::yes && !wants_first ? answer : Overlap::undecided;
    const LayoutPart part = node.part(branch.next_part++);
    if (part.blocklength <= 0 || is_untouched(layouts_[part.child].facts)) continue;
    Pair next = branch.pair;
    terms_.resize(next.terms);
    sides_.resize(next.terms);
    (branch.side == Side::first ? next.first : next.second) = part.child;
    const bool is_possible =
        move(next, branch.side, part.displacement) && add_loop(next, branch.side, part.extent, part.blocklength);
    const Overlap found = is_possible ? open(next) : Overlap::undecided;
    is_certain = is_certain && found != Overlap::undecided;
    if (found == Overlap::yes) answer = found;
  }
  if (answer == Overlap::yes) return is_certain || !wants_first ? answer : Overlap::undecided;
  return is_certain ? answer : Overlap::undecided;
}

Overlap OverlapSearch::open(Pair pair) {
  while (true) {
    if (!spend(1)) return Overlap::undecided;
    const LayoutFacts& first = layouts_[pair.first].facts;
    const LayoutFacts& second = layouts_[pair.second].facts;
    if (!is_small(first.true_lb) || !is_small(first.true_ub) || !is_small(second.true_lb) ||
        !is_small(second.true_ub)) {
      return Overlap::undecided;
    }
    const bool first_is_open = !is_solid(first);
    if (!first_is_open && is_solid(second)) {
      switch (reach(pair)) {
        case Reach::no:
          return Overlap::no;
        case Reach::undecided:
          return Overlap::undecided;
        case Reach::yes:
          note_witness(pair);
          return Overlap::yes;
      }
    }
    // The longer one: when it is open, most of its parts are out of the other's reach.
    const Side side =
        first_is_open && (is_solid(second) || first.true_extent() >= second.true_extent()) ? Side::first : Side::second;
    LayoutId& opened = side == Side::first ? pair.first : pair.second;
    const LayoutNode& node = layouts_[opened];
    if (node.kind == LayoutKind::repeat) {
      opened = node.child;
      if (!add_loop(pair, side, node.stride, node.count)) return Overlap::undecided;
    } else if (node.part_count == 1) {
      const LayoutPart part = node.part(0);
      opened = part.child;
      if (!move(pair, side, part.displacement) || !add_loop(pair, side, part.extent, part.blocklength)) {
        return Overlap::undecided;
      }
    } else {
      if (reach(pair) != Reach::no) branches_.push_back(Branch{pair, side});
      return Overlap::no;
    }
  }
}

bool OverlapSearch::add_loop(Pair& pair, Side side, Exact stride, Exact count) {
  if (count == Exact(1)) return true;
  if (!is_small(stride * (count - 1)) || !is_small(count) || !is_small(stride)) return false;
  const Int128 last = count.value() - 1;
  // What moves the first side forth moves the second one back, as seen from the first.
  terms_.push_back(side == Side::first ? StrideTerm{stride.value(), -last, 0} : StrideTerm{stride.value(), 0, last});
  sides_.push_back(side);
  pair.terms = terms_.size();
  return true;
}

bool OverlapSearch::move(Pair& pair, Side side, Exact by) {
  if (!is_small(by)) return false;
  if (side == Side::first) pair.first_at += by.value();
  pair.offset += side == Side::first ? -by.value() : by.value();
  return true;
}

/// Whether the hulls of the two sides meet for some steps of their loops.
Reach OverlapSearch::reach(const Pair& pair) {
  const LayoutFacts& first = layouts_[pair.first].facts;
  const LayoutFacts& second = layouts_[pair.second].facts;
  const Int128 low = first.true_lb.value() - second.true_ub.value() + 1 - pair.offset;
  const Int128 high = first.true_ub.value() - second.true_lb.value() - 1 - pair.offset;
  return sums_.reach(terms_, {low, high}, goal_, work_);
}

void OverlapSearch::note_witness(const Pair& pair) {
  const std::vector<Int128> steps = sums_.steps();
  Int128 first_at = pair.first_at;
  Int128 second_at = pair.first_at + pair.offset;
  copy_ = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (sides_[i] == Side::first) first_at -= steps[i] * terms_[i].stride;
    if (sides_[i] == Side::copies) copy_ = steps[i];
    second_at += (sides_[i] == Side::first ? Int128{0} : steps[i]) * terms_[i].stride;
  }
  byte_ =
      max(Exact(first_at) + layouts_[pair.first].facts.true_lb, Exact(second_at) + layouts_[pair.second].facts.true_lb);
}

}  // namespace ddtscope
