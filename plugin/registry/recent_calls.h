// Constructor calls made lately, so that the same call from the same place is found by comparing a few words.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "decoder/definition/definition.h"
#include "plugin/registry/place.h"

namespace ddtscope::plugin {

/// A call without arrays that has one oldtype, and the counter that counts it; `called` tells combiner and form. In one
/// line of the cache.
class alignas(64) RecentCall {
 public:
  bool is(const Place& place, DefinitionId oldtype, const ConstructorCall& call) const {
    return called_ == place.called && site_ == place.site && oldtype_ == oldtype && scalars_[0] == call.scalars[0] &&
           scalars_[1] == call.scalars[1] && scalars_[2] == call.scalars[2];
  }
  std::uint32_t counter() const { return counter_; }
  void set(const Place& place, DefinitionId oldtype, const ConstructorCall& call, std::uint32_t counter) {
    called_ = place.called;
    site_ = place.site;
    oldtype_ = oldtype;
    std::copy_n(call.scalars.begin(), std::size(scalars_), scalars_);
    counter_ = counter;
  }
  /// Where it is this counter's: it counts something else from now on.
  void forget(std::uint32_t counter) {
    if (called_ != nullptr && counter_ == counter) *this = RecentCall{};
  }

 private:
  const EntryPoint* called_ = nullptr;
  CallSiteId site_;
  DefinitionId oldtype_;
  std::int64_t scalars_[3] = {};
  std::uint32_t counter_ = 0;
};

/// A slot for each call, which calls that share it take from one another. Not synchronised.
class RecentCalls {
 public:
  /// Where this call stands, if it was made lately, or is to stand.
  RecentCall& slot_of(const Place& place, DefinitionId oldtype, const ConstructorCall& call) {
    const std::uint64_t words =
        static_cast<std::uint64_t>(call.scalars[0]) * 0x9E3779B97F4A7C15u +
        static_cast<std::uint64_t>(call.scalars[1]) * 0xD1B54A32D192ED03u +
        static_cast<std::uint64_t>(call.scalars[2]) * 0xAEF17502108EF2D9u +
        (static_cast<std::uint64_t>(oldtype.value) << 32 ^ place.site.value) * 0x8CB92BA72F3D8DD7u;
    return slots_[(words >> 40) % slots_.size()];
  }

 private:
  std::array<RecentCall, 256> slots_;
};

}  // namespace ddtscope::plugin
