// The plugin's lock, with and without threads.
#include "plugin/base/spin_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace ddtscope::plugin::spin_lock_test {
namespace {

/// A session with MPI_THREAD_MULTIPLE is opened in one thread while another one, the only one until then, is in its
/// calls.
TEST(SpinLock, KeepsThreadsApartFromTheMomentThatItIsNeeded) {
  constexpr int times = 40000;
  for (int trial = 0; trial < 20; ++trial) {
    SpinLock lock(SpinLock::Needed::no);
    long counted = 0;  // not atomic: a thread sanitizer sees what the lock lets through
    std::atomic<int> done{0};
    std::thread first([&] {
      for (int i = 0; i < times; ++i) {
        const std::lock_guard guard(lock);
        ++counted;
        done.store(i, std::memory_order_relaxed);
      }
    });
    const auto other = [&] {
      lock.require();
      for (int i = 0; i < times; ++i) {
        const std::lock_guard guard(lock);
        ++counted;
      }
    };
    while (done.load(std::memory_order_relaxed) < 1000) std::this_thread::yield();
    std::thread second(other), third(other);
    for (std::thread* thread : {&first, &second, &third}) thread->join();
    ASSERT_EQ(counted, 3 * times) << "trial " << trial;
  }
}

TEST(SpinLock, WhoeverNeedsItWaitsForTheOneWhoIsIn) {
  SpinLock lock(SpinLock::Needed::no);
  std::atomic<bool> is_left{false};
  std::atomic<bool> is_in{false};
  std::thread first([&] {
    const std::lock_guard guard(lock);
    is_in = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    is_left = true;
  });
  while (!is_in) std::this_thread::yield();
  lock.require();
  EXPECT_TRUE(is_left);
  first.join();
}

TEST(SpinLock, IsNotWaitedForForEver) {
  for (const auto needed : {SpinLock::Needed::no, SpinLock::Needed::yes}) {
    SpinLock lock(needed);
    ASSERT_TRUE(lock.try_lock_for_a_while());
    EXPECT_FALSE(lock.try_lock_for_a_while());
    lock.unlock();
    lock.lock();
    EXPECT_FALSE(lock.try_lock_for_a_while());
    lock.unlock();
    EXPECT_TRUE(lock.try_lock_for_a_while());
  }
}

}  // namespace
}  // namespace ddtscope::plugin::spin_lock_test
