// True-extent diagnosis: how a type's extent stands to the bytes it really touches (MPI-4.1 5.1.8).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "decoder/coverage/overlap.h"
#include "decoder/layout/layout.h"

namespace ddtscope {

struct Diagnosis {
  Exact bytes_before_lb;  // touched below the lower bound: max(0, lb - true_lb)
  Exact bytes_beyond_ub;  // touched above the upper bound: max(0, true_ub - ub)
  /// Untouched bytes between the true bounds; empty where overlap makes the number undecided.
  std::optional<Exact> hole_bytes;
  Overlap entries_overlap;  // within one copy
  Overlap copies_overlap;   // between copies that stand one extent apart
  /// Memory of copies (span.h) as a formula: `count` >= 1 of them begin `first` bytes from the buffer's address
  /// (plus (count - 1) * extent where the extent is negative) and span span_of_one + (count - 1) * span_per_copy.
  Exact first;          // true_lb
  Exact span_of_one;    // true_extent
  Exact span_per_copy;  // |extent|
};

/// The bytes that `count` copies need, as a formula in `count`: "40 + (count - 1) * 48".
std::string memory_formula(const Diagnosis& diagnosis);

/// With the lower bound and extent in use for this definition (observed where known), and the bytes that
/// its layout touches: a library's own true bounds may be wrong.
Diagnosis diagnose(const Layouts& layouts, DefinitionId id);
/// What diagnose() has to search for.
struct Overlaps {
  Overlap entries;  // overlap_within
  Overlap copies;   // overlap_of_copies, at the extent in use
};
Overlaps overlaps_of(const Layouts& layouts, DefinitionId id);
/// diagnose() where that is known already.
Diagnosis diagnose(const Layouts& layouts, DefinitionId id, const Overlaps& overlaps);

}  // namespace ddtscope
