// Cursors over a layout: what comes out of the walk, merged where neighbours join.
#include "decoder/layout/typemap.h"

#include <optional>
#include <variant>

#include "decoder/layout/typemap_stream.h"

namespace ddtscope {
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

  using Narrow = TypemapStream<Units, NarrowNumbers>;
  /// Null where 64 bits might not do.
  Narrow* narrow() { return std::get_if<Narrow>(&pieces_); }

  std::optional<Block> refused;  // a block that did not fit where narrow ones were asked for

 private:
  using Wide = TypemapStream<Units, WideNumbers>;
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
