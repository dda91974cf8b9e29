// How long the loops of a folded sequence of operations are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reporters/trace/format/records.h"

namespace ddtscope::reporters {

/// The length of each loop's body, by the loop's place among the elements, where an operation with number n is
/// `length_of(n)` long; of operations 0.
template <class LengthOf>
std::vector<std::uint64_t> body_lengths(std::span<const SequenceElement> elements, LengthOf length_of) {
  std::vector<std::uint64_t> lengths(elements.size());
  // A body stands behind its loop.
  for (std::size_t loop = elements.size(); loop-- > 0;) {
    if (elements[loop].times == 0) continue;
    std::uint64_t length = 0;
    for (std::size_t at = loop + 1; at <= loop + elements[loop].number;) {
      const SequenceElement& element = elements[at];
      length +=
          element.times == 0 ? static_cast<std::uint64_t>(length_of(element.number)) : element.times * lengths[at];
      at += 1 + (element.times == 0 ? 0 : element.number);
    }
    lengths[loop] = length;
  }
  return lengths;
}
/// In operations.
inline std::vector<std::uint64_t> body_lengths(std::span<const SequenceElement> elements) {
  return body_lengths(elements, [](std::uint32_t) { return 1; });
}

}  // namespace ddtscope::reporters
