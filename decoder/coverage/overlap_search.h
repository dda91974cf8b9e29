// The search for a byte that two copies of a layout share: loops become sums of strides, parts are tried in pairs,
// and hulls that stand apart are passed by. Nothing is expanded.
#pragma once

#include <cstddef>
#include <unordered_set>
#include <utility>
#include <vector>

#include "decoder/base/stride_sums.h"
#include "decoder/coverage/overlap.h"
#include "decoder/coverage/overlap_between.h"
#include "decoder/layout/layout.h"

namespace ddtscope {

/// So many steps are searched before a sweep that can see all blocks.
constexpr std::size_t short_search = 2048;

/// Of copies that stand `stride` apart, the last one that can reach copy 0; where the stride is 0, copy 1 does as well
/// as all others.
Exact last_in_reach(const LayoutFacts& facts, Exact stride);

class OverlapSearch {
 public:
  /// `work` limits the steps of all that one search is asked.
  OverlapSearch(const Layouts& layouts, std::size_t work) : layouts_(layouts), work_(work) {}

  /// Whether one copy of the layout touches a byte twice.
  Overlap within(LayoutId root);

  /// Whether copy 0 and some copy k, 1 <= k <= last, touch the same byte; copies stand `extent` apart.
  Overlap between_copies(LayoutId root, Exact extent, Exact last);
  /// The same, for the smallest k: yes only where that is known.
  Overlap first_copy(LayoutId root, Exact extent, Exact last);

  /// Whether copies of one layout and copies of another one touch the same byte.
  Overlap between(const PlacedCopies& first, const PlacedCopies& second);

  /// After a yes: a byte that is touched twice, and the copy k that touches it beside copy 0.
  Exact byte() const { return byte_; }
  Exact copy() const { return copy_; }

 private:
  /// A node that stands at `at` relative to the root, in one of the places where it stands.
  struct Placed {
    LayoutId node;
    Exact at;
  };
  /// Loops of the two sides of a pair: each is a stride that moves the second side away from the first.
  enum class Side : std::uint8_t { copies, first, second };
  /// Two nodes; the second one's origin is `offset` and the strides' sum away from the first one's.
  struct Pair {
    LayoutId first, second;
    Int128 first_at = 0;
    Int128 offset = 0;
    std::size_t terms = 0;
  };
  /// A side of a pair whose parts are tried one after the other.
  struct Branch {
    Pair pair;
    Side side;
    std::size_t next_part = 0;
  };
  /// The copies of one part.
  struct PartHull {
    Int128 begin, end;
    std::size_t part;
  };

  bool spend(std::size_t steps);
  Overlap meet_copies(LayoutId root, Exact extent, Exact last);
  bool nest_is_disjoint(Placed& placed);
  Placed first_part(const Placed& placed) const;
  Overlap between_loop_copies(const Placed& child, Exact stride, Exact count);
  Overlap between_own_copies(const Placed& placed);
  Overlap between_parts(const Placed& placed);

  /// Whether the two sides of a pair, or with least_of_first any parts of them, share a byte.
  Overlap meet(Pair pair);
  /// Opens loops of both sides until both are solid or one has parts, which is then put on the branches.
  Overlap open(Pair pair);
  bool add_loop(Pair& pair, Side side, Exact stride, Exact count);
  bool move(Pair& pair, Side side, Exact by);
  Reach reach(const Pair& pair);
  void note_witness(const Pair& pair);

  const Layouts& layouts_;
  std::size_t work_;
  StrideSums sums_;
  StrideSums::Goal goal_ = StrideSums::Goal::any;
  std::vector<StrideTerm> terms_;
  std::vector<Side> sides_;  // of the terms
  std::vector<Branch> branches_;
  Exact byte_, copy_;
};

}  // namespace ddtscope
