// Whether two buffers touch a byte in common: copies of a type at one place, and of another type at another.
#pragma once

#include <cstddef>
#include <optional>

#include "decoder/coverage/overlap.h"
#include "decoder/layout/layout.h"

namespace ddtscope {

/// `count` copies of a layout, `extent` bytes apart, the first at `at`.
struct PlacedCopies {
  LayoutId root;
  Exact extent, count;
  Exact at = 0;
};

struct SharedByte {
  Overlap answer = Overlap::no;
  std::optional<Exact> byte = std::nullopt;  // after a yes, one that both touch
  bool is_first = false;                     // of all that both touch
};

SharedByte shared_byte(const Layouts& layouts, const PlacedCopies& a, const PlacedCopies& b,
                       std::size_t work_limit = overlap_work_limit);

}  // namespace ddtscope
