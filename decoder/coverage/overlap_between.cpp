#include "decoder/coverage/overlap_between.h"

#include <algorithm>
#include <vector>

#include "decoder/coverage/overlap_search.h"
#include "decoder/coverage/overlap_sweep.h"
#include "decoder/layout/span.h"

namespace ddtscope {
namespace {

constexpr std::size_t most_blocks = 65536;

struct Bytes {
  Int128 begin, end;
};

/// From the first byte to behind the last one; empty where that does not fit.
std::optional<Bytes> hull_of(const LayoutFacts& facts, const PlacedCopies& copies) {
  const Span span = span_of(facts, copies.extent, copies.count);
  const Exact begin = copies.at + span.first;
  const Exact end = copies.at + span.end;
  if (!begin.fits() || !end.fits()) return std::nullopt;
  return Bytes{begin.value(), end.value()};
}

/// All blocks of all copies in order; empty where they are too many.
std::optional<std::vector<Bytes>> blocks_of(const Layouts& layouts, const PlacedCopies& copies) {
  const LayoutFacts& facts = layouts[copies.root].facts;
  const std::optional<Bytes> hull = hull_of(facts, copies);
  if (!hull) return std::nullopt;
  const bool is_one = facts.disjoint && facts.size == facts.true_extent();
  if (is_one && (copies.count == Exact(1) || copies.extent == facts.size)) return std::vector<Bytes>{*hull};
  const Exact number = facts.blocks * copies.count;
  if (!number.fits() || number > Exact(static_cast<Int128>(most_blocks))) return std::nullopt;
  const SeenBlocks one = see_blocks(layouts, copies.root, most_blocks);
  if (!one.possible || !one.complete) return std::nullopt;
  std::vector<Bytes> blocks;
  const Exact first = copies.at + one.origin;
  for (Exact i = 0; i < copies.count; i = i + 1) {
    const Exact at = first + i * copies.extent;
    for (const Interval& block : one.blocks) {
      blocks.push_back({at.value() + block.begin, at.value() + block.end});
    }
  }
  std::sort(blocks.begin(), blocks.end(), [](const Bytes& a, const Bytes& b) { return a.begin < b.begin; });
  return blocks;
}

std::optional<SharedByte> sweep(const Layouts& layouts, const PlacedCopies& a, const PlacedCopies& b) {
  const auto first = blocks_of(layouts, a);
  const auto second = first ? blocks_of(layouts, b) : std::nullopt;
  if (!second) return std::nullopt;
  // Those of one side may lie over each other: what counts is how far it has come.
  Int128 first_end = 0;
  Int128 second_end = 0;
  bool has_first = false;
  bool has_second = false;
  for (std::size_t i = 0, k = 0; i < first->size() || k < second->size();) {
    const bool takes_first = k == second->size() || (i < first->size() && (*first)[i].begin <= (*second)[k].begin);
    const Bytes& block = takes_first ? (*first)[i++] : (*second)[k++];
    const bool meets = takes_first ? has_second && block.begin < second_end : has_first && block.begin < first_end;
    if (meets && block.begin < block.end) return SharedByte{Overlap::yes, Exact(block.begin), true};
    Int128& end = takes_first ? first_end : second_end;
    bool& has = takes_first ? has_first : has_second;
    end = has ? std::max(end, block.end) : block.end;
    has = true;
  }
  return SharedByte{};
}

SharedByte search(const Layouts& layouts, const PlacedCopies& a, const PlacedCopies& b, std::size_t work) {
  OverlapSearch search(layouts, work);
  const Overlap answer = search.between(a, b);
  return answer == Overlap::yes ? SharedByte{answer, search.byte(), false} : SharedByte{answer};
}

}  // namespace

SharedByte shared_byte(const Layouts& layouts, const PlacedCopies& a, const PlacedCopies& b, std::size_t work_limit) {
  const LayoutFacts& first = layouts[a.root].facts;
  const LayoutFacts& second = layouts[b.root].facts;
  if (a.count <= Exact(0) || b.count <= Exact(0) || first.size == Exact(0) || second.size == Exact(0)) return {};
  const std::optional<Bytes> first_hull = hull_of(first, a);
  const std::optional<Bytes> second_hull = hull_of(second, b);
  if (!first_hull || !second_hull) return {Overlap::undecided};
  if (first_hull->end <= second_hull->begin || second_hull->end <= first_hull->begin) return {};
  SharedByte found = search(layouts, a, b, std::min(work_limit, short_search));
  if (found.answer == Overlap::no) return found;
  if (const std::optional<SharedByte> swept = sweep(layouts, a, b)) return *swept;
  if (found.answer == Overlap::undecided && work_limit > short_search) found = search(layouts, a, b, work_limit);
  return found;
}

}  // namespace ddtscope
