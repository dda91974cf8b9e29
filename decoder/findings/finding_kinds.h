// The kinds of findings by name: the rows of the table behind finding_kinds().
#pragma once

#include <cstdint>

#include "decoder/findings/findings.h"

namespace ddtscope {

/// In the order in which findings of equal severity are told: what corrupts memory comes first.
enum class FindingId : std::uint8_t {
  exceeds_int,
  copies_overlap,
  entries_overlap,
  missing_resize,
  misaligned_members,
  not_portable,
  library_disagrees,
  absolute_addresses,
  beyond_bounds,
  negative_lb,
  gap_before_lb,
  negative_extent,
  empty_type,
  empty_blocks,
  removed_markers,
  simpler_type,
};
inline constexpr int finding_kind_count = 16;

const FindingKind& kind_of(FindingId id);

}  // namespace ddtscope
