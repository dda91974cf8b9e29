// Cursors over a layout: what comes out of the walk, merged where neighbours join.
#include "decoder/layout/typemap.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>

#include "decoder/layout/typemap_stream.h"

namespace ddtscope {
/// The pieces in the narrowest arithmetic that does: in 128 bits alone, one by one, the blocks of ci/bench's "blocks"
/// take 33 to 49 ns each in place of 0.13 to 0.33. There is a stream for each unit because a million entries may be one
/// block, and a nest of 10^18 blocks one run of the signature.
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
std::size_t SignatureCursor::next(std::span<SignatureRun> runs) { return stream_->read(runs); }
bool SignatureCursor::seek(Exact run) { return stream_->seek(run); }

namespace {

/// Empty where the node has several children, or it cannot be told.
std::optional<Int128> copies_of_child(const Layouts& layouts, const LayoutNode& node) {
  const bool has_one_child =
      (node.kind == LayoutKind::repeat || node.kind == LayoutKind::parts) && node.children.empty();
  if (!has_one_child) return {};
  const Exact of_one = layouts[node.child].facts.entries;
  if (!node.facts.entries.fits() || !of_one.fits() || of_one == Exact(0)) return {};
  return node.facts.entries.value() / of_one.value();
}

/// Makes of a type's runs those of so many copies of it, until there are `enough`.
void repeat_runs(std::vector<SignatureRun>& runs, Int128 count, std::size_t enough) {
  if (count == 1) return;  // long chains are mostly of such
  if (runs.size() == 1) {
    runs[0].repeat = runs[0].repeat * Exact(count);
    return;
  }
  const std::vector<SignatureRun> one = runs;
  const bool join = one.front().type == one.back().type;
  for (Int128 i = 1; i < count && runs.size() < enough; ++i) {
    if (join) runs.back().repeat += one.front().repeat;
    const std::size_t first = join ? 1 : 0;
    const std::size_t number = std::min(one.size() - first, enough - runs.size());
    runs.insert(runs.end(), one.begin() + static_cast<std::ptrdiff_t>(first),
                one.begin() + static_cast<std::ptrdiff_t>(first + number));
  }
}

std::vector<SignatureRun> read_runs(const Layouts& layouts, LayoutId root, std::size_t limit) {
  const Exact all = layouts[root].facts.signature_runs;
  const bool are_few = all <= Exact(static_cast<Int128>(limit));
  std::vector<SignatureRun> runs(are_few ? static_cast<std::size_t>(all.value()) : limit);
  runs.resize(SignatureCursor(layouts, root).next(runs));
  return runs;
}

}  // namespace

std::vector<SignatureRun> signature_runs(const Layouts& layouts, LayoutId root, std::size_t limit) {
  if (layouts[root].facts.empty()) return {};
  // What a type is copies of is opened once: the runs come again.
  std::vector<Int128> copies;
  for (auto count = copies_of_child(layouts, layouts[root]); count; count = copies_of_child(layouts, layouts[root])) {
    copies.push_back(*count);
    root = layouts[root].child;
  }
  // One more than asked for: the last of these may be joined by what follows.
  const std::size_t enough = limit < SIZE_MAX ? limit + 1 : limit;
  std::vector<SignatureRun> runs = read_runs(layouts, root, enough);
  for (auto count = copies.rbegin(); count != copies.rend() && runs.size() < enough; ++count) {
    repeat_runs(runs, *count, enough);
  }
  runs.resize(std::min(runs.size(), limit));
  return runs;
}

}  // namespace ddtscope
