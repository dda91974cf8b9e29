// Overlap by looking at blocks: exact where all of them, or all but one loop around them, can be seen.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "decoder/base/intervals.h"
#include "decoder/coverage/overlap.h"
#include "decoder/layout/layout.h"

namespace ddtscope {

/// An answer; after a yes, a byte if it is known, and the copy that touches it beside copy 0.
struct FoundOverlap {
  Overlap answer = Overlap::no;
  std::optional<Exact> byte{};
  Exact copy = 0;
  bool is_first = true;  // no copy before meets copy 0

  static FoundOverlap undecided() { return {Overlap::undecided}; }
};

/// Whether a number of blocks is one that can be looked at.
inline bool at_most(Exact blocks, std::size_t limit) { return blocks <= Exact(static_cast<Int128>(limit)); }

/// The blocks of one copy.
struct SeenBlocks {
  bool possible = true;   // all bytes fit 64 bits from the first one on
  bool complete = false;  // all were seen
  Exact origin = 0;
  std::vector<Interval> blocks;  // in typemap order from `origin`, without empty ones
};
SeenBlocks see_blocks(const Layouts& layouts, LayoutId root, std::size_t most_blocks);

/// Within one copy, among the blocks that are seen.
FoundOverlap sweep_within(const Layouts& layouts, LayoutId root, std::size_t most_blocks);

/// Within one copy of a nest, but for its longest loop all of it seen. Undecided where that are too many blocks.
FoundOverlap sweep_around_loop(const Layouts& layouts, LayoutId root, std::size_t most_blocks);

/// Between copies that stand `extent` apart, which is not 0: the first that meets copy 0 by the blocks that are seen.
FoundOverlap sweep_copies(const Layouts& layouts, LayoutId root, Exact extent, std::size_t most_blocks);

}  // namespace ddtscope
