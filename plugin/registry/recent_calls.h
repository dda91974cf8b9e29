// Constructor calls made lately, so that the same call from the same place is found by comparing a few words.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "decoder/definition/definition.h"
#include "plugin/base/laned_lock.h"
#include "plugin/registry/place.h"

namespace ddtscope::plugin {

/// The numbers of a constructor call that has no arrays and one oldtype; unused ones are 0.
using CallNumbers = std::array<std::int64_t, 3>;
inline CallNumbers numbers_of(const ConstructorCall& call) {
  return {call.scalars[0], call.scalars[1], call.scalars[2]};
}

/// A call without arrays that has one oldtype, and the counter that counts it; `called` tells combiner and form. In one
/// line of the cache.
class alignas(64) RecentCall {
 public:
  [[gnu::always_inline]] inline bool is(const Place& place, DefinitionId oldtype, const CallNumbers& numbers) const {
    return called_ == place.called && site_ == place.site && oldtype_ == oldtype && numbers_[0] == numbers[0] &&
           numbers_[1] == numbers[1] && numbers_[2] == numbers[2];
  }
  std::uint32_t counter() const { return counter_; }
  void set(const Place& place, DefinitionId oldtype, const CallNumbers& numbers, std::uint32_t counter) {
    called_ = place.called;
    site_ = place.site;
    oldtype_ = oldtype;
    numbers_ = numbers;
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
  CallNumbers numbers_ = {};
  std::uint32_t counter_ = 0;
};

/// A slot for each call in each lane, which calls that share it take from one another. Not synchronised.
class RecentCalls {
 public:
  /// Where this call stands, if it was made lately, or is to stand.
  [[gnu::always_inline]] inline RecentCall& slot_of(const Place& place, DefinitionId oldtype,
                                                    const CallNumbers& numbers, Lane lane = {}) {
    // Small ones, as they mostly are, lie side by side.
    const std::uint64_t words = static_cast<std::uint64_t>(numbers[0]) ^
                                std::rotl(static_cast<std::uint64_t>(numbers[1]), 16) ^
                                std::rotl(static_cast<std::uint64_t>(numbers[2]), 32) ^
                                std::rotl(std::uint64_t{oldtype.value} << 8 ^ place.site.value, 48) ^
                                std::rotl(static_cast<std::uint64_t>(lane), 56);
    return slots_[(words * 0x9E3779B97F4A7C15u) >> (64 - bits)];
  }
  /// The call's counter counts something else from now on.
  void forget(const Place& place, DefinitionId oldtype, const CallNumbers& numbers, std::uint32_t counter) {
    for (std::size_t lane = 0; lane < LanedLock::lanes; ++lane) {
      slot_of(place, oldtype, numbers, Lane(lane)).forget(counter);
    }
  }

 private:
  static constexpr int bits = 10;

  std::array<RecentCall, std::size_t{1} << bits> slots_;
};

}  // namespace ddtscope::plugin
