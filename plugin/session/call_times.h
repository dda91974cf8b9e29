// What the plugin takes of the program's calls, in the program itself: for DDTSCOPE_TIME_CALLS. One call in 64 is
// timed.
#pragma once

#include <time.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ddtscope::plugin {

/// What calls are told apart by.
enum class TimedRole : std::uint8_t { makes, commits, frees, uses, other };
inline constexpr std::size_t timed_roles = 5;

using Ticks = std::uint64_t;

inline std::uint64_t nanoseconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

/// The processor's counter, which runs evenly whatever the processor does; where there is none, nanoseconds.
[[gnu::always_inline]] inline Ticks ticks_now() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  Ticks ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return nanoseconds_now();
#endif
}

/// Sums, by role. Any thread may add.
class CallTimes {
 public:
  CallTimes();

  /// Counts a call. True for one in 64, by no rhythm that a program's loop may have, too.
  [[gnu::cold, gnu::noinline]] bool counts_and_chooses(TimedRole role);
  /// A call that turned out to be none of the program's.
  [[gnu::cold, gnu::noinline]] void takes_back(TimedRole role);
  /// The plugin's part of a call that was chosen, by two pairs of readings.
  [[gnu::cold, gnu::noinline]] void add(TimedRole role, Ticks taken);

  /// "constructors 81.0 ns (193 of 12345 calls timed), frees ..."; empty where no call was timed.
  std::string in_words() const;

 private:
  struct Sum {
    std::atomic<std::uint64_t> calls{0}, timed{0};
    std::atomic<Ticks> taken{0};     // with two pairs of readings each
    std::atomic<Ticks> readings{0};  // a pair of readings each, at the speed that the processor had then
  };
  Sum& of(TimedRole role) { return sums_[static_cast<std::size_t>(role)]; }
  /// By what both clocks tell since the beginning.
  double ns_per_tick() const;

  std::array<Sum, timed_roles> sums_{};
  Ticks first_ticks_ = 0;
  std::uint64_t first_ns_ = 0;
};

/// A call on its way through a wrapper. Costs a comparison or two where nothing is timed.
class TimedCall {
 public:
  /// `times` is null where nothing is timed.
  [[gnu::always_inline]] TimedCall(CallTimes* times, TimedRole role) : times_(times), role_(role) {
    if (times_ != nullptr) [[unlikely]] {
      is_chosen_ = times_->counts_and_chooses(role_);
      began_ = ticks_now();
    }
  }
  [[gnu::always_inline]] ~TimedCall() {
    if (is_chosen_) [[unlikely]]
      times_->add(role_, taken_ + (ticks_now() - began_));
  }
  TimedCall(const TimedCall&) = delete;
  TimedCall& operator=(const TimedCall&) = delete;

  /// It is not the program's call.
  [[gnu::always_inline]] void leave_out() {
    if (times_ != nullptr) [[unlikely]]
      times_->takes_back(role_);
    is_chosen_ = false;
  }
  /// Runs the library's part, which does not count.
  template <class Library>
  [[gnu::always_inline]] int around(const Library& library) {
    if (!is_chosen_) [[likely]]
      return library();
    taken_ += ticks_now() - began_;
    const int status = library();
    began_ = ticks_now();
    return status;
  }

 private:
  CallTimes* const times_;
  const TimedRole role_;
  bool is_chosen_ = false;
  Ticks began_ = 0;
  Ticks taken_ = 0;
};

}  // namespace ddtscope::plugin
