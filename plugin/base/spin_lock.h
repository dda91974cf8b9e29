// A lock for short critical sections: one exchange when free, yields when contended for long; and as long as the
// program keeps its calls apart itself, no exchange at all.
#pragma once

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace ddtscope::plugin {

/// Taking and leaving it takes 0.3 ns without an exchange, 4.6 ns with one (AMD EPYC), and each call that is counted
/// does so once or twice. What makes an exchange needed later, the state in between and membarrier, costs calls
/// nothing.
///
/// Below MPI_THREAD_MULTIPLE the program itself keeps MPI calls apart, and all that is set is `entered_`. That ends at
/// once when one of its threads opens a session: each has a thread level of its own, and MPI_Session_init may be called
/// while another thread is in a call (MPI-4.1 11.6).
class SpinLock {
 public:
  enum class Needed : std::uint8_t { no, soon, yes };
  explicit constexpr SpinLock(Needed needed = Needed::yes) : needed_(needed) {}

  /// From now on the program does not keep its calls apart. Waits for the thread that holds the lock, if one does.
  void require() {
    Needed before = Needed::no;
    if (needed_.compare_exchange_strong(before, Needed::soon)) {
      // Whoever enters without an exchange has either seen that, or is seen here.
      let_all_threads_see();
      wait_while([&] { return entered_.load(std::memory_order_acquire); });
      needed_.store(Needed::yes, std::memory_order_release);
    } else {
      wait_until_needed();
    }
  }

  // Inline: each call of the program's comes here a few times.
  [[gnu::always_inline]] inline void lock() {
    const Needed needed = needed_.load(std::memory_order_acquire);
    if (needed == Needed::no && enter()) return;
    if (needed != Needed::yes) [[unlikely]]
      wait_until_needed();
    if (taken_.exchange(true, std::memory_order_acquire)) [[unlikely]]
      wait_and_take();
  }
  [[gnu::always_inline]] inline void unlock() {
    // It cannot become `yes` while somebody is in by entered_.
    if (needed_.load(std::memory_order_relaxed) == Needed::yes) {
      taken_.store(false, std::memory_order_release);
    } else {
      entered_.store(false, std::memory_order_release);
    }
  }

  /// Whether an exchange is needed; it stays so.
  bool is_needed() const { return needed_.load(std::memory_order_acquire) == Needed::yes; }
  /// True where none is needed, and nobody is to be kept out: then leave_alone() is to follow. Else nothing is done.
  [[gnu::always_inline]] inline bool try_enter_alone() {
    return needed_.load(std::memory_order_acquire) == Needed::no && enter();
  }
  [[gnu::always_inline]] inline void leave_alone() { entered_.store(false, std::memory_order_release); }
  /// It is needed, or somebody is about to need it.
  [[gnu::noinline]] void wait_until_needed() {
    wait_while([&] { return needed_.load(std::memory_order_acquire) != Needed::yes; });
  }

  template <class Condition>
  static void wait_while(const Condition& condition) {
    // With more threads than cores the holder may not be running: do not burn its time slice.
    for (int spins = 0; condition(); ++spins) {
      if (spins < 64) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
      } else if (spins < 4096) {
        sched_yield();
      } else {
        // The holder may be of a lower priority (SCHED_FIFO), which yielding gives way to never.
        const timespec pause{0, 20'000};
        nanosleep(&pause, nullptr);
      }
    }
  }

  /// False where somebody has it.
  bool try_lock() {
    if (needed_.load(std::memory_order_acquire) == Needed::yes)
      return !taken_.exchange(true, std::memory_order_acquire);
    return !entered_.load(std::memory_order_acquire) && enter();
  }

  /// Gives up after about a second: the holder may be the call that is being interrupted.
  bool try_lock_for_a_while() {
    for (int attempt = 0; attempt < 1000; ++attempt) {
      if (try_lock()) return true;
      const timespec millisecond{0, 1000000};
      nanosleep(&millisecond, nullptr);
    }
    return false;
  }

 private:
  /// False where the lock is needed by now.
  [[gnu::always_inline]] inline bool enter() {
    entered_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the processor's part is in let_all_threads_see()
    if (needed_.load(std::memory_order_relaxed) == Needed::no) [[likely]]
      return true;
    entered_.store(false, std::memory_order_release);
    return false;
  }

  [[gnu::noinline]] void wait_and_take() {
    do {
      wait_while([&] { return taken_.load(std::memory_order_relaxed); });
    } while (taken_.exchange(true, std::memory_order_acquire));
  }

  /// What this thread has written before, all others see, and what they have written before, this one.
  static void let_all_threads_see() {
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return;
    // Not allowed here: what a processor has not written down yet, it will have by then.
    const timespec a_while{0, 20000000};
    nanosleep(&a_while, nullptr);
  }

  std::atomic<bool> taken_{false};
  std::atomic<bool> entered_{false};
  std::atomic<Needed> needed_;
};

}  // namespace ddtscope::plugin
