// Which calls the standard forbids, by what a process has open.
#include "plugin/windows/epoch_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

namespace ddtscope::plugin::epoch_state_test {
namespace {

using enum WindowEventKind;

class EpochStateTest : public ::testing::Test {
 protected:
  /// Whether it is allowed; it is made.
  bool may(Synchronisation call) {
    const bool is_allowed = !state_.lapse_of(call);
    state_.apply(call);
    return is_allowed;
  }
  bool may(WindowEventKind kind) { return may(Synchronisation{.kind = kind}); }
  bool may(WindowEventKind kind, int target) { return may(Synchronisation{.kind = kind, .target = target}); }
  bool may_start(const std::vector<int>& group) { return may(Synchronisation{.kind = start, .group = &group}); }
  bool may_fence(std::uint8_t asserts) { return may(Synchronisation{.kind = fence, .asserts = {asserts}}); }
  bool may_access(int target) {
    const EpochState::Target of{target, target};
    const bool is_allowed = state_.allows(of);
    state_.accessed();
    return is_allowed;
  }
  bool may_access_by_request(int target) { return state_.allows({target, target, true}); }
  bool may_free() const { return !state_.lapse_of_free(); }
  EpochState state_;
};

TEST_F(EpochStateTest, NothingIsOpenAtFirst) {
  EXPECT_FALSE(may_access(0));
  EXPECT_TRUE(may_free());
  EXPECT_NE(state_.lapse_of_access({0, 0}).what.find("outside of any epoch"), std::string::npos);
}

TEST_F(EpochStateTest, FencesOpenAndClose) {
  EXPECT_TRUE(may(fence));
  EXPECT_TRUE(may_free());
  EXPECT_TRUE(may_access(3));
  EXPECT_FALSE(may_free());
  EXPECT_TRUE(may_fence(WindowAsserts::nosucceed));
  EXPECT_TRUE(may_free());
  EXPECT_FALSE(may_access(3));
  EXPECT_NE(state_.lapse_of_access({3, 3}).what.find("MPI_MODE_NOSUCCEED"), std::string::npos);
}

/// A fence begins an epoch only if accesses follow (MPI-4.1 12.5.1).
TEST_F(EpochStateTest, OtherEpochsMayFollowAFenceWithoutAccesses) {
  EXPECT_TRUE(may(fence));
  EXPECT_TRUE(may(lock, 1));
  EXPECT_TRUE(may_access(1));
  EXPECT_TRUE(may(unlock, 1));
  EXPECT_TRUE(may_start({1}));
  EXPECT_TRUE(may_access(1));
  EXPECT_TRUE(may(complete));
  EXPECT_TRUE(may(lock_all));
  EXPECT_TRUE(may_access(2));
  EXPECT_TRUE(may(unlock_all));
  EXPECT_TRUE(may(fence));
  EXPECT_TRUE(may_free());
}

/// Between two fences there is one epoch, or others: not both (MPI-4.1 12.5.1).
TEST_F(EpochStateTest, AFenceBeginsNoneWhereAnotherEpochIsNext) {
  const std::vector<int> group{1};
  const Synchronisation others[][2]{{{.kind = lock, .target = 1}, {.kind = unlock, .target = 1}},
                                    {{.kind = lock_all}, {.kind = unlock_all}},
                                    {{.kind = start, .group = &group}, {.kind = complete}}};
  for (const auto& [begin, end] : others) {
    state_ = {};
    EXPECT_TRUE(may(fence));
    EXPECT_TRUE(may(begin));
    EXPECT_TRUE(may(end));
    EXPECT_FALSE(may_access(1)) << name_of(begin.kind);
    EXPECT_NE(state_.lapse_of_access({1, 1}).what.find("came behind it before any access."), std::string::npos);
    EXPECT_TRUE(may_free());
    EXPECT_TRUE(may(fence));
    EXPECT_TRUE(may_access(1)) << name_of(begin.kind);
  }
}

TEST_F(EpochStateTest, NoFenceStandsWithinOtherEpochs) {
  EXPECT_TRUE(may(lock, 1));
  EXPECT_FALSE(may(fence));
  EXPECT_TRUE(may_fence(WindowAsserts::noprecede | WindowAsserts::nosucceed));  // is no part of any epoch
  EXPECT_TRUE(may(unlock, 1));
  EXPECT_TRUE(may(lock_all));
  EXPECT_NE(state_.lapse_of({.kind = fence})->what.find("within the epoch of MPI_Win_lock_all: "), std::string::npos);
  EXPECT_TRUE(may(unlock_all));
  EXPECT_TRUE(may_start({1}));
  EXPECT_FALSE(may(fence));
  EXPECT_TRUE(may(complete));
  EXPECT_TRUE(may(post));  // an exposure is no access epoch
  EXPECT_TRUE(may(fence));
}

/// MPI-4.1 12.3.5.
TEST_F(EpochStateTest, CallsWithRequestsAreForLocks) {
  EXPECT_FALSE(may_access_by_request(1));
  EXPECT_NE(state_.lapse_of_access({1, 1, true}).what.find("outside of any epoch"), std::string::npos);
  EXPECT_TRUE(may(fence));
  EXPECT_FALSE(may_access_by_request(1));
  EXPECT_NE(state_.lapse_of_access({1, 1, true}).what.find("within the epoch of MPI_Win_fence: "), std::string::npos);
  EXPECT_TRUE(may(lock, 1));
  EXPECT_TRUE(may_access_by_request(1));
  EXPECT_FALSE(may_access_by_request(2));
  EXPECT_NE(state_.lapse_of_access({2, 2, true}).what.find("rank 1 is."), std::string::npos);
  EXPECT_TRUE(may(unlock, 1));
  EXPECT_TRUE(may(lock_all));
  EXPECT_TRUE(may_access_by_request(2));
  EXPECT_TRUE(may(unlock_all));
  EXPECT_TRUE(may_start({1}));
  EXPECT_FALSE(may_access_by_request(1));
  EXPECT_NE(state_.lapse_of_access({1, 1, true}).what.find("within the epoch of MPI_Win_start: "), std::string::npos);
  EXPECT_NE(state_.lapse_of_access({2, 2, true}).what.find("not in the group"), std::string::npos);
}

TEST_F(EpochStateTest, AccessesThatAreRefusedBeginNoEpoch) {
  EXPECT_TRUE(may(fence));
  EXPECT_TRUE(state_.accessed());
  state_.take_back_access();
  EXPECT_TRUE(may_free());
  EXPECT_TRUE(state_.accessed());
  EXPECT_TRUE(state_.accessed());
  state_.take_back_access();
  EXPECT_FALSE(may_free());
  EXPECT_TRUE(may(fence));
  EXPECT_TRUE(may(lock, 1));
  EXPECT_FALSE(state_.accessed());
}

TEST_F(EpochStateTest, OtherEpochsMayNotBeginWithinAFenceEpoch) {
  for (const WindowEventKind kind : {start, lock_all, lock}) {
    state_ = {};
    EXPECT_TRUE(may(fence));
    EXPECT_TRUE(may_access(1));
    EXPECT_FALSE(may(kind, 1)) << name_of(kind);
  }
}

TEST_F(EpochStateTest, OnlyTheGroupOfAStartIsReached) {
  EXPECT_TRUE(may_start({1, 4}));
  EXPECT_TRUE(may_access(4));
  EXPECT_FALSE(may_access(2));
  EXPECT_TRUE(state_.allows({2, -1}));  // nobody knows who that is
  EXPECT_FALSE(may(start));
  EXPECT_FALSE(may(lock, 1));
  EXPECT_FALSE(may_free());
  EXPECT_TRUE(may(complete));
  EXPECT_FALSE(may(complete));
}

TEST_F(EpochStateTest, OnlyWhatIsLockedIsReached) {
  EXPECT_TRUE(may(lock, 1));
  EXPECT_TRUE(may(lock, 2));
  EXPECT_FALSE(may(lock, 2));
  EXPECT_TRUE(may(unlock, 2));
  EXPECT_TRUE(may_access(2));  // it was locked twice
  EXPECT_TRUE(may(unlock, 2));
  EXPECT_FALSE(may_access(2));
  EXPECT_NE(state_.lapse_of_access({2, 2}).what.find("rank 1 is."), std::string::npos);
  EXPECT_TRUE(may(flush, 1));
  EXPECT_FALSE(may(flush_local, 2));
  EXPECT_TRUE(may(flush));
  EXPECT_FALSE(may(unlock_all));
  EXPECT_FALSE(may(lock_all));
  EXPECT_TRUE(may(unlock_all));
  EXPECT_TRUE(may(unlock, 1));
  EXPECT_FALSE(may(unlock, 1));
  EXPECT_FALSE(may(flush));
  EXPECT_FALSE(may(flush_local));
}

TEST_F(EpochStateTest, ExposuresBeginAndEnd) {
  EXPECT_FALSE(may(wait));
  EXPECT_TRUE(may(post));
  EXPECT_FALSE(may_free());
  EXPECT_FALSE(may(post));
  EXPECT_TRUE(may_start({0}));  // at once: an access epoch and an exposure are apart
  EXPECT_TRUE(may(complete));
  EXPECT_TRUE(may(wait));
  EXPECT_FALSE(may_access(0));
  EXPECT_TRUE(may_free());
}

/// Against the text of MPI-4.1 12.5 as sets: which epochs are open is a set of targets for each kind.
TEST_F(EpochStateTest, AgreesWithTheText) {
  std::mt19937 random(7);
  const auto number = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  constexpr int targets = 3;
  for (int run = 0; run < 2000; ++run) {
    state_ = {};
    std::multiset<int> locks;
    bool may_be_fenced = false, has_fence_accesses = false, all = false, posted = false;
    std::optional<std::set<int>> started;
    for (int step = 0; step < 30; ++step) {
      const int target = number(targets - 1);
      const bool is_other_open = started || all || !locks.empty();
      const bool is_any_open = is_other_open || has_fence_accesses;
      // Where another epoch begins, the fence has begun none unless there were accesses.
      const auto begin_other = [&] { may_be_fenced = may_be_fenced && has_fence_accesses; };
      switch (number(9)) {
        case 0: {
          const bool is_last = number(3) == 0;
          ASSERT_EQ(may_fence(is_last ? WindowAsserts::nosucceed : 0), !is_other_open);
          may_be_fenced = !is_last;
          has_fence_accesses = false;
          break;
        }
        case 1: {
          const std::vector<int> group{target};
          ASSERT_EQ(may_start(group), !is_any_open);
          started = {{target}};
          begin_other();
          break;
        }
        case 2:
          ASSERT_EQ(may(complete), started.has_value());
          started.reset();
          break;
        case 3:
          ASSERT_EQ(may(lock, target),
                    locks.count(target) == 0 && !started && !all && (!has_fence_accesses || !locks.empty()));
          locks.insert(target);
          begin_other();
          break;
        case 4:
          ASSERT_EQ(may(unlock, target), locks.count(target) != 0);
          if (const auto found = locks.find(target); found != locks.end()) locks.erase(found);
          break;
        case 5:
          ASSERT_EQ(may(lock_all), !is_any_open);
          all = true;
          begin_other();
          break;
        case 6:
          ASSERT_EQ(may(unlock_all), all);
          all = false;
          break;
        case 7:
          ASSERT_EQ(may(flush, target), all || locks.count(target) != 0);
          break;
        case 8:
          ASSERT_EQ(may(posted ? wait : post), true);
          posted = !posted;
          break;
        default:
          ASSERT_EQ(may_access(target), all || locks.count(target) != 0 || (started && started->count(target) != 0) ||
                                            (may_be_fenced && !is_other_open));
          has_fence_accesses = has_fence_accesses || (may_be_fenced && !is_other_open);
      }
      ASSERT_EQ(may_free(), !started && !all && locks.empty() && !has_fence_accesses && !posted);
    }
  }
}

}  // namespace
}  // namespace ddtscope::plugin::epoch_state_test
