#include "plugin/session/call_times.h"

#include <algorithm>
#include <cstdio>

namespace ddtscope::plugin {
namespace {

constexpr std::array<const char*, timed_roles> words{"constructors", "commits", "frees", "uses", "others"};

}  // namespace

CallTimes::CallTimes() : first_ticks_(ticks_now()), first_ns_(nanoseconds_now()) {}

double CallTimes::ns_per_tick() const {
  const auto ticks = static_cast<double>(ticks_now() - first_ticks_);
  return ticks > 0 ? static_cast<double>(nanoseconds_now() - first_ns_) / ticks : 0;
}

std::string CallTimes::in_words() const {
  const double ns_of_tick = ns_per_tick();
  std::string text;
  for (std::size_t i = 0; i < timed_roles; ++i) {
    const Sum& sum = sums_[i];
    const std::uint64_t timed = sum.timed.load(std::memory_order_relaxed);
    if (timed == 0) continue;
    const auto taken = static_cast<double>(sum.taken.load(std::memory_order_relaxed));
    const double own = std::max(0.0, taken - 2 * static_cast<double>(sum.readings.load(std::memory_order_relaxed)));
    char each[128];
    std::snprintf(each, sizeof each, "%s%s %.1f ns (%llu of %llu calls timed)", text.empty() ? "" : ", ", words[i],
                  own * ns_of_tick / static_cast<double>(timed), static_cast<unsigned long long>(timed),
                  static_cast<unsigned long long>(sum.calls.load(std::memory_order_relaxed)));
    text += each;
  }
  return text;
}

bool CallTimes::counts_and_chooses(TimedRole role) {
  const std::uint64_t calls = of(role).calls.fetch_add(1, std::memory_order_relaxed);
  return (calls * 0x9E3779B97F4A7C15u) >> 58 == 0;
}

void CallTimes::takes_back(TimedRole role) { of(role).calls.fetch_sub(1, std::memory_order_relaxed); }

void CallTimes::add(TimedRole role, Ticks taken) {
  const Ticks first = ticks_now();
  const Ticks second = ticks_now();
  of(role).timed.fetch_add(1, std::memory_order_relaxed);
  of(role).taken.fetch_add(taken, std::memory_order_relaxed);
  of(role).readings.fetch_add(second - first, std::memory_order_relaxed);
}

}  // namespace ddtscope::plugin
