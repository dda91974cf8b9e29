// Reading a layout: entries one by one, signature runs, contiguous blocks, and strided runs. Nothing
// here recurses or needs memory beyond the nesting depth and the caller's cap.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "decoder/layout.h"

namespace ddtscope {

/// Streams the typemap in the standard's order.
class TypemapCursor {
 public:
  TypemapCursor(const Layouts& layouts, LayoutId root);
  /// The next entry; false at the end. An empty typemap ends at once.
  bool next(TypemapEntry& entry);

 protected:
  struct Frame {
    LayoutId node;
    Exact base;
    std::size_t part = 0;  // parts: the current part
    Exact copy = 0;        // the current copy within repeat or within the part
  };
  /// `copies` copies of a node, the first one at `base`.
  struct Item {
    LayoutId node;
    Exact base;
    Exact copies;
  };
  /// Moves to the next copies that `take(facts, copies, stride)` accepts as a whole, or to the next basic
  /// node. False at the end.
  template <class Take>
  bool advance(Take take, Item& item);

  const Layouts& layouts_;
  std::vector<Frame> stack_;
};

/// A maximal run of bytes that are contiguous in typemap order.
struct Block {
  Exact displacement;
  Exact length;
};

struct SignatureRun {
  PredefinedId type;
  Exact repeat;
};

/// Streams the runs of equal basic types; uniform subtrees are never opened.
class SignatureCursor : private TypemapCursor {
 public:
  SignatureCursor(const Layouts& layouts, LayoutId root) : TypemapCursor(layouts, root) {}
  bool next(SignatureRun& run);

 private:
  SignatureRun pending_;
  bool has_pending_ = false;
};

/// Streams the contiguous blocks in typemap order; subtrees that are one block are never opened.
class BlockCursor : private TypemapCursor {
 public:
  BlockCursor(const Layouts& layouts, LayoutId root) : TypemapCursor(layouts, root) {}
  bool next(Block& block);

 private:
  Block pending_;
  bool has_pending_ = false;
};

/// The first `limit` runs of the signature, equal neighbours merged; all of them if there are no more
/// (facts().signature_runs says how many there are). Opens only subtrees of more than one basic type.
std::vector<SignatureRun> signature_runs(const Layouts& layouts, LayoutId root, std::size_t limit);

/// The typemap as strided runs: a tree whose order is the typemap's order. A run is either one basic
/// type or a group of runs; `displacement` is the first copy's, relative to the group; `repeat` lists
/// (count, stride in bytes), outermost first.
struct StridedRun {
  PredefinedId type;  // invalid for a group
  std::vector<StridedRun> group;
  Exact displacement;
  std::vector<std::pair<Exact, Exact>> repeat;
};
struct StridedRuns {
  std::vector<StridedRun> runs;
  bool truncated = false;  // more runs, or deeper groups, than were asked for
};
StridedRuns strided_runs(const Layouts& layouts, LayoutId root, std::size_t limit);

}  // namespace ddtscope
