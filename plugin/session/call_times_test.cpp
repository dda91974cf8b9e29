#include "plugin/session/call_times.h"

#include <gtest/gtest.h>

#include <ctime>
#include <regex>
#include <string>

namespace ddtscope::plugin::call_times_test {
namespace {

void wait_ns(std::uint64_t ns) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u + static_cast<std::uint64_t>(time.tv_nsec);
  };
  const std::uint64_t end = now() + ns;
  while (now() < end) {
  }
}

/// What stands before and behind the library's part of each call.
struct Part {
  std::uint64_t own_ns, library_ns;
};

std::string timed(int calls, const Part& part) {
  CallTimes times;
  for (int i = 0; i < calls; ++i) {
    TimedCall call(&times, TimedRole::commits);
    wait_ns(part.own_ns / 2);
    call.around([&] {
      wait_ns(part.library_ns);
      return 0;
    });
    wait_ns(part.own_ns / 2);
  }
  return times.in_words();
}

TEST(CallTimes, OneCallInSixtyFourIsTimed) {
  CallTimes times;
  int chosen = 0;
  for (int i = 0; i < 64000; ++i) chosen += times.counts_and_chooses(TimedRole::makes) ? 1 : 0;
  EXPECT_NEAR(chosen, 1000, 20);
}

TEST(CallTimes, TheLibrarysPartDoesNotCount) {
  constexpr int attempts = 8;  // a busy machine may take the processor away
  bool is_right = false;
  std::string words;
  for (int attempt = 0; attempt < attempts && !is_right; ++attempt) {
    words = timed(256, {.own_ns = 20000, .library_ns = 1000000});
    std::smatch found;
    ASSERT_TRUE(std::regex_match(words, found, std::regex("commits ([0-9.]+) ns .([0-9]+) of 256 calls timed.")))
        << words;
    const double ns = std::stod(found[1].str());
    is_right = ns >= 19000 && ns < 500000 && std::stoi(found[2].str()) >= 3;
  }
  EXPECT_TRUE(is_right) << words;
}

TEST(CallTimes, WhatIsNotTheProgramsIsLeftOut) {
  CallTimes times;
  for (int i = 0; i < 1000; ++i) {
    TimedCall call(&times, TimedRole::frees);
    call.leave_out();
  }
  EXPECT_EQ(times.in_words(), "");
}

TEST(CallTimes, NothingIsDoneWhereNothingIsTimed) {
  TimedCall call(nullptr, TimedRole::uses);
  EXPECT_EQ(call.around([] { return 7; }), 7);
  call.leave_out();
}

}  // namespace
}  // namespace ddtscope::plugin::call_times_test
