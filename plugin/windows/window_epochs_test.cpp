// What a process does about its windows, in its order, and what of it is wrong.
#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "plugin/windows/windows_fixture.h"

namespace ddtscope::plugin::window_epochs_test {
namespace {

using enum WindowEventKind;
using WindowEpochsTest = WindowsTest;

/// The part of a line behind its name.
std::string member(const std::string& line, const std::string& name) {
  const std::size_t begin = line.find("\"" + name + "\":");
  return begin == line.npos
             ? ""
             : line.substr(begin + name.size() + 3, line.find_first_of(",}", begin) - begin - name.size() - 3);
}

TEST_F(WindowEpochsTest, AreAConstantForALoopOfThem) {
  make(window, world);
  fence();
  for (int epoch = 0; epoch < 10000; ++epoch) {
    for (std::intptr_t i = 0; i < 50; ++i) puts(1, 3 * i);
    for (std::intptr_t i = 0; i < 50; ++i) puts(2, i % 7, 1 + i % 3);
    fence();
  }
  write();
  std::size_t bytes = 0;
  for (const char* const record : {"window_event", "sequence", "epochs", "accesses"}) {
    for (const std::string& line : written(record)) bytes += line.size();
  }
  EXPECT_LT(bytes, std::size_t{256} << 10);
  EXPECT_LT(bytes, std::size_t{32} << 10);
  ASSERT_EQ(written("sequence").size(), 1u);
  EXPECT_NE(written("sequence")[0].find("[10000,["), std::string::npos) << written("sequence")[0];
  EXPECT_TRUE(told_.empty());
}

TEST_F(WindowEpochsTest, StridesAreOneEvent) {
  make(window, world);
  fence();
  for (std::intptr_t i = 0; i < 1000000; ++i) puts(1, 5 - 2 * i);
  puts(1, 7);
  write();
  const std::vector<std::string> events = written("window_event");
  ASSERT_EQ(events.size(), 3u);
  EXPECT_NE(events[1].find(R"("kind":"access","target":1,"displacement":5,"times":1000000,"step":-2,"type":"MPI_INT")"),
            std::string::npos)
      << events[1];
  EXPECT_EQ(events[2].find("times"), std::string::npos);
}

TEST_F(WindowEpochsTest, SayWhatEachCallHas) {
  make(window, world);
  groups_.ranks_of_group[77] = std::vector{1, 2, 3};
  for (int i = 0; i < 3; ++i) {
    synchronise({.kind = post, .asserts = {WindowAsserts::nostore | WindowAsserts::nocheck}, .group = 77});
    synchronise({.kind = start, .group = 77});
    puts(2, 9);
    synchronise({.kind = complete});
    synchronise({.kind = wait});
  }
  EXPECT_EQ(groups_.asked, 1);
  windows_->group_freed(77);
  synchronise({.kind = post, .group = 77});
  EXPECT_EQ(groups_.asked, 2);
  synchronise({.kind = wait});
  synchronise({.kind = lock, .target = 3, .is_exclusive = true});
  synchronise({.kind = flush_local, .target = 3});
  synchronise({.kind = flush});
  synchronise({.kind = unlock, .target = 3});
  write();
  const std::vector<std::string> events = written("window_event");
  const std::vector<std::string> wanted{R"("kind":"post","group":[[1,3,1]],"assert":["nocheck","nostore"],)",
                                        R"("kind":"start","group":[[1,3,1]],"assert":[],)",
                                        R"("kind":"access","target":2,"displacement":9,"type":"MPI_INT","elements":5,)",
                                        R"("kind":"complete","called":)",
                                        R"("kind":"wait","called":)",
                                        R"("kind":"post","group":[[1,3,1]],"assert":[],)",
                                        R"("kind":"lock","target":3,"exclusive":true,"assert":[],)",
                                        R"("kind":"flush_local","target":3,)",
                                        R"("kind":"flush","target":null,)",
                                        R"("kind":"unlock","target":3,)"};
  ASSERT_EQ(events.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NE(events[i].find(wanted[i]), std::string::npos) << events[i];
  EXPECT_NE(written("sequence")[0].find(R"("of":"window_events","operations":[[3,[0,1,2,3,4]],5,4,6,7,8,9]})"),
            std::string::npos)
      << written("sequence")[0];
  EXPECT_EQ(member(written("epochs")[0], "window"), "0");
  EXPECT_TRUE(told_.empty());
}

TEST_F(WindowEpochsTest, ErrorsAreTakenBack) {
  make(window, world);
  fence();
  puts(1, 0);
  puts(1, 8, 5, window, CallOutcome::failed);  // after one
  puts(1, 0);
  puts(1, 0, 5, window, CallOutcome::failed);  // the same again
  for (std::intptr_t i = 1; i < 5; ++i) puts(1, i);
  puts(1, 5, 5, window, CallOutcome::failed);  // in a run
  puts(1, 5);
  puts(2, 5, 5, window, CallOutcome::failed);  // another one
  fence();
  write();
  const std::vector<std::string> events = written("window_event");
  ASSERT_EQ(events.size(), 3u);
  EXPECT_NE(events[2].find(R"("displacement":0,"times":6,"step":1)"), std::string::npos) << events[2];
  EXPECT_NE(written("sequence")[0].find("[0,1,2,0]"), std::string::npos) << written("sequence")[0];
  EXPECT_EQ(written("epochs")[0].find("undecided"), std::string::npos);
}

TEST_F(WindowEpochsTest, NothingIsKnownAfterASynchronisationThatFailed) {
  make(window, world);
  fence();
  synchronise({.kind = lock, .target = 1}, CallOutcome::failed);
  puts(1, 0);
  synchronise({.kind = unlock, .target = 1});
  write();
  EXPECT_NE(written("epochs")[0].find(R"("undecided":[1,"failed"])"), std::string::npos) << written("epochs")[0];
  EXPECT_TRUE(told_.empty());
}

TEST_F(WindowEpochsTest, AreUndecidedWhereThereIsNoMemory) {
  record(2000);
  make(window, world);
  fence();
  for (std::intptr_t i = 0; i < 1000; ++i) puts(1, i * i);
  write();
  EXPECT_NE(written("epochs")[0].find(R"(,"memory"])"), std::string::npos) << written("epochs")[0];
  EXPECT_LT(written("window_event").size(), 20u);
}

TEST_F(WindowEpochsTest, AreUndecidedWhereNobodyKnowsTheGroup) {
  make(window, world);
  synchronise({.kind = start, .group = 5});
  puts(2, 0);
  write();
  EXPECT_NE(written("epochs")[0].find(R"("undecided":[0,"target"])"), std::string::npos) << written("epochs")[0];
  EXPECT_TRUE(told_.empty());
}

TEST_F(WindowEpochsTest, EndWhereTheRecordingIsSwitchedOff) {
  make(window, world);
  fence();
  registry_->beside([&] { windows_->stop(Unknown::switched_off); });
  puts(1, 0);
  synchronise({.kind = unlock, .target = 1});
  write();
  EXPECT_NE(written("epochs")[0].find(R"("undecided":[1,"switched off"])"), std::string::npos);
  EXPECT_TRUE(told_.empty());
}

TEST_F(WindowEpochsTest, WhatIsWrongIsToldBeforeTheCall) {
  make(window, world);
  puts(1, 0);
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(
      told_[0],
      "MPI_Put accesses rank 1 of the window outside of any epoch: no MPI_Win_fence, MPI_Win_start, MPI_Win_lock or "
      "MPI_Win_lock_all has begun one.");
  synchronise({.kind = unlock, .target = 2}, CallOutcome::failed);
  synchronise({.kind = lock, .target = 2});
  windows_->freeing(window, free_entry, stack_);
  const std::vector<std::string> findings = written("finding");
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_NE(findings[1].find("MPI_Win_any unlocks rank 2, which no MPI_Win_lock has locked."), std::string::npos);
  EXPECT_NE(findings[2].find("MPI_Win_free frees a window within the epoch that MPI_Win_lock has begun."),
            std::string::npos);
  for (const std::string& finding : findings) {
    EXPECT_NE(finding.find(R"("finding":"bad-argument")"), std::string::npos) << finding;
    EXPECT_NE(finding.find(R"("type":null)"), std::string::npos) << finding;
  }
}

TEST_F(WindowEpochsTest, WindowsWithoutANameAreJudged) {
  make(window, 4711);  // nobody knows who is in it
  puts(1, 0);
  EXPECT_EQ(told_.size(), 1u);
  puts(1, 0, 5, 999);  // a window that was there before
  EXPECT_EQ(told_.size(), 1u);
  write();
  EXPECT_TRUE(written("epochs").empty());
}

TEST_F(WindowEpochsTest, TellHowAccumulatesAreOrdered) {
  groups_.orderings[7] = AccumulateOrdering{AccumulateOrdering::raw};
  groups_.orderings[8] = AccumulateOrdering{0};
  make(window, world, 800, 8, 7);
  fence();
  for (const HandleBits info : {HandleBits{8}, HandleBits{9}}) {  // the second says nothing of that
    windows_->ordered(
        {.kind = WindowEventKind::ordering, .window = window, .info = info, .called = &sync_entry, .stack = &stack_});
  }
  write();
  const std::vector<std::string> lines = written("window_event");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[0].find(R"("kind":"ordering","accumulate_ordering":["raw"],"called":"MPI_Win_create")"),
            std::string::npos);
  EXPECT_NE(lines[2].find(R"("kind":"ordering","accumulate_ordering":[],"called":"MPI_Win_any")"), std::string::npos);
}

TEST_F(WindowEpochsTest, RequestsAreCompleted) {
  make(window, world);
  synchronise({.kind = lock_all});
  EXPECT_EQ(windows_->last_awaited(), 0u);
  rputs(1, 3, {55, 1});
  const std::uint64_t last = windows_->last_awaited();
  EXPECT_NE(last, 0u);
  windows_->request_completed({54, 1}, last);
  windows_->request_completed({55, 7}, last);  // the program has moved it
  EXPECT_EQ(windows_->last_awaited(), 0u);
  write();
  const std::vector<std::string> events = written("window_event");
  ASSERT_EQ(events.size(), 3u);
  EXPECT_NE(events[2].find(
                R"("kind":"completed","target":1,"displacement":3,"type":"MPI_INT","elements":5,"called":"MPI_Rput")"),
            std::string::npos)
      << events[2];
  EXPECT_TRUE(told_.empty());
}

/// Of the calls of the sequence: the displacements of those that were completed.
std::vector<std::string> completed_of(const std::vector<std::string>& events) {
  std::vector<std::string> displacements;
  for (const std::string& event : events) {
    if (member(event, "kind") == "\"completed\"") displacements.push_back(member(event, "displacement"));
  }
  return displacements;
}

/// While one thread waits, the library frees its handle, and gives it to another's call, before the first has come
/// back.
TEST_F(WindowEpochsTest, AHandleThatIsGivenAgainIsOfAnotherRequest) {
  make(window, world);
  synchronise({.kind = lock_all});
  rputs(1, 3, {55, 1});
  const std::uint64_t last = windows_->last_awaited();
  rputs(1, 40, {55, 2});
  windows_->request_completed({55, 9}, last);  // the program has moved it
  const std::uint64_t last_of_other = windows_->last_awaited();
  ASSERT_GT(last_of_other, last);
  windows_->request_completed({55, 3}, last);  // what a thread has waited for that was no access
  EXPECT_EQ(windows_->last_awaited(), last_of_other);
  write();
  EXPECT_EQ(completed_of(written("window_event")), std::vector<std::string>{"3"});
}

/// Libraries give one handle for all that is complete from the start.
TEST_F(WindowEpochsTest, RequestsOfOneHandleAreToldApartByTheirPlaces) {
  make(window, world);
  synchronise({.kind = lock_all});
  rputs(1, 3, {55, 1});
  rputs(1, 40, {55, 2});
  windows_->request_completed({55, 2}, windows_->last_awaited());
  EXPECT_NE(windows_->last_awaited(), 0u);
  write();
  EXPECT_EQ(completed_of(written("window_event")), std::vector<std::string>{"40"});
}

/// By one of which nobody knows which it is: two that follow each other are told by the first of them, as a run.
TEST_F(WindowEpochsTest, RequestsOfOneHandleThatWereMovedAreAllCompletedInTheirOrder) {
  make(window, world);
  synchronise({.kind = lock_all});
  const std::vector<int> displacements{3, 40, 7, 90, 12, 61, 44};
  const auto start = [&](const auto& place_of) {
    for (std::size_t i = 0; i < displacements.size(); ++i) rputs(1, displacements[i], {55, place_of(i)});
  };
  start([](std::size_t i) { return 1 + 5 * i % 7; });
  windows_->request_completed({55, 99}, windows_->last_awaited());
  EXPECT_EQ(windows_->last_awaited(), 0u);
  // One variable for all, of which the program has kept copies.
  start([](std::size_t) { return std::uint64_t{1}; });
  windows_->request_completed({55, 99}, windows_->last_awaited());
  EXPECT_EQ(windows_->last_awaited(), 0u);
  write();
  const std::vector<std::string> wanted{"3", "7", "12", "44"};  // both times: an event stands once
  EXPECT_EQ(completed_of(written("window_event")), wanted);
}

TEST_F(WindowEpochsTest, RequestsOfAWindowThatIsFreedAreNobodys) {
  make(window, world);
  synchronise({.kind = lock_all});
  rputs(1, 3, {55, 1});
  const std::uint64_t last = windows_->last_awaited();
  synchronise({.kind = unlock_all});
  windows_->freeing(window, free_entry, stack_);
  EXPECT_EQ(windows_->last_awaited(), 0u);
  windows_->request_completed({55, 1}, last);
  write();
  EXPECT_TRUE(completed_of(written("window_event")).empty());
  EXPECT_EQ(written("epochs").size(), 1u);
  EXPECT_TRUE(told_.empty());
}

TEST_F(WindowEpochsTest, CallsWithRequestsOutsideOfLocksAreTold) {
  make(window, world);
  fence();
  rputs(1, 3, {55, 1});
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0],
            "MPI_Rput accesses rank 1 of the window within the epoch of MPI_Win_fence: calls that have requests are "
            "for those of MPI_Win_lock and MPI_Win_lock_all.");
}

/// Whatever the library refuses is not there: neither of a window that is recorded, nor of another.
TEST_F(WindowEpochsTest, AccessesThatAreRefusedKeepNoEpochOpen) {
  for (const HandleBits communicator : {world, HandleBits{4711}}) {
    make(window, communicator);
    fence();
    puts(1, 0, 5, window, CallOutcome::failed);
    synchronise({.kind = lock, .target = 1});
    puts(1, 0);
    synchronise({.kind = unlock, .target = 1});
    fence();
    puts(1, 0, 5, window, CallOutcome::failed);
    windows_->freeing(window, free_entry, stack_);
    EXPECT_TRUE(told_.empty()) << told_.front();
  }
}

/// What many windows had together is no reason to know nothing of the last one.
TEST_F(WindowEpochsTest, WindowsThatAreFreedGiveTheirMemoryBack) {
  record(std::size_t{1} << 20);
  for (int i = 0; i < 3000; ++i) {
    make(window, world);
    fence();
    puts(1, 0);
    fence();
    windows_->freeing(window, free_entry, stack_);
  }
  write();
  const std::vector<std::string> epochs = written("epochs");
  ASSERT_EQ(epochs.size(), 3000u);
  for (const std::string& line : epochs) ASSERT_EQ(line.find("undecided"), std::string::npos) << line;
  EXPECT_EQ(written("sequence").size(), 1u);
}

TEST_F(WindowEpochsTest, WindowsThatAreAliveCostLittle) {
  record(std::size_t{1} << 20);
  constexpr HandleBits windows = 1000;
  for (HandleBits handle = 1000; handle < 1000 + windows; ++handle) {
    make(handle, world);
    synchronise({.kind = WindowEventKind::fence, .window = handle});
    puts(1, 0, 5, handle);
    synchronise({.kind = WindowEventKind::fence, .window = handle});
  }
  write();
  const std::vector<std::string> epochs = written("epochs");
  ASSERT_EQ(epochs.size(), windows);
  for (const std::string& line : epochs) ASSERT_EQ(line.find("undecided"), std::string::npos) << line;
}

TEST_F(WindowEpochsTest, WindowsThatWereFreedAreDecidedWhenTheRecordingIsSwitchedOff) {
  make(window, world);
  fence();
  windows_->freeing(window, free_entry, stack_);
  registry_->beside([&] { windows_->stop(Unknown::switched_off); });
  write();
  ASSERT_EQ(written("epochs").size(), 1u);
  EXPECT_EQ(written("epochs")[0].find("undecided"), std::string::npos) << written("epochs")[0];
}

TEST_F(WindowEpochsTest, DynamicWindowsHaveWhatWasAttached) {
  const auto make_dynamic = [&] {
    const CommunicatorNames::Call call = windows_->begin_call(world);
    windows_->made({.window = window,
                    .communicator = world,
                    .flavour = WindowFlavour::dynamic,
                    .called = &create_entry,
                    .stack = &stack_},
                   call);
  };
  make_dynamic();
  for (int i = 0; i < 10000; ++i) windows_->attached(window, {100 + i % 2 * 50, 50});
  windows_->attached(window, {300, 8});
  windows_->attached(window, {304, 8});
  windows_->freeing(window, free_entry, stack_);
  make_dynamic();
  windows_->freeing(window, free_entry, stack_);
  make_dynamic();
  for (std::int64_t i = 0; i < 3000; ++i) windows_->attached(window, {100 * i, 8});  // too much
  write();
  const std::vector<std::string> lines = written("attached");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find(R"("window":0,"ranges":[[100,100],[300,12]]})"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find(R"("window":1,"ranges":[]})"), std::string::npos) << lines[1];
}

/// Against a plain list of all calls.
TEST_F(WindowEpochsTest, AreWhatWasCalled) {
  make(window, world);
  fence();
  std::mt19937 random(3);
  const auto number = [&](std::intptr_t most) { return std::uniform_int_distribution<std::intptr_t>(0, most)(random); };
  std::vector<std::string> wanted{"fence"};
  for (int loop = 0; loop < 300; ++loop) {
    const std::intptr_t target = number(2), begin = number(3), step = number(2) - 1, length = number(6);
    for (std::intptr_t turns = number(3); turns >= 0; --turns) {
      for (std::intptr_t i = 0; i < length; ++i) {
        const bool fails = number(9) == 0;
        puts(target, begin + i * step, 5, window, fails ? CallOutcome::failed : CallOutcome::succeeded);
        if (!fails) wanted.push_back(std::to_string(target) + "@" + std::to_string(begin + i * step));
      }
      if (number(2) == 0) continue;
      fence();
      wanted.emplace_back("fence");
    }
  }
  write();
  std::vector<std::vector<std::string>> events;
  for (const std::string& line : written("window_event")) {
    std::vector<std::string>& calls = events.emplace_back();
    if (member(line, "kind") == "\"fence\"") {
      calls.emplace_back("fence");
      continue;
    }
    const std::string times = member(line, "times");
    for (int i = 0; i < (times.empty() ? 1 : std::stoi(times)); ++i) {
      const int at =
          std::stoi(member(line, "displacement")) + (times.empty() ? 0 : i * std::stoi(member(line, "step")));
      calls.push_back(member(line, "target") + "@" + std::to_string(at));
    }
  }
  const std::string line = written("sequence")[0];
  std::vector<std::string> found;
  std::size_t at = line.find("\"operations\":[") + 14;
  // What stands in brackets, up to the one that closes.
  const std::function<void(std::vector<std::string>&)> expand = [&](std::vector<std::string>& calls) {
    while (line[at] != ']') {
      if (line[at] == ',') ++at;
      if (line[at] != '[') {
        std::size_t length = 0;
        const auto& event = events[std::stoul(line.substr(at), &length)];
        at += length;
        calls.insert(calls.end(), event.begin(), event.end());
        continue;
      }
      std::size_t length = 0;
      const auto times = std::stoul(line.substr(at + 1), &length);
      at += length + 3;
      std::vector<std::string> body;
      expand(body);
      at += 2;
      for (std::size_t i = 0; i < times; ++i) calls.insert(calls.end(), body.begin(), body.end());
    }
  };
  expand(found);
  EXPECT_EQ(found, wanted);
}

}  // namespace
}  // namespace ddtscope::plugin::window_epochs_test
