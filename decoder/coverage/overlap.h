// Whether a datatype touches a byte more than once: exact or "undecided", never a wrong answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "decoder/layout/layout.h"
#include "decoder/layout/typemap.h"

namespace ddtscope {

enum class Overlap : std::uint8_t { no, yes, undecided };
std::string_view text_of(Overlap overlap);

/// Steps of the search that one question may take before it is given up as undecided. Four blocks of a sweep and
/// 16 arguments to be sorted count as one, so that the worst question takes less than 50 ms on a machine of 2020.
inline constexpr std::size_t overlap_work_limit = 65536;

/// Between entries of one copy.
Overlap overlap_within(const Layouts& layouts, LayoutId root, std::size_t work_limit = overlap_work_limit);

/// Between different copies that stand `extent` bytes apart, for any count.
Overlap overlap_of_copies(const Layouts& layouts, LayoutId root, Exact extent,
                          std::size_t work_limit = overlap_work_limit);

/// Anywhere in so many copies: within one or between two.
Overlap overlap_of_count(const Layouts& layouts, LayoutId root, const Copies& copies,
                         std::size_t work_limit = overlap_work_limit);

/// The smallest k >= 1 so that copy 0 and copy k touch the same byte, and one such byte.
struct FirstOverlap {
  Overlap answer = Overlap::no;  // undecided also where copies overlap and the smallest k is not known
  Exact copy = 0;                // k, after a yes
  std::optional<Exact> byte;     // from the buffer's address, where it is known
};
FirstOverlap first_overlapping_copy(const Layouts& layouts, LayoutId root, Exact extent,
                                    std::size_t work_limit = overlap_work_limit);

/// The answer of overlap_of_copies(), and that of first_overlapping_copy() where it was found on the way.
struct OverlapOfCopies {
  Overlap answer = Overlap::no;
  std::optional<FirstOverlap> first;
};
OverlapOfCopies find_overlap_of_copies(const Layouts& layouts, LayoutId root, Exact extent,
                                       std::size_t work_limit = overlap_work_limit);

/// The displacement of a byte that one copy touches twice; empty where there is none, or none was found.
std::optional<Exact> byte_touched_twice(const Layouts& layouts, LayoutId root,
                                        std::size_t work_limit = overlap_work_limit);

/// What one copy touches: whether some bytes twice, and how many at least once, where the sweep can tell. Asked in
/// one, the search is made once.
struct TouchedBytes {
  Overlap overlap = Overlap::no;
  std::optional<Exact> covered;
};
/// `covered` where it is known already whether some bytes are touched twice (overlap_within).
std::optional<Exact> covered_bytes(const Layouts& layouts, LayoutId root, Overlap within,
                                   std::size_t work_limit = overlap_work_limit);
TouchedBytes touched_bytes(const Layouts& layouts, LayoutId root, std::size_t work_limit = overlap_work_limit);

}  // namespace ddtscope
