// Values of the API as integers that can be computed with.
#pragma once

#include <cstdint>
#include <optional>

#include "decoder/c_api/ddtscope.h"

namespace ddtscope::fuzz {

__extension__ typedef __int128 Wide;

/// Nothing where it does not fit 128 bits.
inline std::optional<Wide> value_of(ddtscope_integer value) {
  if (value.bits == 0) return {};
  return static_cast<Wide>(value.high) * (static_cast<Wide>(1) << 64) + static_cast<Wide>(value.low);
}

inline ddtscope_integer integer_of(Wide value) {
  const auto high = static_cast<std::int64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  return {low, high, value == static_cast<std::int64_t>(low) ? 64 : 128};
}

inline bool is_equal(ddtscope_integer a, ddtscope_integer b) { return value_of(a) == value_of(b); }

}  // namespace ddtscope::fuzz
