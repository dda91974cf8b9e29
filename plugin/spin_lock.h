// A lock for short critical sections: one exchange when free, yields when contended for long.
#pragma once

#include <sched.h>
#include <time.h>

#include <atomic>

namespace ddtscope::plugin {

class SpinLock {
 public:
  /// Below MPI_THREAD_MULTIPLE the program itself keeps MPI calls apart, and locking can be left out.
  explicit constexpr SpinLock(bool needed = true) : needed_(needed) {}
  void require() { needed_.store(true, std::memory_order_relaxed); }

  void lock() {
    if (!needed_.load(std::memory_order_relaxed)) {
      taken_.store(true, std::memory_order_relaxed);  // for try_lock_for_a_while()
      return;
    }
    while (taken_.exchange(true, std::memory_order_acquire)) wait();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

  /// Gives up after about a second: the holder may be the call that is being interrupted.
  bool try_lock_for_a_while() {
    for (int attempt = 0; attempt < 1000; ++attempt) {
      if (!taken_.exchange(true, std::memory_order_acquire)) return true;
      const timespec millisecond{0, 1000000};
      nanosleep(&millisecond, nullptr);
    }
    return false;
  }

 private:
  void wait() const {
    // With more threads than cores the holder may not be running: do not burn its time slice.
    for (int spins = 0; taken_.load(std::memory_order_relaxed); ++spins) {
      if (spins < 64) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
      } else {
        sched_yield();
      }
    }
  }

  std::atomic<bool> taken_{false};
  std::atomic<bool> needed_;
};

}  // namespace ddtscope::plugin
