// The members of ObservedBounds one by one, for records that have five numbers.
#pragma once

#include <cstdint>
#include <optional>

#include "decoder/definition/definition.h"

namespace ddtscope {

/// In the order that records have: size, lb, extent, true_lb, true_extent.
inline constexpr std::optional<std::int64_t> ObservedBounds::*observed_bounds[] = {
    &ObservedBounds::size, &ObservedBounds::lb, &ObservedBounds::extent, &ObservedBounds::true_lb,
    &ObservedBounds::true_extent};

}  // namespace ddtscope
