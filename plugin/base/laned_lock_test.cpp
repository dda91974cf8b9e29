// The lock that falls into lanes: who waits for whom.
#include "plugin/base/laned_lock.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace ddtscope::plugin::laned_lock_test {
namespace {

/// Whether `work` is done within a moment, in another thread. Where it is not, it is waited for when the answer goes.
template <class Work>
std::future<void> begin(const Work& work) {
  return std::async(std::launch::async, work);
}
bool is_done(const std::future<void>& work, std::chrono::milliseconds within) {
  return work.wait_for(within) == std::future_status::ready;
}
constexpr std::chrono::milliseconds a_moment{50};
constexpr std::chrono::milliseconds long_enough{10000};

TEST(LanedLock, LanesDoNotWaitForEachOtherNorForWhatIsDoneBeside) {
  LanedLock lock;
  const std::lock_guard beside(lock.beside());
  const LanedLock::LaneGuard guard(lock, Lane{0});
  EXPECT_TRUE(is_done(begin([&] { const LanedLock::LaneGuard other(lock, Lane{1}); }), long_enough));
}

TEST(LanedLock, OneLaneIsForOneThread) {
  LanedLock lock;
  std::future<void> same;
  {
    const LanedLock::LaneGuard guard(lock, Lane{3});
    same = begin([&] { const LanedLock::LaneGuard other(lock, Lane{3}); });
    EXPECT_FALSE(is_done(same, a_moment));
  }
  EXPECT_TRUE(is_done(same, long_enough));
}

TEST(LanedLock, WhoeverHasEverythingHasWaitedForTheLanesAndIsWaitedFor) {
  LanedLock lock;
  std::future<void> everything, lane;
  std::atomic<bool> has_everything{false}, may_end{false};
  {
    const LanedLock::LaneGuard guard(lock, Lane{15});
    everything = begin([&] {
      const std::lock_guard all(lock);
      has_everything = true;
      while (!may_end) std::this_thread::yield();
    });
    std::this_thread::sleep_for(a_moment);
    EXPECT_FALSE(has_everything);
  }
  while (!has_everything) std::this_thread::yield();
  lane = begin([&] { const LanedLock::LaneGuard other(lock, Lane{2}); });
  EXPECT_FALSE(is_done(lane, a_moment));
  may_end = true;
  EXPECT_TRUE(is_done(lane, long_enough));
}

TEST(LanedLock, IsNotWaitedForForEver) {
  LanedLock lock;
  {
    const LanedLock::LaneGuard guard(lock, Lane{7});
    EXPECT_FALSE(lock.try_lock_for_a_while());
  }
  const LanedLock::LaneGuard others_go_on(lock, Lane{8});
  EXPECT_FALSE(lock.try_lock_for_a_while());
  lock.beside().lock();
  lock.beside().unlock();
}

TEST(LanedLock, BeginsWithoutLanesUntilItIsNeeded) {
  LanedLock lock(SpinLock::Needed::no);
  EXPECT_FALSE(lock.has_lanes());
  ASSERT_TRUE(lock.try_enter_alone());
  std::future<void> needing = begin([&] { lock.require(); });
  EXPECT_FALSE(is_done(needing, a_moment));
  lock.leave_alone();
  ASSERT_TRUE(is_done(needing, long_enough));
  EXPECT_FALSE(lock.try_enter_alone());
  const LanedLock::LaneGuard guard(lock, Lane{0});
}

TEST(LanedLock, NothingGetsLost) {
  constexpr int times = 20000;
  LanedLock lock(SpinLock::Needed::no);
  std::array<long, 4> in_lanes{};  // not atomic: a thread sanitizer sees what the lock lets through
  long beside = 0;
  const auto count = [&](unsigned thread) {
    lock.require();
    for (int i = 0; i < times; ++i) {
      const unsigned lane = (thread + static_cast<unsigned>(i)) % 4;
      {
        const LanedLock::LaneGuard guard(lock, Lane{static_cast<std::uint8_t>(lane)});
        ++in_lanes[lane];
      }
      if (i % 16 == 0) {
        const std::lock_guard guard(lock.beside());
        ++beside;
      }
      if (i % 64 == 0) {
        const std::lock_guard guard(lock);
        for (long& counted : in_lanes) ++counted;
        ++beside;
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) threads.emplace_back(count, i);
  for (std::thread& thread : threads) thread.join();
  constexpr long everything = 4 * ((times + 63) / 64);
  EXPECT_EQ(beside, 4 * ((times + 15) / 16) + everything);
  for (const long counted : in_lanes) EXPECT_EQ(counted, times + everything);
}

}  // namespace
}  // namespace ddtscope::plugin::laned_lock_test
