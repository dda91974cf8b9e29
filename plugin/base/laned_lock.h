// A lock for what falls into lanes: calls that need no more than one lane keep out of each other's way, and whoever
// needs more shuts all lanes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>

#include "plugin/base/spin_lock.h"

namespace ddtscope::plugin {

/// One of LanedLock::lanes, from 0 on.
enum class Lane : std::uint8_t {};

/// What threads do most often touches a few words that no other thread is about to touch. With one lock for all, these
/// calls wait for each other, and each fetches the lock from another processor's cache: eight threads on two processors
/// that make, commit and free types took 3.9 times as long as without the plugin. So there are four ways in:
///
/// - alone: as long as nobody is to be kept out (SpinLock::Needed::no). Whoever is in has everything.
/// - lock(): everything. It shuts the lanes, and waits for those who are in one.
/// - beside(): everything but what belongs to the lanes, which others may be in.
/// - lock_lane(): what belongs to one lane, and to look at what is changed by those alone who have everything.
class LanedLock {
 public:
  // Of two threads that run at once one in 32 waits for the other; whoever needs everything looks at each lane.
  static constexpr int lane_bits = 5;
  static constexpr std::size_t lanes = std::size_t{1} << lane_bits;

  explicit LanedLock(SpinLock::Needed needed = SpinLock::Needed::yes)
      : whole_(needed), lanes_(std::make_unique<State[]>(lanes)) {}

  /// From now on several threads may call at once: as SpinLock::require().
  void require() { whole_.require(); }
  /// Whether there may be others in lanes. Once that is so, it stays so.
  bool has_lanes() const { return whole_.is_needed(); }

  /// True where nobody is to be kept out; then leave_alone() is to follow. Else nothing is done.
  [[gnu::always_inline]] inline bool try_enter_alone() { return whole_.try_enter_alone(); }
  [[gnu::always_inline]] inline void leave_alone() { whole_.leave_alone(); }
  /// Leaves, after try_enter_alone() was true.
  class AloneGuard {
   public:
    [[gnu::always_inline]] explicit AloneGuard(LanedLock& lock) : lock_(lock) {}
    [[gnu::always_inline]] ~AloneGuard() { lock_.leave_alone(); }
    AloneGuard(const AloneGuard&) = delete;
    AloneGuard& operator=(const AloneGuard&) = delete;

   private:
    LanedLock& lock_;
  };

  void lock() {
    whole_.lock();
    if (has_lanes()) [[unlikely]]
      shut();
  }
  void unlock() {
    if (is_shut_.load(std::memory_order_relaxed)) [[unlikely]]
      is_shut_.store(false, std::memory_order_release);
    whole_.unlock();
  }
  /// As SpinLock's: a lane, too, may belong to the call that is being interrupted.
  bool try_lock_for_a_while() {
    if (!whole_.try_lock_for_a_while()) return false;
    if (!has_lanes()) return true;
    is_shut_.store(true, std::memory_order_seq_cst);
    for (int attempt = 0; attempt < 1000; ++attempt) {
      if (are_empty()) return true;
      const timespec millisecond{0, 1000000};
      nanosleep(&millisecond, nullptr);
    }
    unlock();
    return false;
  }

  SpinLock& beside() { return whole_; }

  /// Only where try_enter_alone() was false.
  [[gnu::always_inline]] inline void lock_lane(Lane lane) {
    if (!has_lanes()) [[unlikely]]
      whole_.wait_until_needed();
    std::atomic<bool>& taken = taken_of(lane);
    // Whoever shuts the lanes sees that this one is taken, or is seen here: all of that is in one order (seq_cst).
    if (taken.exchange(true, std::memory_order_seq_cst)) [[unlikely]]
      wait_and_take(taken);
    while (is_shut_.load(std::memory_order_seq_cst)) [[unlikely]] give_way(taken);
  }
  [[gnu::always_inline]] inline void unlock_lane(Lane lane) { taken_of(lane).store(false, std::memory_order_release); }
  class LaneGuard {
   public:
    [[gnu::always_inline]] LaneGuard(LanedLock& lock, Lane lane) : lock_(lock), lane_(lane) { lock.lock_lane(lane); }
    [[gnu::always_inline]] ~LaneGuard() { lock_.unlock_lane(lane_); }
    LaneGuard(const LaneGuard&) = delete;
    LaneGuard& operator=(const LaneGuard&) = delete;

   private:
    LanedLock& lock_;
    const Lane lane_;
  };

 private:
  /// In a line of the cache of its own.
  struct alignas(64) State {
    std::atomic<bool> taken{false};
  };
  std::atomic<bool>& taken_of(Lane lane) { return lanes_[static_cast<std::size_t>(lane)].taken; }

  [[gnu::noinline]] void shut() {
    is_shut_.store(true, std::memory_order_seq_cst);
    SpinLock::wait_while([&] { return !are_empty(); });
  }
  bool are_empty() const {
    for (std::size_t i = 0; i < lanes; ++i) {
      if (lanes_[i].taken.load(std::memory_order_seq_cst)) return false;
    }
    return true;
  }
  [[gnu::noinline]] static void wait_and_take(std::atomic<bool>& taken) {
    do {
      SpinLock::wait_while([&] { return taken.load(std::memory_order_relaxed); });
    } while (taken.exchange(true, std::memory_order_seq_cst));
  }
  /// This thread has taken the lane, and all are shut.
  [[gnu::noinline]] void give_way(std::atomic<bool>& taken) {
    taken.store(false, std::memory_order_release);
    SpinLock::wait_while([&] { return is_shut_.load(std::memory_order_relaxed); });
    wait_and_take(taken);
  }

  // Few words, which lie beside what most calls look at anyway.
  SpinLock whole_;
  std::atomic<bool> is_shut_{false};
  const std::unique_ptr<State[]> lanes_;
};

}  // namespace ddtscope::plugin
