// A lock for short critical sections: one exchange when free, yields when contended for long.
#pragma once

#include <sched.h>

#include <atomic>

namespace ddtscope::plugin {

class SpinLock {
 public:
  /// Below MPI_THREAD_MULTIPLE the program itself keeps MPI calls apart, and locking can be left out.
  explicit constexpr SpinLock(bool needed = true) : needed_(needed) {}
  void require() { needed_ = true; }

  void lock() {
    if (!needed_) return;
    while (taken_.exchange(true, std::memory_order_acquire)) wait();
  }
  void unlock() {
    if (needed_) taken_.store(false, std::memory_order_release);
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
  bool needed_;
};

}  // namespace ddtscope::plugin
