// How entries stand to the alignment of their basic types: exact for any typemap, in time that grows with the
// description.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "decoder/layout/layout.h"

namespace ddtscope {

/// For each alignment of 2 to 64 the displacements of the entries that have it, modulo that alignment: bit r of
/// masks[i] stands for remainder r modulo 2 << i. Other alignments are not looked at: C has powers of two only.
struct AlignmentMasks {
  std::array<std::uint64_t, 6> masks{};

  bool aligned() const {
    for (const std::uint64_t mask : masks) {
      if ((mask & ~std::uint64_t{1}) != 0) return false;
    }
    return true;
  }
  /// Some address of the buffer, though no aligned one, makes all entries stand at multiples.
  bool could_be_aligned() const;
  friend bool operator==(const AlignmentMasks&, const AlignmentMasks&) = default;
};

/// Of `count` copies, copy k at displacement + k * stride. A value that does not fit 128 bits counts as 0.
struct Placement {
  Exact displacement, count, stride;
};
AlignmentMasks placed(const AlignmentMasks& masks, const Placement& placement);

/// The masks of the nodes of one set of layouts, kept: computed from the leaves up when first asked for. Not
/// synchronised.
class Alignments {
 public:
  const AlignmentMasks& masks(const Layouts& layouts, LayoutId id);

 private:
  std::vector<AlignmentMasks> masks_;  // by LayoutId
};

}  // namespace ddtscope
