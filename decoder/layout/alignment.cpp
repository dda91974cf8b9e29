// Remainders of displacements modulo alignments. All alignments divide 64, so that remainders modulo 64 do, and
// arithmetic on the lowest bits is exact whatever happens to the others.
#include "decoder/layout/alignment.h"

#include <algorithm>
#include <bit>

namespace ddtscope {
namespace {

constexpr unsigned widest = 64;

unsigned remainder_of(Exact value) { return value.fits() ? static_cast<unsigned>(value.value() & (widest - 1)) : 0; }

/// A mask of `width` bits, turned so that bit r becomes bit (r + by) modulo the width.
std::uint64_t turned(std::uint64_t mask, unsigned by, unsigned width) {
  by %= width;
  if (by == 0) return mask;
  const std::uint64_t all = width == widest ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  return ((mask << by) | (mask >> (width - by))) & all;
}

/// The remainders modulo 64 at which `count` copies stand, one stride apart from 0 on.
std::uint64_t starts(Exact count, unsigned stride) {
  std::uint64_t result = 0;
  unsigned at = 0;
  for (unsigned k = 0; k < widest && Exact(static_cast<std::int64_t>(k)) < count; ++k) {
    result |= std::uint64_t{1} << at;
    at = (at + stride) % widest;
    if (at == 0) break;
  }
  return result;
}

AlignmentMasks placed_at(const AlignmentMasks& masks, std::uint64_t starts) {
  AlignmentMasks result;
  for (; starts != 0; starts &= starts - 1) {
    const unsigned by = static_cast<unsigned>(std::countr_zero(starts));
    for (std::size_t i = 0; i < masks.masks.size(); ++i) result.masks[i] |= turned(masks.masks[i], by, 2u << i);
  }
  return result;
}

void merge(AlignmentMasks& masks, const AlignmentMasks& more) {
  for (std::size_t i = 0; i < masks.masks.size(); ++i) masks.masks[i] |= more.masks[i];
}

AlignmentMasks of_basic(const PredefinedType& type) {
  AlignmentMasks result;
  for (std::size_t i = 0; i < result.masks.size(); ++i) {
    if (type.alignment == std::int64_t{2} << i) result.masks[i] = 1;
  }
  return result;
}

/// Parts with one child for all: where the copies start is gathered first, so that a long array costs a few
/// operations a part.
std::uint64_t starts_of_parts(const LayoutNode& node) {
  const unsigned unit = remainder_of(node.displacement_unit);
  const unsigned stride = remainder_of(node.child_extent);
  std::array<std::uint64_t, widest + 1> of_length;
  for (unsigned n = 0; n <= widest; ++n) of_length[n] = starts(Exact(static_cast<std::int64_t>(n)), stride);
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < node.part_count && ~result != 0; ++i) {
    const std::int64_t blocklength = node.blocklengths.length == 0 ? node.blocklength : node.blocklengths[i];
    if (blocklength <= 0) continue;
    const auto at = static_cast<unsigned>(static_cast<std::uint64_t>(node.displacements[i]) * unit % widest);
    result |= turned(of_length[static_cast<std::size_t>(std::min<std::int64_t>(blocklength, widest))], at, widest);
  }
  return result;
}

AlignmentMasks of_node(const Layouts& layouts, const LayoutNode& node, const std::vector<AlignmentMasks>& children) {
  switch (node.kind) {
    case LayoutKind::empty:
      return {};
    case LayoutKind::basic:
      return of_basic(layouts.store().predefined()[node.basic]);
    case LayoutKind::repeat:
      return placed(children[node.child.value], {0, node.count, node.stride});
    case LayoutKind::parts:
      break;
  }
  if (node.children.empty() && node.child_extents.empty()) {
    return placed_at(children[node.child.value], starts_of_parts(node));
  }
  AlignmentMasks result;
  for (std::size_t i = 0; i < node.part_count; ++i) {
    const LayoutPart part = node.part(i);
    merge(result, placed(children[part.child.value], {part.displacement, part.blocklength, part.extent}));
  }
  return result;
}

}  // namespace

bool AlignmentMasks::could_be_aligned() const {
  for (unsigned by = 0; by < widest; ++by) {
    if (placed_at(*this, std::uint64_t{1} << by).aligned()) return true;
  }
  return false;
}

AlignmentMasks placed(const AlignmentMasks& masks, const Placement& placement) {
  const unsigned stride = remainder_of(placement.stride);
  return placed_at(masks, turned(starts(placement.count, stride), remainder_of(placement.displacement), widest));
}

const AlignmentMasks& Alignments::masks(const Layouts& layouts, LayoutId id) {
  // Children have smaller ids.
  while (masks_.size() <= id.value) {
    masks_.push_back(of_node(layouts, layouts[LayoutId{static_cast<std::uint32_t>(masks_.size())}], masks_));
  }
  return masks_[id.value];
}

}  // namespace ddtscope
