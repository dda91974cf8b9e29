// A ladder of overlap tests: sizes and structure first, then a search over the description, then a sweep over the
// blocks; the two take turns, the cheaper one first.
#include "decoder/coverage/overlap.h"

#include <algorithm>
#include <utility>

#include "decoder/base/intervals.h"
#include "decoder/coverage/overlap_search.h"
#include "decoder/coverage/overlap_sweep.h"

namespace ddtscope {
namespace {

/// So few blocks are swept sooner than searched.
constexpr std::size_t few_blocks = 64;
/// So many blocks are swept in the time of a step of the search, sorting included.
constexpr std::size_t blocks_per_step = 4;

FoundOverlap search_within(const Layouts& layouts, LayoutId root, std::size_t work_limit) {
  OverlapSearch search(layouts, work_limit);
  const Overlap answer = search.within(root);
  return answer == Overlap::yes ? FoundOverlap{answer, search.byte(), 0} : FoundOverlap{answer};
}

FoundOverlap find_within(const Layouts& layouts, LayoutId root, std::size_t work_limit) {
  const LayoutFacts& facts = layouts[root].facts;
  if (facts.disjoint || facts.blocks == Exact(1) || facts.size == Exact(0)) return {};
  if (at_most(facts.blocks, std::min(work_limit, few_blocks))) return sweep_within(layouts, root, few_blocks);
  const std::size_t most_blocks = work_limit * blocks_per_step;
  FoundOverlap found = search_within(layouts, root, std::min(work_limit, short_search));
  if (found.answer == Overlap::undecided && at_most(facts.blocks, most_blocks)) {
    found = sweep_within(layouts, root, most_blocks);
  }
  if (found.answer == Overlap::undecided) found = sweep_around_loop(layouts, root, most_blocks);
  if (found.answer == Overlap::undecided && work_limit > short_search) found = search_within(layouts, root, work_limit);
  if (found.answer == Overlap::undecided) found = sweep_within(layouts, root, most_blocks);
  return found;
}

/// Copies of a type that stand `extent` apart: copy 0, and those from 1 to `last`.
struct CopiesOfType {
  const Layouts& layouts;
  LayoutId root;
  Exact extent;
  Exact last;
  std::size_t work_limit;
};

enum class Wanted : std::uint8_t { any, first };

FoundOverlap search_copies(const CopiesOfType& copies, Wanted wanted, std::size_t work_limit) {
  OverlapSearch search(copies.layouts, work_limit);
  const Overlap answer = wanted == Wanted::any ? search.between_copies(copies.root, copies.extent, copies.last)
                                               : search.first_copy(copies.root, copies.extent, copies.last);
  if (answer != Overlap::yes) return {answer};
  return {answer, search.byte(), search.copy(), wanted == Wanted::first};
}

/// Which copy meets copy 0.
FoundOverlap find_copy(const CopiesOfType& copies, Wanted wanted) {
  const Layouts& layouts = copies.layouts;
  const LayoutId root = copies.root;
  const Exact extent = copies.extent;
  const Exact last = copies.last;
  const std::size_t work_limit = copies.work_limit;
  const LayoutFacts& facts = layouts[root].facts;
  if (facts.empty() || facts.size == Exact(0) || last < Exact(1)) return {};
  const Exact distance = abs(extent);
  if (distance >= facts.true_extent()) return {};
  if (!last.fits() || !facts.true_lb.fits() || !facts.true_ub.fits()) return FoundOverlap::undecided();
  if (distance == Exact(0)) {
    const SeenBlocks one = see_blocks(layouts, root, 1);
    return FoundOverlap{Overlap::yes, one.blocks.empty() ? std::optional<Exact>() : one.origin + one.blocks[0].begin,
                        1};
  }
  const auto limited = [&](const FoundOverlap& found) { return found.copy > last ? FoundOverlap{} : found; };
  if (at_most(facts.blocks, std::min(work_limit, few_blocks))) {
    const FoundOverlap found = sweep_copies(layouts, root, extent, few_blocks);
    if (found.answer != Overlap::undecided) return limited(found);
  }
  FoundOverlap found = search_copies(copies, wanted, std::min(work_limit, short_search));
  if (found.answer != Overlap::undecided) return found;
  if (at_most(facts.blocks, work_limit * blocks_per_step)) {
    found = limited(sweep_copies(layouts, root, extent, work_limit * blocks_per_step));
    if (found.answer != Overlap::undecided) return found;
  }
  if (work_limit > short_search) found = search_copies(copies, wanted, work_limit);
  if (found.answer != Overlap::undecided || wanted == Wanted::first) return found;
  // More bytes than room, and no copy in its own way.
  if ((last + 1) * facts.size > facts.true_extent() + last * distance &&
      overlap_within(layouts, root, work_limit) == Overlap::no) {
    found = {Overlap::yes, {}, 0, false};
  }
  return found;
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
  if (facts.size > facts.true_extent()) return Overlap::yes;
  return find_within(layouts, root, work_limit).answer;
}

Overlap overlap_of_copies(const Layouts& layouts, LayoutId root, Exact extent, std::size_t work_limit) {
  return find_overlap_of_copies(layouts, root, extent, work_limit).answer;
}

OverlapOfCopies find_overlap_of_copies(const Layouts& layouts, LayoutId root, Exact extent, std::size_t work_limit) {
  const Exact last = last_in_reach(layouts[root].facts, extent);
  const FoundOverlap found = find_copy(CopiesOfType{layouts, root, extent, last, work_limit}, Wanted::any);
  if (found.answer != Overlap::yes || !found.is_first) return {found.answer, std::nullopt};
  return {found.answer, FirstOverlap{found.answer, found.copy, found.byte}};
}

Overlap overlap_of_count(const Layouts& layouts, LayoutId root, const Copies& copies, std::size_t work_limit) {
  const auto& [count, extent] = copies;
  const LayoutFacts& facts = layouts[root].facts;
  if (count <= Exact(0)) return Overlap::no;
  if (count * facts.size > facts.true_extent() + (count - 1) * abs(extent)) return Overlap::yes;
  const Overlap one = overlap_within(layouts, root, work_limit);
  if (one == Overlap::yes) return one;
  const Exact last = min(count - 1, last_in_reach(facts, extent));
  const Overlap more = find_copy(CopiesOfType{layouts, root, extent, last, work_limit}, Wanted::any).answer;
  return more == Overlap::no ? one : more;
}

FirstOverlap first_overlapping_copy(const Layouts& layouts, LayoutId root, Exact extent, std::size_t work_limit) {
  const Exact last = last_in_reach(layouts[root].facts, extent);
  const FoundOverlap found = find_copy(CopiesOfType{layouts, root, extent, last, work_limit}, Wanted::first);
  return FirstOverlap{found.answer, found.copy, found.byte};
}

std::optional<Exact> byte_touched_twice(const Layouts& layouts, LayoutId root, std::size_t work_limit) {
  return find_within(layouts, root, work_limit).byte;
}

std::optional<Exact> covered_bytes(const Layouts& layouts, LayoutId root, Overlap within, std::size_t work_limit) {
  const LayoutFacts& facts = layouts[root].facts;
  if (within == Overlap::no) return facts.size;
  if (!at_most(facts.blocks, work_limit * blocks_per_step)) return std::nullopt;
  SeenBlocks seen = see_blocks(layouts, root, work_limit * blocks_per_step);
  if (!seen.possible || !seen.complete) return std::nullopt;
  join(seen.blocks);
  Exact covered = 0;
  for (const auto& [begin, end] : seen.blocks) covered += Exact(end - begin);
  return covered;
}

TouchedBytes touched_bytes(const Layouts& layouts, LayoutId root, std::size_t work_limit) {
  const Overlap within = overlap_within(layouts, root, work_limit);
  return {within, covered_bytes(layouts, root, within, work_limit)};
}

}  // namespace ddtscope
