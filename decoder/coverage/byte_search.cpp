// The way down to a byte: what is certain is decided at once, the rest is tried, least choice first.
#include "decoder/coverage/byte_search.h"

#include <algorithm>

namespace ddtscope {
namespace {

/// Sums of a few bounds within it stay within what StrideSums takes.
bool is_moderate(Exact value) { return abs(value) < Exact(StrideSums::limit >> 2); }

Int128 size_of(Int128 value) { return value < 0 ? -value : value; }

Int128 length_of(const StrideTerm& term) { return size_of(term.stride) * term.greatest; }

}  // namespace

std::string_view text_of(Covered covered) {
  switch (covered) {
    case Covered::no:
      return "no";
    case Covered::yes:
      return "yes";
    case Covered::undecided:
      return "undecided";
  }
  return "";
}

ByteSearch::ByteSearch(LayoutIndex& index, LayoutId root, Copies copies, std::size_t work_limit)
    : index_(index), layouts_(index.layouts()), top_(node_of_copies(layouts_, root, copies)), work_limit_(work_limit) {}

ByteAnswer ByteSearch::find(Exact byte) {
  const LayoutFacts& facts = top_.facts;
  if (facts.empty() || byte < facts.true_lb || byte >= facts.true_ub) return {Covered::no, {}};
  if (!byte.fits() || !is_moderate(facts.true_lb) || !is_moderate(facts.true_ub)) return {};
  const Covered covered = search(byte.value(), byte.value());
  return covered == Covered::yes ? covering(byte.value()) : ByteAnswer{covered, {}};
}

NearestByte ByteSearch::nearest_below(Exact byte) {
  const LayoutFacts& facts = top_.facts;
  if (facts.empty() || byte <= facts.true_lb) return {Covered::no, {}};
  if (!byte.fits() || !is_bounded_by_entries()) return {};
  if (byte >= facts.true_ub) return {Covered::yes, facts.true_ub - 1};
  Int128 distance = 0;
  const Covered found = least_distance(
      byte.value() - facts.true_lb.value(), [&](Int128 d) { return search(byte.value() - d, byte.value() - 1); },
      distance);
  return {found, byte - Exact(distance)};
}

NearestByte ByteSearch::nearest_above(Exact byte) {
  const LayoutFacts& facts = top_.facts;
  if (facts.empty() || byte >= facts.true_ub - 1) return {Covered::no, {}};
  if (!byte.fits() || !is_bounded_by_entries()) return {};
  if (byte < facts.true_lb) return {Covered::yes, facts.true_lb};
  Int128 distance = 0;
  const Covered found = least_distance(
      facts.true_ub.value() - 1 - byte.value(), [&](Int128 d) { return search(byte.value() + 1, byte.value() + d); },
      distance);
  return {found, byte + Exact(distance)};
}

/// Whether the bytes at the true bounds, of every node, are known to be covered: an entry of no size covers none.
bool ByteSearch::is_bounded_by_entries() const {
  if (!is_moderate(top_.facts.true_lb) || !is_moderate(top_.facts.true_ub)) return false;
  const PredefinedTable& table = layouts_.store().predefined();
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    const PredefinedType& type = table[PredefinedId{i}];
    if (type.kind == PredefinedKind::basic && type.size <= 0) return false;
  }
  return true;
}

/// The least distance from 1 to `most` that passes a test which all greater ones pass too, and `most` surely.
template <class Test>
Covered ByteSearch::least_distance(Int128 most, Test test, Int128& distance) {
  Int128 failed = 0;
  Int128 passed = most;
  for (Int128 tried = 1; failed + 1 < passed;) {
    const Covered found = test(tried);
    if (found == Covered::undecided) return found;
    (found == Covered::yes ? passed : failed) = tried;
    // Ever longer steps until one passes: most gaps are short.
    tried = passed == most && 2 * tried < most ? 2 * tried : failed + (passed - failed) / 2;
  }
  distance = passed;
  return Covered::yes;
}

Covered ByteSearch::search(Int128 low, Int128 high) {
  terms_.clear();
  branches_.clear();
  work_ = work_limit_;
  steps_in_vain_ = 0;
  is_undecided_ = false;
  State state;
  state.node = &top_;
  state.low = low;
  state.high = high;
  while (true) {
    if (descend(state)) {
      end_ = state;
      return Covered::yes;
    }
    if (work_ <= steps_in_vain_) return Covered::undecided;
    work_ -= steps_in_vain_;
    steps_in_vain_ = 0;
    if (!next_branch(state)) return is_undecided_ ? Covered::undecided : Covered::no;
  }
}

/// Goes down as far as there is one way to go. True at an entry, or at a node's edge where any of several bytes will
/// do.
bool ByteSearch::descend(State& state) {
  while (true) {
    ++steps_in_vain_;
    const LayoutNode& node = *state.node;
    const LayoutFacts& facts = node.facts;
    if (facts.empty() || facts.size == Exact(0)) return false;
    if (!is_moderate(facts.true_lb) || !is_moderate(facts.true_ub)) {
      is_undecided_ = true;
      return false;
    }
    if (node.kind == LayoutKind::repeat) {
      const LayoutNode& child = layouts_[node.child];
      state.node = &child;
      add_term(state, node.stride, node.count, child.facts.entries);
      continue;
    }
    if (node.kind == LayoutKind::parts && node.part_count == 1) {
      take_part(state, 0);
      continue;
    }
    if (node.kind == LayoutKind::parts) copy_terms(state);
    if (node.kind == LayoutKind::parts && state.low < state.high) {
      // Where an edge is among the bytes, it is covered; where none is, they lie wholly inside a hull or outside.
      if (reach(state, facts.true_lb, facts.true_lb) == Reach::yes) return true;
      if (reach(state, facts.true_ub - 1, facts.true_ub - 1) == Reach::yes) return true;
      if (is_undecided_) return false;
    }
    if (reach(state, facts.true_lb, facts.true_ub - 1) != Reach::yes) return false;
    if (node.kind == LayoutKind::basic) return true;
    decide_lone_steps(state);
    branches_.push_back(branch_at(state));
    if (!next_branch(state)) return false;
  }
}

/// Whether bytes first .. last of the node, in some of its copies, meet the bytes wanted.
Reach ByteSearch::reach(const State& state, Exact first, Exact last) {
  const Int128 low = state.low - last.value();
  const Int128 high = state.high - first.value();
  if (state.terms_begin == state.terms_end) return low <= 0 && 0 <= high ? Reach::yes : Reach::no;
  strides_.clear();
  for (std::size_t i = state.terms_begin; i < state.terms_end; ++i) strides_.push_back(terms_[i].steps);
  const Reach answer = sums_.reach(strides_, {low, high}, StrideSums::Goal::any, work_);
  is_undecided_ = is_undecided_ || answer == Reach::undecided;
  return answer;
}

void ByteSearch::add_term(State& state, Exact stride, Exact count, Exact entries) {
  if (count == Exact(1) || stride == Exact(0)) return;
  if (state.terms_end != terms_.size()) copy_terms(state);
  terms_.push_back(
      Term{StrideTerm{stride.value(), 0, count.value() - 1}, entries, state.node == &layouts_[top_.child]});
  state.terms_end = terms_.size();
}

/// A copy of its terms for this state alone, by length of stride: those it had belong to branches above, too.
void ByteSearch::copy_terms(State& state) {
  const std::size_t begin = terms_.size();
  for (std::size_t i = state.terms_begin; i < state.terms_end; ++i) terms_.push_back(Term(terms_[i]));
  std::sort(terms_.begin() + static_cast<std::ptrdiff_t>(begin), terms_.end(),
            [](const Term& a, const Term& b) { return size_of(a.steps.stride) < size_of(b.steps.stride); });
  state.terms_begin = begin;
  state.terms_end = terms_.size();
}

void ByteSearch::take_steps(State& state, const Term& term, Int128 steps) {
  state.low -= steps * term.steps.stride;
  state.high -= steps * term.steps.stride;
  state.entries += Exact(steps) * term.entries;
  if (term.is_copies) state.copy = Exact(steps);
}

void ByteSearch::take_part(State& state, std::size_t i) {
  const LayoutPart part = state.node->part(i);
  state.low -= part.displacement.value();
  state.high -= part.displacement.value();
  state.node = &layouts_[part.child];
  add_term(state, part.extent, part.blocklength, state.node->facts.entries);
}

/// A stride that spans all that is inside of it leaves one number of steps that can lead to the bytes: that which
/// the last `reach` found. From the longest stride on, as far as that is so.
void ByteSearch::decide_lone_steps(State& state) {
  if (state.terms_begin == state.terms_end) return;
  Int128 span = state.node->facts.true_extent().value();
  for (std::size_t i = state.terms_begin; i < state.terms_end; ++i) span += length_of(terms_[i].steps);
  const std::vector<Int128> steps = sums_.steps();
  while (state.terms_end > state.terms_begin) {
    const Term term = terms_[state.terms_end - 1];
    span -= length_of(term.steps);
    if (size_of(term.steps.stride) < span) break;
    take_steps(state, term, steps[state.terms_end - 1 - state.terms_begin]);
    --state.terms_end;
  }
}

/// What to try at a parts node: its parts, or numbers of steps of the longest stride, whichever are fewer in the end.
ByteSearch::Branch ByteSearch::branch_at(const State& state) {
  const LayoutNode& node = *state.node;
  Branch branch;
  branch.state = state;
  branch.end = static_cast<Int128>(node.part_count);
  if (state.terms_begin == state.terms_end) {
    if (node.part_count <= small_node) return branch;
    if (const auto places = index_.parts_at(node, state.low, state.high)) {
      branch.over = Branch::Over::places;
      branch.places = *places;
    }
    return branch;
  }
  // The bytes that the hull and the shorter strides reach, and how many numbers of steps there are to try.
  Int128 first = node.facts.true_lb.value();
  Int128 last = node.facts.true_ub.value() - 1;
  Int128 least = 0;
  Int128 greatest = 0;
  Int128 ways = 1;
  for (std::size_t i = state.terms_begin; i < state.terms_end; ++i) {
    const StrideTerm& steps = terms_[i].steps;
    const bool is_upwards = steps.stride > 0;
    const Int128 stride = size_of(steps.stride);
    const Int128 low = is_upwards ? state.low - last : first - state.high;
    const Int128 high = is_upwards ? state.high - first : last - state.low;
    least = std::max<Int128>(0, ceiling_quotient(low, stride));
    greatest = std::min(steps.greatest, floor_quotient(high, stride));
    ways = std::min(branch.end, ways * std::min(branch.end, std::min(steps.greatest, (high - low) / stride) + 1));
    (is_upwards ? last : first) += steps.stride * steps.greatest;
  }
  if (ways < branch.end) {
    branch.over = Branch::Over::steps;
    branch.next = least;
    branch.end = greatest + 1;
  }
  return branch;
}

/// Goes on with what the last branch has left, or those before it; false where nothing is.
bool ByteSearch::next_branch(State& state) {
  while (!branches_.empty()) {
    Branch& branch = branches_.back();
    state = branch.state;
    terms_.resize(state.terms_end);
    if (branch.over == Branch::Over::steps) {
      if (branch.next < branch.end) {
        take_steps(state, terms_[--state.terms_end], branch.next++);
        return true;
      }
    } else if (next_part(branch)) {
      take_part(state, branch.part);
      return true;
    }
    branches_.pop_back();
  }
  return false;
}

bool ByteSearch::next_part(Branch& branch) {
  if (branch.over == Branch::Over::places) {
    const std::optional<std::size_t> part = branch.places.next();
    branch.part = part.value_or(0);
    return part.has_value();
  }
  const State& state = branch.state;
  const LayoutNode& node = *state.node;
  for (; branch.next < branch.end; ++branch.next) {
    branch.part = static_cast<std::size_t>(branch.next);
    const LayoutFacts& child = layouts_[node.child_of(branch.part)].facts;
    if (node.blocklength_of(branch.part) <= 0 || child.empty()) continue;
    if (state.terms_begin == state.terms_end) {
      const Hull hull = hull_of_part(child, node.part(branch.part));
      if (!(hull.begin <= Exact(state.high) && hull.end > Exact(state.low))) continue;
    }
    ++branch.next;
    return true;
  }
  return false;
}

/// The entry at which the search ended.
ByteAnswer ByteSearch::covering(Int128 byte) {
  if (end_.terms_begin != end_.terms_end) {
    const std::vector<Int128> steps = sums_.steps();
    for (std::size_t i = end_.terms_begin; i < end_.terms_end; ++i) {
      take_steps(end_, terms_[i], steps[i - end_.terms_begin]);
    }
  }
  CoveringEntry entry;
  entry.entry = end_.entries;
  for (const Branch& branch : branches_) {
    if (branch.over == Branch::Over::steps) continue;
    entry.entry += index_.entries_before_part(*branch.state.node, branch.part);
  }
  entry.copy = end_.copy;
  entry.byte = end_.low;
  entry.place = {end_.node->basic, Exact(byte) - entry.byte};
  return {Covered::yes, entry};
}

}  // namespace ddtscope
