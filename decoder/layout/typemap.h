// Reading a layout in order: entries one by one, contiguous blocks, and runs of the signature, with seek, of one
// type or of several copies of it. Nothing here recurses or needs memory beyond the nesting depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decoder/layout/layout.h"

namespace ddtscope {

class LayoutIndex;

/// `count` copies of a type, one every `extent` bytes, as a communication call has them. A count of 0 or less is
/// an empty typemap.
struct Copies {
  Exact count = 1;
  Exact extent = 0;
};

/// A node that stands for the copies: what contiguous(count) makes of a type with that extent.
LayoutNode node_of_copies(const Layouts& layouts, LayoutId root, Copies copies);
LayoutFacts facts_of_copies(const Layouts& layouts, LayoutId root, Copies copies);

/// A maximal run of bytes that are contiguous in typemap order. Bytes; the displacement is relative to the
/// buffer's address.
struct Block {
  Exact displacement;
  Exact length;
};

/// The same in 64 bits.
struct NarrowBlock {
  std::int64_t displacement;
  std::int64_t length;
};

struct SignatureRun {
  PredefinedId type;
  Exact repeat;
};

template <class Units>
class UnitStream;
struct EntryUnits;
struct BlockUnits;
struct RunUnits;

// A cursor stands at the beginning when it is made. Seeking takes O(depth * log(parts)) after a first look at each
// node on the way; what a look found is kept in the index, which cursors may share (it must outlive them) and which a
// cursor that was given none makes for itself. An index, and so the cursors over it, belongs to one thread.

/// Streams the typemap in the standard's order: first all of copy 0, then all of copy 1.
class TypemapCursor {
 public:
  TypemapCursor(const Layouts& layouts, LayoutId root, Copies copies = {});
  TypemapCursor(LayoutIndex& index, LayoutId root, Copies copies = {});
  TypemapCursor(TypemapCursor&&) noexcept;
  TypemapCursor& operator=(TypemapCursor&&) noexcept;
  ~TypemapCursor();
  /// The next entry; false at the end. An empty typemap ends at once.
  bool next(TypemapEntry& entry);
  /// The next entries, as many as there is room for; fewer only at the end. Returns how many.
  std::size_t next(std::span<TypemapEntry> entries);
  /// Goes to entry `entry`, the first one being 0: next() gives that one. False where there is none; the cursor is
  /// then at the end.
  bool seek(Exact entry);

 private:
  std::unique_ptr<UnitStream<EntryUnits>> stream_;
};

/// Streams the contiguous blocks in typemap order: what adjoins is one block, across copies too. Subtrees that are one
/// block are never opened.
class BlockCursor {
 public:
  BlockCursor(const Layouts& layouts, LayoutId root, Copies copies = {});
  BlockCursor(LayoutIndex& index, LayoutId root, Copies copies = {});
  BlockCursor(BlockCursor&&) noexcept;
  BlockCursor& operator=(BlockCursor&&) noexcept;
  ~BlockCursor();
  /// The next block; false at the end.
  bool next(Block& block);
  /// The next blocks, as many as there is room for; fewer only at the end, or where the next block does not fit 64
  /// bits: next(Block&) tells the two apart. Returns how many. Much faster than one by one.
  std::size_t next(std::span<NarrowBlock> blocks);
  /// Goes to block `block`, the first one being 0: next() gives that one, whole. False where there is none, or where
  /// the number of blocks does not fit; the cursor is then at the end.
  bool seek(Exact block);

 private:
  std::unique_ptr<UnitStream<BlockUnits>> stream_;
};

/// Streams the runs of equal basic types; uniform subtrees are never opened.
class SignatureCursor {
 public:
  SignatureCursor(const Layouts& layouts, LayoutId root, Copies copies = {});
  SignatureCursor(LayoutIndex& index, LayoutId root, Copies copies = {});
  SignatureCursor(SignatureCursor&&) noexcept;
  SignatureCursor& operator=(SignatureCursor&&) noexcept;
  ~SignatureCursor();
  /// The next run; false at the end.
  bool next(SignatureRun& run);
  /// The next runs, as many as there is room for; fewer only at the end. Returns how many.
  std::size_t next(std::span<SignatureRun> runs);
  /// Goes to run `run`, the first one being 0; as with blocks.
  bool seek(Exact run);

 private:
  std::unique_ptr<UnitStream<RunUnits>> stream_;
};

/// The first `limit` runs of the signature, equal neighbours merged; all of them if there are no more
/// (facts().signature_runs says how many there are). Opens only subtrees of more than one basic type.
std::vector<SignatureRun> signature_runs(const Layouts& layouts, LayoutId root, std::size_t limit);

}  // namespace ddtscope
