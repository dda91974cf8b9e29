// Where two signatures first part, found through their structure: never entry by entry.
#pragma once

#include <cstddef>

#include "decoder/equality/fingerprint.h"

namespace ddtscope {

/// The signature of copies of a layout, as many as are needed. All lengths fit 128 bits.
struct RepeatedSignature {
  Fingerprints& fingerprints;
  LayoutId root;
};

/// The first entry in which the two differ, which must be one of the first `length`. Equal by fingerprint is equal.
/// The two may belong to different stores.
Int128 first_difference(const RepeatedSignature& a, const RepeatedSignature& b, Int128 length);

// The two ways in which it is found: the first is quick where both are made of few constructors, the second one takes
// over, and is sure to end.

struct Search {
  bool is_found = false;
  Int128 entry = 0;  // where not found: all before it is equal
};
/// Follows both structures for so many comparisons at most.
Search follow_structures(const RepeatedSignature& a, const RepeatedSignature& b, Int128 length,
                         std::size_t comparisons);
/// Halves the first `length` entries, of which the first `equal` are known to be equal.
Int128 bisect(const RepeatedSignature& a, const RepeatedSignature& b, Int128 equal, Int128 length);

}  // namespace ddtscope
