// What debuggers see of windows, by MPI-4.1 12.5: which epochs are open, and which accesses are not complete.
#include <string>

#include "plugin/windows/windows_fixture.h"

namespace ddtscope::plugin::debug_windows_test {
namespace {

using trace::DebugWindow;
using trace::DebugWindowChange;
using trace::DebugWindowEvent;
using enum WindowEventKind;

class DebugWindowsTest : public WindowsTest {
 protected:
  void SetUp() override {
    WindowsTest::SetUp();
    make(window, world);
  }
  std::size_t places() { return table() != nullptr ? table()->used : 0; }
  /// As a debugger sees it now.
  DebugWindow seen(std::size_t number = 0) {
    DebugWindow copy = reinterpret_cast<const DebugWindow*>(table() + 1)[number];
    if (copy.ticket != 0 && copy.ticket == copy.returned) DebugWindowChange(copy).apply_last();
    return copy;
  }
  /// "fence; 2 at 1: 0 +8 x3", a word for each epoch and each run of accesses.
  std::string open() {
    const DebugWindow told = seen();
    std::string words;
    for (std::uint32_t i = 0; i < told.epochs_used; ++i) {
      const DebugWindowEvent& epoch = told.epochs[i];
      words += std::string(name_of(trace::kind_of(epoch)));
      if (epoch.target >= 0) words += " " + std::to_string(epoch.target);
      words += epoch.is_exclusive != 0 ? " exclusive; " : "; ";
    }
    for (std::uint32_t i = 0; i < told.accesses_used; ++i) {
      const DebugWindowEvent& one = told.accesses[i];
      words += "at " + std::to_string(one.target) + ": " + std::to_string(one.displacement);
      if (one.times != 1) words += " +" + std::to_string(one.step) + " x" + std::to_string(one.times);
      if (one.at_origin != 0) words += ", " + std::to_string(one.at_origin) + " at the origin";
      words += "; ";
    }
    if (told.accesses_left_out != 0) words += std::to_string(told.accesses_left_out) + " more; ";
    return words;
  }
  /// A call that comes back.
  void synchronises(SynchronisingCall what) { DebugWindows::came_back(begins(what).shown); }
  WindowAccesses::Begun begins(SynchronisingCall what) {
    what.window = window;
    what.called = &sync_entry;
    what.stack = &stack_;
    return windows_->begin(what);
  }

 private:
  trace::DebugTable* table() {
    return reinterpret_cast<trace::DebugTable*>(memory_.table(trace::DebugTableKind::windows));
  }
};

TEST_F(DebugWindowsTest, AWindowIsThereWhileItIsAlive) {
  const DebugWindow told = seen();
  EXPECT_EQ(told.handle, window);
  EXPECT_EQ(told.size, 800);
  EXPECT_EQ(told.displacement_unit, 8);
  EXPECT_EQ(told.predefined, 1u);
  EXPECT_EQ(told.line, 0u);
  make(window + 1, other);
  EXPECT_EQ(seen(1).predefined, 0u);
  DebugWindows::Place place = windows_->freeing(window, free_entry, stack_);
  EXPECT_EQ(seen().is_alive, 1u) << "the call waits for the others";
  windows_->freed(window, place);
  EXPECT_EQ(seen().is_alive, 0u);
  make(window + 2, other);
  EXPECT_EQ(places(), 2u) << "the place is another's now";
  EXPECT_EQ(seen().handle, window + 2);
}

TEST_F(DebugWindowsTest, AFenceThatHasNotComeBackHasEndedNothing) {
  synchronises({.kind = WindowEventKind::fence});
  EXPECT_EQ(open(), "fence; ");
  puts(1, 0);
  puts(1, 8);
  puts(1, 16);
  puts(2, 0);
  EXPECT_EQ(open(), "fence; at 1: 0 +8 x3; at 2: 0; ");
  const auto begun = begins({.kind = WindowEventKind::fence});
  EXPECT_EQ(open(), "fence; at 1: 0 +8 x3; at 2: 0; ");
  DebugWindows::came_back(begun.shown);
  EXPECT_EQ(open(), "fence; ");
  puts(1, 0);
  synchronises({.kind = WindowEventKind::fence, .asserts = {WindowAsserts::nosucceed}});
  EXPECT_EQ(open(), "");
}

TEST_F(DebugWindowsTest, AnAccessBehindACallThatWaitsIsNotItsToComplete) {
  synchronises({.kind = lock_all});
  puts(1, 0);
  const auto begun = begins({.kind = flush});
  puts(1, 8);  // by another thread
  DebugWindows::came_back(begun.shown);
  EXPECT_EQ(open(), "lock_all; at 1: 8; ");
}

TEST_F(DebugWindowsTest, LocksAndFlushesEndWhatIsTheirs) {
  synchronises({.kind = lock, .target = 1, .is_exclusive = true});
  synchronises({.kind = lock, .target = 2});
  puts(1, 0);
  puts(2, 0);
  EXPECT_EQ(open(), "lock 1 exclusive; lock 2; at 1: 0; at 2: 0; ");
  synchronises({.kind = flush, .target = 1});
  EXPECT_EQ(open(), "lock 1 exclusive; lock 2; at 2: 0; ");
  puts(1, 8);
  synchronises({.kind = flush_local, .target = 2});
  EXPECT_EQ(open(), "lock 1 exclusive; lock 2; at 2: 0, 1 at the origin; at 1: 8; ");
  synchronises({.kind = unlock, .target = 1});
  EXPECT_EQ(open(), "lock 2; at 2: 0, 1 at the origin; ");
  synchronises({.kind = unlock, .target = 2});
  EXPECT_EQ(open(), "");
}

TEST_F(DebugWindowsTest, StartAndPostHaveTheirGroups) {
  groups_.ranks_of_group[7] = {1, 2, 3};
  groups_.ranks_of_group[8] = {0};
  synchronises({.kind = post, .group = 7});
  synchronises({.kind = start, .group = 8});
  const DebugWindow told = seen();
  EXPECT_EQ(told.posted.processes, 3u);
  EXPECT_EQ(told.posted.runs[0][1], 3);
  EXPECT_EQ(told.started.processes, 1u);
  puts(0, 0);
  EXPECT_EQ(open(), "post; start; at 0: 0; ");
  synchronises({.kind = complete});
  EXPECT_EQ(open(), "post; ");
  synchronises({.kind = wait});
  EXPECT_EQ(open(), "");
}

TEST_F(DebugWindowsTest, AFenceThatNoAccessHasFollowedIsNoEpochBesideALock) {
  synchronises({.kind = WindowEventKind::fence});
  synchronises({.kind = lock, .target = 1});
  EXPECT_EQ(open(), "lock 1; ");
}

TEST_F(DebugWindowsTest, ManyAccessesAreCounted) {
  synchronises({.kind = WindowEventKind::fence});
  constexpr std::size_t more = 5;
  for (std::size_t i = 0; i < DebugWindow::most_accesses + more; ++i) {
    puts(static_cast<std::intptr_t>(i % 2 + 1), static_cast<std::intptr_t>(8 * i));
  }
  EXPECT_EQ(seen().accesses_used, DebugWindow::most_accesses);
  EXPECT_EQ(seen().accesses_left_out, more);
  synchronises({.kind = WindowEventKind::fence});
  EXPECT_EQ(open(), "fence; ");
}

TEST_F(DebugWindowsTest, RequestsAreCompleteAtTheOrigin) {
  synchronises({.kind = lock_all});
  rputs(1, 0, {77, 5});
  rputs(1, 8, {78, 6});
  EXPECT_EQ(open(), "lock_all; at 1: 0 +8 x2; ");
  windows_->request_completed({77, 5}, windows_->last_awaited());
  EXPECT_EQ(open(), "lock_all; at 1: 0 +8 x2, 1 at the origin; ");
}

TEST_F(DebugWindowsTest, WhatHasFailedWasNone) {
  synchronises({.kind = WindowEventKind::fence});
  puts(1, 0);
  puts(1, 8, 5, window, CallOutcome::failed);
  EXPECT_EQ(open(), "fence; at 1: 0; ");
}

TEST_F(DebugWindowsTest, OneThatWasNotFreedIsThereUntilItIs) {
  windows_->not_freed(windows_->freeing(window, free_entry, stack_));
  EXPECT_EQ(seen().is_alive, 1u);
  EXPECT_EQ(seen().is_unknown, 1u);
  windows_->freed(window, windows_->freeing(window, free_entry, stack_));  // by its handle alone
  EXPECT_EQ(seen().is_alive, 0u);
}

TEST_F(DebugWindowsTest, TheCallThatBeganLastIsBackWhenAnOlderOneComesBackLater) {
  const auto older = begins({.kind = lock, .target = 1});
  const auto newer = begins({.kind = lock, .target = 0});
  DebugWindows::came_back(newer.shown);
  DebugWindows::came_back(older.shown);
  EXPECT_EQ(open(), "lock 1; lock 0; ");
}

TEST_F(DebugWindowsTest, AFailedAccessToNobodyTakesNoOtherOneAway) {
  synchronises({.kind = WindowEventKind::fence});
  puts(1, 0);
  puts(99, 8, 5, window, CallOutcome::failed);
  EXPECT_EQ(open(), "fence; at 1: 0; ");
}

TEST_F(DebugWindowsTest, WhatNobodyKnowsIsSaid) {
  EXPECT_EQ(seen().is_unknown, 0u);
  synchronise({.kind = WindowEventKind::fence}, CallOutcome::failed);
  EXPECT_EQ(seen().is_unknown, 1u);
  EXPECT_EQ(open(), "");
}

}  // namespace
}  // namespace ddtscope::plugin::debug_windows_test
