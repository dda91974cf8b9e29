// A ladder of overlap tests: sizes and structure first, then a search over the description, then a sweep over the
// blocks; the two take turns, the cheaper one first.
#include "decoder/overlap.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "decoder/intervals.h"
#include "decoder/overlap_search.h"
#include "decoder/typemap.h"

namespace ddtscope {
namespace {

/// So few blocks are swept sooner than searched.
constexpr std::size_t few_blocks = 64;
/// So many blocks are swept in the time of a step of the search, sorting included.
constexpr std::size_t blocks_per_step = 4;
/// So many steps are searched before a sweep that can see all blocks.
constexpr std::size_t short_search = 2048;

bool at_most(Exact value, std::size_t limit) { return value <= Exact(static_cast<Int128>(limit)); }

struct Sweep {
  bool possible = true;   // all bytes fit 64 bits from the first one on
  bool complete = false;  // all blocks were seen
  Exact origin = 0;
  std::vector<Interval> blocks;  // the seen ones in typemap order from `origin`, without empty ones
};

Sweep sweep(const Layouts& layouts, LayoutId root, std::size_t most_blocks) {
  Sweep result;
  result.origin = layouts[root].facts.true_lb;
  BlockCursor cursor(layouts, root);
  Block block;
  for (std::size_t seen = 0; cursor.next(block); ++seen) {
    if (seen == most_blocks) return result;
    const Exact begin = block.displacement - result.origin;
    const std::optional<std::int64_t> from = begin.to_int64();
    const std::optional<std::int64_t> to = (begin + block.length).to_int64();
    if (!from || !to) {
      result.possible = false;
      return result;
    }
    if (*from != *to) result.blocks.push_back(Interval{*from, *to});
  }
  result.complete = true;
  return result;
}

/// An answer; after a yes, a byte if it is known, and the copy that touches it beside copy 0.
struct Found {
  Overlap answer = Overlap::no;
  std::optional<Exact> byte;
  Exact copy = 0;
};
Found found_at(Exact byte, Exact copy) { return Found{Overlap::yes, byte, copy}; }
Found undecided() { return Found{Overlap::undecided, std::nullopt, 0}; }

Found sweep_within(const Layouts& layouts, LayoutId root, std::size_t most_blocks) {
  Sweep seen = sweep(layouts, root, most_blocks);
  if (!seen.possible) return undecided();
  if (const std::optional<std::int64_t> byte = join(seen.blocks)) return found_at(seen.origin + *byte, 0);
  return seen.complete ? Found{} : undecided();
}

Found search_within(const Layouts& layouts, LayoutId root, std::size_t work_limit) {
  OverlapSearch search(layouts, work_limit);
  const Overlap answer = search.within(root);
  return answer == Overlap::yes ? found_at(search.byte(), 0) : Found{answer, std::nullopt, 0};
}

Found find_within(const Layouts& layouts, LayoutId root, std::size_t work_limit) {
  const LayoutFacts& facts = layouts[root].facts;
  if (facts.disjoint || facts.blocks == Exact(1) || facts.size == Exact(0)) return {};
  if (at_most(facts.blocks, std::min(work_limit, few_blocks))) return sweep_within(layouts, root, few_blocks);
  const std::size_t most_blocks = work_limit * blocks_per_step;
  Found found = search_within(layouts, root, std::min(work_limit, short_search));
  if (found.answer == Overlap::undecided && at_most(facts.blocks, most_blocks)) {
    found = sweep_within(layouts, root, most_blocks);
  }
  if (found.answer == Overlap::undecided && work_limit > short_search) found = search_within(layouts, root, work_limit);
  if (found.answer == Overlap::undecided) found = sweep_within(layouts, root, most_blocks);
  return found;
}

/// A block, or a part of one, within one extent: its bytes are begin + quotient * |extent| on.
struct FoldedBlock {
  std::int64_t begin, end, quotient;
};

/// The nearest quotients, not equal ones, of folded blocks that share a byte.
Found nearest(std::vector<FoldedBlock> folded, std::int64_t extent) {
  std::sort(folded.begin(), folded.end(), [](const FoldedBlock& a, const FoldedBlock& b) { return a.begin < b.begin; });
  using Ending = std::pair<std::int64_t, std::int64_t>;  // end, quotient
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings;
  std::map<std::int64_t, std::size_t> active;  // how many blocks that have not ended have each quotient
  Found best;
  for (const FoldedBlock& block : folded) {
    while (!endings.empty() && endings.top().first <= block.begin) {
      const auto ended = active.find(endings.top().second);
      if (--ended->second == 0) active.erase(ended);
      endings.pop();
    }
    const auto take = [&](std::int64_t below, std::int64_t above) {
      if (best.answer == Overlap::yes && best.copy <= Exact(above - below)) return;
      best = found_at(Exact(block.begin) + Exact(extent > 0 ? above : below) * abs(Exact(extent)), above - below);
    };
    const auto above = active.upper_bound(block.quotient);
    if (above != active.end()) take(block.quotient, above->first);
    const auto not_below = active.lower_bound(block.quotient);
    if (not_below != active.begin()) take(std::prev(not_below)->first, block.quotient);
    if (best.copy == Exact(1)) break;
    endings.emplace(block.end, block.quotient);
    ++active[block.quotient];
  }
  return best;
}

/// Two bytes of one copy meet in copies 0 and k exactly when they are k extents apart. Finds the smallest k among
/// the blocks that it sees. `extent` is not 0.
Found sweep_copies(const Layouts& layouts, LayoutId root, Exact extent, std::size_t most_blocks) {
  const std::optional<std::int64_t> modulus = abs(extent).to_int64();
  const Sweep seen = sweep(layouts, root, most_blocks);
  if (!seen.possible || !modulus) return undecided();
  std::vector<FoldedBlock> folded;
  std::vector<Interval> covered;
  const auto add = [&](std::int64_t begin, std::int64_t end, std::int64_t quotient) {
    folded.push_back(FoldedBlock{begin, end, quotient});
    covered.push_back(Interval{begin, end});
  };
  for (const auto& [begin, end] : seen.blocks) {
    if (end - begin > *modulus) return found_at(seen.origin + begin + (extent > Exact(0) ? *modulus : 0), 1);
    const std::int64_t first = begin % *modulus;
    const std::int64_t rest = *modulus - first;  // up to the next copy
    add(first, first + std::min(end - begin, rest), begin / *modulus);
    if (end - begin > rest) add(0, end - begin - rest, begin / *modulus + 1);
  }
  Found found = join(covered) ? nearest(std::move(folded), *extent.to_int64()) : Found{};
  if (found.byte) found.byte = *found.byte + seen.origin;
  return found.answer == Overlap::no && !seen.complete ? undecided() : found;
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

Found search_copies(const CopiesOfType& copies, Wanted wanted, std::size_t work_limit) {
  OverlapSearch search(copies.layouts, work_limit);
  const Overlap answer = wanted == Wanted::any ? search.between_copies(copies.root, copies.extent, copies.last)
                                               : search.first_copy(copies.root, copies.extent, copies.last);
  return answer == Overlap::yes ? found_at(search.byte(), search.copy()) : Found{answer, std::nullopt, 0};
}

/// Which copy meets copy 0.
Found find_copy(const CopiesOfType& copies, Wanted wanted) {
  const Layouts& layouts = copies.layouts;
  const LayoutId root = copies.root;
  const Exact extent = copies.extent;
  const Exact last = copies.last;
  const std::size_t work_limit = copies.work_limit;
  const LayoutFacts& facts = layouts[root].facts;
  if (facts.empty() || facts.size == Exact(0) || last < Exact(1)) return {};
  const Exact distance = abs(extent);
  if (distance >= facts.true_extent()) return {};
  if (!last.fits() || !facts.true_lb.fits() || !facts.true_ub.fits()) return undecided();
  if (distance == Exact(0)) {
    const Sweep one = sweep(layouts, root, 1);
    return Found{Overlap::yes, one.blocks.empty() ? std::optional<Exact>() : one.origin + one.blocks[0].begin, 1};
  }
  const auto limited = [&](const Found& found) { return found.copy > last ? Found{} : found; };
  if (at_most(facts.blocks, std::min(work_limit, few_blocks))) {
    const Found found = sweep_copies(layouts, root, extent, few_blocks);
    if (found.answer != Overlap::undecided) return limited(found);
  }
  Found found = search_copies(copies, wanted, std::min(work_limit, short_search));
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
    found.answer = Overlap::yes;
  }
  return found;
}

/// The last copy that can reach copy 0.
Exact last_in_reach(const LayoutFacts& facts, Exact extent) {
  if (!facts.true_extent().fits() || !extent.fits()) return Exact::unfit();
  if (extent == Exact(0)) return 1;
  return facts.true_extent().value() / abs(extent).value();
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
  const Exact last = last_in_reach(layouts[root].facts, extent);
  return find_copy(CopiesOfType{layouts, root, extent, last, work_limit}, Wanted::any).answer;
}

Overlap overlap_of_count(const Layouts& layouts, LayoutId root, Exact extent, Exact count, std::size_t work_limit) {
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
  const Found found = find_copy(CopiesOfType{layouts, root, extent, last, work_limit}, Wanted::first);
  return FirstOverlap{found.answer, found.copy, found.byte};
}

std::optional<Exact> byte_touched_twice(const Layouts& layouts, LayoutId root, std::size_t work_limit) {
  return find_within(layouts, root, work_limit).byte;
}

std::optional<Exact> bytes_covered(const Layouts& layouts, LayoutId root, std::size_t work_limit) {
  const LayoutFacts& facts = layouts[root].facts;
  if (overlap_within(layouts, root, work_limit) == Overlap::no) return facts.size;
  if (!at_most(facts.blocks, work_limit * blocks_per_step)) return std::nullopt;
  Sweep seen = sweep(layouts, root, work_limit * blocks_per_step);
  if (!seen.possible || !seen.complete) return std::nullopt;
  join(seen.blocks);
  Exact covered = 0;
  for (const auto& [begin, end] : seen.blocks) covered += Exact(end - begin);
  return covered;
}

}  // namespace ddtscope
