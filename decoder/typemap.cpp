// Cursors over a layout: what comes out of the walk, merged where neighbours join.
#include "decoder/typemap.h"

#include <optional>
#include <variant>

#include "decoder/typemap_walk.h"

namespace ddtscope {
namespace {

/// How a kind of unit comes out: a piece for the first copy of a run (for all copies where they join), the next copy's
/// piece, and whether a piece goes on with the one before.
template <class Units, class Numbers>
struct Pieces;

template <class Numbers>
struct Pieces<EntryUnits, Numbers> {
  using Number = typename Numbers::Number;
  struct Piece {
    PredefinedId type;
    Number displacement = 0;
  };
  static constexpr bool may_join = false;
  static Piece first(UnitRun<Number>& run) {
    return {run.unit->first_type, run.base + Numbers::of(run.unit->first_displacement)};
  }
  static void step(Piece& piece, Number stride) { piece.displacement += stride; }
  static void put(TypemapEntry& out, const Piece& piece) { out = {piece.type, Numbers::exact(piece.displacement)}; }
};

template <class Numbers>
struct Pieces<BlockUnits, Numbers> {
  using Number = typename Numbers::Number;
  struct Piece {
    Number displacement = 0;
    Number length = 0;
  };
  static constexpr bool may_join = true;
  static Piece first(UnitRun<Number>& run) {
    const Number begin = Numbers::of(run.unit->first_displacement);
    Piece piece = {run.base + begin, Numbers::of(run.unit->size)};
    if (!(run.copies == Number(1)) && Numbers::of(run.unit->last_end) == begin + run.stride) {
      piece.length = piece.length * run.copies;
      run.copies = 1;
    }
    return piece;
  }
  static void step(Piece& piece, Number stride) { piece.displacement += stride; }
  static bool join(Piece& open, const Piece& next) {
    if (!(open.displacement + open.length == next.displacement)) return false;
    open.length += next.length;
    return true;
  }
  static void put(Block& out, const Piece& piece) {
    out = {Numbers::exact(piece.displacement), Numbers::exact(piece.length)};
  }
  static void put(NarrowBlock& out, const Piece& piece) {
    out = {static_cast<std::int64_t>(piece.displacement), static_cast<std::int64_t>(piece.length)};
  }
};

template <class Numbers>
struct Pieces<RunUnits, Numbers> {
  using Number = typename Numbers::Number;
  struct Piece {
    PredefinedId type;
    Number repeat = 0;
  };
  static constexpr bool may_join = true;
  static Piece first(UnitRun<Number>& run) {
    const Piece piece = {run.unit->first_type, run.copies * Numbers::of(run.unit->entries)};
    run.copies = 1;
    return piece;
  }
  static void step(Piece&, Number) {}
  static bool join(Piece& open, const Piece& next) {
    if (open.type != next.type) return false;
    open.repeat += next.repeat;
    return true;
  }
  static void put(SignatureRun& out, const Piece& piece) { out = {piece.type, Numbers::exact(piece.repeat)}; }
};

/// The pieces of a walk in order. A piece that may join the next is held back until the next is seen.
template <class Units, class Numbers>
class PieceStream {
 public:
  using Kind = Pieces<Units, Numbers>;
  using Number = typename Numbers::Number;

  PieceStream(const Layouts& layouts, const LayoutNode& top) : walk_(layouts, top) { load(walk_.begin(run_)); }

  bool seek(LayoutIndex& index, Exact unit) {
    is_open_ = false;
    load(walk_.seek(index, unit, run_));
    return run_.copies != Number(0);
  }

  template <class Out>
  std::size_t read(Out* out, std::size_t room) {
    std::size_t written = 0;
    while (true) {
      if (run_.copies == Number(0) && !load(walk_.advance(run_))) {
        if (is_open_ && written < room) {
          Kind::put(out[written++], open_);
          is_open_ = false;
        }
        return written;
      }
      if constexpr (Kind::may_join) {
        if (!is_open_) {
          open_ = next_;
          is_open_ = true;
        } else if (!Kind::join(open_, next_)) {
          if (written == room) return written;
          Kind::put(out[written++], open_);
          open_ = next_;
        }
        step();
      }
      if (written < room) written += read_copies(out + written, room - written);
      if (!Kind::may_join && written == room) return written;
    }
  }

 private:
  bool load(bool found) {
    if (found) {
      next_ = Kind::first(run_);
    } else {
      run_.copies = 0;
    }
    return found;
  }

  void step() {
    Kind::step(next_, run_.stride);
    run_.copies = run_.copies - 1;
  }

  /// Copies of one run never join each other.
  template <class Out>
  std::size_t read_copies(Out* out, std::size_t room) {
    std::size_t written = 0;
    for (; written < room && run_.copies != Number(0); ++written) {
      if constexpr (Kind::may_join) {
        Kind::put(out[written], open_);
        open_ = next_;
      } else {
        Kind::put(out[written], next_);
      }
      step();
    }
    return written;
  }

  Walk<Units, Numbers> walk_;
  UnitRun<Number> run_;        // what is left of the current run
  typename Kind::Piece next_;  // its next copy
  typename Kind::Piece open_;  // what came before
  bool is_open_ = false;
};

}  // namespace

/// The pieces in the narrowest arithmetic that does.
template <class Units>
class UnitStream {
 public:
  UnitStream(const Layouts& layouts, LayoutIndex* index, LayoutId root, Copies copies)
      : layouts_(layouts), index_(index), top_(node_of_copies(layouts, root, copies)), pieces_(narrow_or_wide()) {}

  bool seek(Exact unit) {
    if (index_ == nullptr) index_ = &own_index_.emplace(layouts_);
    return std::visit([&](auto& pieces) { return pieces.seek(*index_, unit); }, pieces_);
  }

  template <class Out>
  std::size_t read(std::span<Out> out) {
    return std::visit([&](auto& pieces) { return pieces.read(out.data(), out.size()); }, pieces_);
  }

  using Narrow = PieceStream<Units, NarrowNumbers>;
  /// Null where 64 bits might not do.
  Narrow* narrow() { return std::get_if<Narrow>(&pieces_); }

  std::optional<Block> refused;  // a block that did not fit where narrow ones were asked for

 private:
  using Wide = PieceStream<Units, WideNumbers>;
  std::variant<Narrow, Wide> narrow_or_wide() const {
    if (NarrowNumbers::suffice(top_.facts)) return Narrow(layouts_, top_);
    return Wide(layouts_, top_);
  }

  const Layouts& layouts_;
  LayoutIndex* index_;
  std::optional<LayoutIndex> own_index_;
  LayoutNode top_;
  std::variant<Narrow, Wide> pieces_;
};

LayoutNode node_of_copies(const Layouts& layouts, LayoutId root, Copies copies) {
  LayoutNode node;
  node.kind = LayoutKind::repeat;
  node.count = copies.count;
  node.stride = copies.extent;
  node.child = root;
  node.facts = facts_of(layouts, node);
  return node;
}

LayoutFacts facts_of_copies(const Layouts& layouts, LayoutId root, Copies copies) {
  return node_of_copies(layouts, root, copies).facts;
}

TypemapCursor::TypemapCursor(const Layouts& layouts, LayoutId root, Copies copies)
    : stream_(std::make_unique<UnitStream<EntryUnits>>(layouts, nullptr, root, copies)) {}
TypemapCursor::TypemapCursor(LayoutIndex& index, LayoutId root, Copies copies)
    : stream_(std::make_unique<UnitStream<EntryUnits>>(index.layouts(), &index, root, copies)) {}
TypemapCursor::TypemapCursor(TypemapCursor&&) noexcept = default;
TypemapCursor& TypemapCursor::operator=(TypemapCursor&&) noexcept = default;
TypemapCursor::~TypemapCursor() = default;

bool TypemapCursor::next(TypemapEntry& entry) { return stream_->read(std::span(&entry, 1)) == 1; }
std::size_t TypemapCursor::next(std::span<TypemapEntry> entries) { return stream_->read(entries); }
bool TypemapCursor::seek(Exact entry) { return stream_->seek(entry); }

BlockCursor::BlockCursor(const Layouts& layouts, LayoutId root, Copies copies)
    : stream_(std::make_unique<UnitStream<BlockUnits>>(layouts, nullptr, root, copies)) {}
BlockCursor::BlockCursor(LayoutIndex& index, LayoutId root, Copies copies)
    : stream_(std::make_unique<UnitStream<BlockUnits>>(index.layouts(), &index, root, copies)) {}
BlockCursor::BlockCursor(BlockCursor&&) noexcept = default;
BlockCursor& BlockCursor::operator=(BlockCursor&&) noexcept = default;
BlockCursor::~BlockCursor() = default;

bool BlockCursor::next(Block& block) {
  if (stream_->refused) {
    block = *stream_->refused;
    stream_->refused.reset();
    return true;
  }
  return stream_->read(std::span(&block, 1)) == 1;
}

std::size_t BlockCursor::next(std::span<NarrowBlock> blocks) {
  if (auto* narrow = stream_->narrow()) return narrow->read(blocks.data(), blocks.size());
  std::size_t written = 0;
  for (Block block; written < blocks.size() && next(block); ++written) {
    const auto displacement = block.displacement.to_int64();
    const auto length = block.length.to_int64();
    if (!displacement || !length) {
      stream_->refused = block;
      break;
    }
    blocks[written] = {*displacement, *length};
  }
  return written;
}

bool BlockCursor::seek(Exact block) {
  stream_->refused.reset();
  return stream_->seek(block);
}

SignatureCursor::SignatureCursor(const Layouts& layouts, LayoutId root, Copies copies)
    : stream_(std::make_unique<UnitStream<RunUnits>>(layouts, nullptr, root, copies)) {}
SignatureCursor::SignatureCursor(LayoutIndex& index, LayoutId root, Copies copies)
    : stream_(std::make_unique<UnitStream<RunUnits>>(index.layouts(), &index, root, copies)) {}
SignatureCursor::SignatureCursor(SignatureCursor&&) noexcept = default;
SignatureCursor& SignatureCursor::operator=(SignatureCursor&&) noexcept = default;
SignatureCursor::~SignatureCursor() = default;

bool SignatureCursor::next(SignatureRun& run) { return stream_->read(std::span(&run, 1)) == 1; }
bool SignatureCursor::seek(Exact run) { return stream_->seek(run); }

std::vector<SignatureRun> signature_runs(const Layouts& layouts, LayoutId root, std::size_t limit) {
  std::vector<SignatureRun> runs;
  SignatureCursor cursor(layouts, root);
  SignatureRun run;
  while (runs.size() < limit && cursor.next(run)) runs.push_back(run);
  return runs;
}

}  // namespace ddtscope
