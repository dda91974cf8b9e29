// The number of a call site.
#pragma once

#include <compare>
#include <cstdint>

namespace ddtscope::plugin {

/// The innermost frame of a call site, as the trace numbers it; `none` when stacks are off or unavailable.
struct CallSiteId {
  static constexpr std::uint32_t none = UINT32_MAX;

  std::uint32_t value = none;
  bool valid() const { return value != none; }
  friend constexpr auto operator<=>(CallSiteId, CallSiteId) = default;
};

}  // namespace ddtscope::plugin
