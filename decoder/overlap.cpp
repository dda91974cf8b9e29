// A ladder of overlap tests: proofs from the structure first, then a capped sweep over the blocks.
#include "decoder/overlap.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "decoder/typemap.h"

namespace ddtscope {
namespace {

/// Bytes [first, second).
using Interval = std::pair<Int128, Int128>;

struct Sweep {
  bool possible = true;           // all bytes fit 128 bits
  bool complete = false;          // all blocks were seen
  bool overlaps = false;          // some of those seen do
  std::vector<Interval> covered;  // sorted, apart from each other
};

/// Sorts the intervals and joins those that touch or overlap.
bool join_sorted(std::vector<Interval>& intervals) {
  if (!std::is_sorted(intervals.begin(), intervals.end())) {
    std::sort(intervals.begin(), intervals.end());
  }
  bool overlaps = false;
  std::size_t kept = 0;
  for (const Interval& interval : intervals) {
    if (interval.first == interval.second) continue;
    if (kept > 0 && interval.first <= intervals[kept - 1].second) {
      overlaps |= interval.first < intervals[kept - 1].second;
      intervals[kept - 1].second = std::max(intervals[kept - 1].second, interval.second);
    } else {
      intervals[kept++] = interval;
    }
  }
  intervals.resize(kept);
  return overlaps;
}

Sweep sweep(const Layouts& layouts, LayoutId root, std::size_t work_limit) {
  Sweep result;
  BlockCursor cursor(layouts, root);
  Block block;
  while (true) {
    if (!cursor.next(block)) {
      result.complete = true;
      break;
    }
    if (result.covered.size() == work_limit) break;
    const Exact end = block.displacement + block.length;
    if (!block.displacement.fits() || !end.fits()) {
      result.possible = false;
      return result;
    }
    result.covered.emplace_back(block.displacement.value(), end.value());
  }
  result.overlaps = join_sorted(result.covered);
  return result;
}

/// Loops around one inner layout are disjoint in whatever order they nest, if each stride, by size,
/// spans all smaller ones: this is what a transposed matrix needs.
bool loops_are_disjoint(const Layouts& layouts, LayoutId root) {
  std::vector<std::pair<Exact, Exact>> loops;  // |stride|, count
  const LayoutNode* node = &layouts[root];
  while (true) {
    if (node->kind == LayoutKind::repeat) {
      if (node->count > Exact(1)) loops.emplace_back(abs(node->stride), node->count);
      node = &layouts[node->child];
    } else if (node->kind == LayoutKind::parts && node->part_count == 1) {
      const LayoutPart part = node->part(0);
      if (part.blocklength > 1) loops.emplace_back(abs(part.extent), part.blocklength);
      node = &layouts[part.child];
    } else {
      break;
    }
  }
  if (!node->facts.disjoint) return false;
  for (const auto& [stride, count] : loops) {
    if (!stride.fits() || !count.fits()) return false;
  }
  std::sort(loops.begin(), loops.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Exact span = node->facts.true_extent();
  for (const auto& [stride, count] : loops) {
    if (!(stride >= span)) return false;
    span += (count - 1) * stride;
  }
  return true;
}

/// Parts in any order, each disjoint in itself, whose hulls stand apart.
bool parts_are_disjoint(const Layouts& layouts, LayoutId root, std::size_t work_limit) {
  const LayoutNode& node = layouts[root];
  if (node.kind != LayoutKind::parts || node.part_count > work_limit) return false;
  std::vector<Interval> hulls;
  for (std::size_t i = 0; i < node.part_count; ++i) {
    const LayoutPart part = node.part(i);
    const LayoutFacts& facts = layouts[part.child].facts;
    if (part.blocklength <= 0 || facts.empty()) continue;
    if (!facts.disjoint) return false;
    if (part.blocklength > 1 && !(abs(part.extent) >= facts.true_extent())) return false;
    const Exact last = part.displacement + Exact(part.blocklength - 1) * part.extent;
    const Exact begin = min(part.displacement, last) + facts.true_lb;
    const Exact end = max(part.displacement, last) + facts.true_ub;
    if (!begin.fits() || !end.fits()) return false;
    hulls.emplace_back(begin.value(), end.value());
  }
  return !join_sorted(hulls);
}

}  // namespace

std::string_view text_of(Overlap overlap) {
  switch (overlap) {
    case Overlap::no:
      return "no";
    case Overlap::yes:
      return "yes";
    case Overlap::undecided:
      return "undecided";
  }
  return "";
}

Overlap overlap_within(const Layouts& layouts, LayoutId root, std::size_t work_limit) {
  const LayoutFacts& facts = layouts[root].facts;
  if (facts.disjoint || facts.blocks == Exact(1)) return Overlap::no;
  if (facts.size > facts.true_extent()) return Overlap::yes;
  if (loops_are_disjoint(layouts, root) || parts_are_disjoint(layouts, root, work_limit)) {
    return Overlap::no;
  }
  const Sweep seen = sweep(layouts, root, work_limit);
  if (!seen.possible) return Overlap::undecided;
  if (seen.overlaps) return Overlap::yes;
  return seen.complete ? Overlap::no : Overlap::undecided;
}

Overlap overlap_of_copies(const Layouts& layouts, LayoutId root, Exact extent, std::size_t work_limit) {
  const LayoutFacts& facts = layouts[root].facts;
  if (facts.empty() || facts.size == Exact(0)) return Overlap::no;
  const Exact distance = abs(extent);
  if (distance == Exact(0)) return Overlap::yes;
  if (distance >= facts.true_extent()) return Overlap::no;
  if (!distance.fits() || !facts.true_lb.fits() || !facts.true_ub.fits()) return Overlap::undecided;

  // Two bytes of one copy meet in some other copies exactly when they are the same modulo the extent.
  Sweep seen = sweep(layouts, root, work_limit);
  if (!seen.possible) return Overlap::undecided;
  const Int128 modulus = distance.value();
  std::vector<Interval> residues;
  for (const auto& [begin, end] : seen.covered) {
    const Int128 length = end - begin;
    if (length > modulus) return Overlap::yes;
    const Int128 first = (begin % modulus + modulus) % modulus;
    residues.emplace_back(first, std::min(first + length, modulus));
    if (first + length > modulus) residues.emplace_back(Int128{0}, first + length - modulus);
  }
  if (join_sorted(residues)) return Overlap::yes;
  if (seen.complete) return Overlap::no;
  // More distinct bytes than residues.
  if (facts.size > distance && overlap_within(layouts, root, 0) == Overlap::no) return Overlap::yes;
  return Overlap::undecided;
}

std::optional<Exact> bytes_covered(const Layouts& layouts, LayoutId root, std::size_t work_limit) {
  const LayoutFacts& facts = layouts[root].facts;
  if (overlap_within(layouts, root, 0) == Overlap::no) return facts.size;
  if (!(facts.blocks <= Exact(static_cast<Int128>(work_limit)))) return std::nullopt;
  const Sweep seen = sweep(layouts, root, work_limit);
  if (!seen.possible || !seen.complete) return std::nullopt;
  Exact covered = 0;
  for (const auto& [begin, end] : seen.covered) covered += Exact(end - begin);
  return covered;
}

}  // namespace ddtscope
