// Blocks are sorted, or folded into one extent and sorted, and neighbours compared.
#include "decoder/coverage/overlap_sweep.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <queue>
#include <span>
#include <utility>

#include "decoder/coverage/nest.h"
#include "decoder/layout/typemap.h"

namespace ddtscope {
namespace {

FoundOverlap found_at(Exact byte, Exact copy) { return {Overlap::yes, byte, copy}; }

/// A block, or a part of one, within one extent: its bytes are begin + quotient * |extent| on.
struct FoldedBlock {
  std::int64_t begin, end, quotient;
};

/// Whether any share a byte. They must be sorted.
bool share_bytes(const std::vector<FoldedBlock>& folded) {
  std::int64_t end = 0;  // of all before
  for (const FoldedBlock& block : folded) {
    if (block.begin < end) return true;
    end = block.end;
  }
  return false;
}

/// The nearest quotients, not equal ones, of folded blocks that share a byte. The blocks must be sorted.
FoundOverlap nearest(const std::vector<FoldedBlock>& folded, std::int64_t extent) {
  using Ending = std::pair<std::int64_t, std::int64_t>;  // end, quotient
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings;
  std::map<std::int64_t, std::size_t> active;  // how many blocks that have not ended have each quotient
  FoundOverlap best;
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

/// Two bytes of one copy meet in copies 0 and k exactly when they are k extents apart: the smallest k. The blocks
/// count from 0 on.
FoundOverlap first_meeting(const std::vector<Interval>& blocks, std::int64_t extent) {
  const std::int64_t modulus = std::abs(extent);
  std::vector<FoldedBlock> folded;
  folded.reserve(blocks.size());
  for (const auto& [begin, end] : blocks) {
    if (end - begin > modulus) return found_at(begin + (extent > 0 ? modulus : 0), 1);
    const std::int64_t first = begin % modulus;
    const std::int64_t rest = modulus - first;  // up to the next copy
    const std::int64_t quotient = begin / modulus;
    folded.push_back({first, first + std::min(end - begin, rest), quotient});
    if (end - begin > rest) folded.push_back({0, end - begin - rest, quotient + 1});
  }
  sort_by_begin(folded);
  return share_bytes(folded) ? nearest(folded, extent) : FoundOverlap{};
}

/// The offsets of a list's copies, from the lowest one on.
std::vector<std::int64_t> offsets_of(const NestList& list) {
  std::vector<std::int64_t> offsets;
  const std::int64_t step = std::abs(list.extent);
  for (const Interval& part : list.parts) {
    for (std::int64_t at = part.begin; at <= part.end; at += step) {
      offsets.push_back(at - list.parts.front().begin);
      if (step == 0) break;
    }
  }
  return offsets;
}

/// How many copies the offsets are of.
Exact copies_of(const NestList& list) {
  Exact copies = 0;
  for (const Interval& part : list.parts) {
    copies += list.extent == 0 ? Exact(1) : Exact((part.end - part.begin) / std::abs(list.extent) + 1);
  }
  return copies;
}

void replicate(std::vector<Interval>& blocks, const std::vector<std::int64_t>& offsets) {
  const std::size_t n = blocks.size();
  for (const std::int64_t offset : offsets) {
    for (std::size_t i = 0; i < n; ++i) blocks.push_back(Interval{blocks[i].begin + offset, blocks[i].end + offset});
  }
  blocks.erase(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(n));
}

/// Of a layout whose bounds and extent fit 64 bits, and so all that is between them.
SeenBlocks see_narrow_blocks(const Layouts& layouts, LayoutId root, std::size_t most_blocks) {
  SeenBlocks result;
  const LayoutFacts& facts = layouts[root].facts;
  result.origin = facts.true_lb;
  const std::int64_t origin = *facts.true_lb.to_int64();
  if (at_most(facts.blocks, most_blocks)) result.blocks.reserve(static_cast<std::size_t>(facts.blocks.value()));
  BlockCursor cursor(layouts, root);
  std::array<NarrowBlock, 256> batch;
  for (std::size_t seen = 0;;) {
    const std::size_t number = cursor.next(std::span(batch).first(std::min(batch.size(), most_blocks - seen + 1)));
    for (const NarrowBlock& block : std::span(batch).first(std::min(number, most_blocks - seen))) {
      const std::int64_t begin = block.displacement - origin;
      if (block.length != 0) result.blocks.push_back(Interval{begin, begin + block.length});
    }
    seen += number;
    if (seen > most_blocks) return result;
    if (number == 0) break;
  }
  result.complete = true;
  return result;
}

}  // namespace

SeenBlocks see_blocks(const Layouts& layouts, LayoutId root, std::size_t most_blocks) {
  const LayoutFacts& facts = layouts[root].facts;
  if (facts.true_lb.to_int64() && facts.true_ub.to_int64() && facts.true_extent().to_int64()) {
    return see_narrow_blocks(layouts, root, most_blocks);
  }
  SeenBlocks result;
  result.origin = facts.true_lb;
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

FoundOverlap sweep_within(const Layouts& layouts, LayoutId root, std::size_t most_blocks) {
  SeenBlocks seen = see_blocks(layouts, root, most_blocks);
  if (!seen.possible) return FoundOverlap::undecided();
  if (const std::optional<std::int64_t> byte = join(seen.blocks)) return found_at(seen.origin + *byte, 0);
  return seen.complete ? FoundOverlap{} : FoundOverlap::undecided();
}

FoundOverlap sweep_around_loop(const Layouts& layouts, LayoutId root, std::size_t most_blocks) {
  const LayoutFacts& facts = layouts[root].facts;
  // All offsets then fit 64 bits.
  if (!facts.true_extent().to_int64()) return FoundOverlap::undecided();
  std::size_t work = most_blocks / nest_arguments_per_step;  // longer lists have too many blocks anyway
  Nest nest = nest_of(layouts, root, work);
  const auto by_count = [](const NestLoop& a, const NestLoop& b) { return a.count < b.count; };
  const auto longest = std::max_element(nest.loops.begin(), nest.loops.end(), by_count);
  if (longest == nest.loops.end() || longest->stride == Exact(0)) return FoundOverlap::undecided();
  const NestLoop outer = *longest;
  nest.loops.erase(longest);

  Exact blocks = layouts[nest.inner].facts.blocks;
  for (const NestLoop& loop : nest.loops) blocks = blocks * loop.count;
  for (const NestList& list : nest.lists) {
    if (list.has_loops && list.extent == 0) return FoundOverlap::undecided();  // copies on one spot: others say so
    blocks = blocks * copies_of(list);
  }
  if (!at_most(blocks, most_blocks)) return FoundOverlap::undecided();

  SeenBlocks seen = see_blocks(layouts, nest.inner, most_blocks);
  if (!seen.possible || !seen.complete) return FoundOverlap::undecided();
  for (const NestLoop& loop : nest.loops) {
    std::vector<std::int64_t> offsets;
    for (std::int64_t i = 0; Exact(i) < loop.count; ++i) offsets.push_back(i * *abs(loop.stride).to_int64());
    replicate(seen.blocks, offsets);
  }
  for (const NestList& list : nest.lists) replicate(seen.blocks, offsets_of(list));

  // The lowest byte of all, with the loop's copies upwards, is the true lower bound.
  const std::vector<Interval> one_copy = seen.blocks;
  if (const std::optional<std::int64_t> byte = join(seen.blocks)) return found_at(facts.true_lb + *byte, 0);
  const FoundOverlap found = first_meeting(one_copy, *abs(outer.stride).to_int64());
  if (found.answer == Overlap::no || found.copy >= outer.count) return {};
  return found_at(facts.true_lb + *found.byte, 0);
}

FoundOverlap sweep_copies(const Layouts& layouts, LayoutId root, Exact extent, std::size_t most_blocks) {
  const std::optional<std::int64_t> distance = extent.to_int64();
  const SeenBlocks seen = see_blocks(layouts, root, most_blocks);
  if (!seen.possible || !distance) return FoundOverlap::undecided();
  FoundOverlap found = first_meeting(seen.blocks, *distance);
  if (found.byte) found.byte = *found.byte + seen.origin;
  return found.answer == Overlap::no && !seen.complete ? FoundOverlap::undecided() : found;
}

}  // namespace ddtscope
