// Whether a datatype touches a byte more than once: exact or "undecided", never a wrong answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "decoder/layout.h"

namespace ddtscope {

enum class Overlap : std::uint8_t { no, yes, undecided };
std::string_view text_of(Overlap overlap);

/// How many blocks the sweep may look at before it gives up as undecided.
inline constexpr std::size_t overlap_work_limit = 65536;

/// Between entries of one copy.
Overlap overlap_within(const Layouts& layouts, LayoutId root, std::size_t work_limit = overlap_work_limit);

/// Between different copies that stand `extent` bytes apart, for any count.
Overlap overlap_of_copies(const Layouts& layouts, LayoutId root, Exact extent,
                          std::size_t work_limit = overlap_work_limit);

/// Bytes touched at least once, where the sweep can tell.
std::optional<Exact> bytes_covered(const Layouts& layouts, LayoutId root, std::size_t work_limit = overlap_work_limit);

}  // namespace ddtscope
