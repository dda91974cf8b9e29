// Stacks of this test program itself: what is recalled must be what unwinding finds.
#include "plugin/repeated_stacks.h"

#include <alloca.h>
#include <gtest/gtest.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <random>
#include <thread>
#include <vector>

#include "plugin/call_site.h"

namespace ddtscope::plugin {
namespace {

#ifdef __x86_64__

bool is_nothing(std::string_view) { return false; }

/// Looks at the stack in both ways at each call.
class Observer {
 public:
  explicit Observer(int depth) : with_memory_(depth, is_nothing), without_(depth, is_nothing), repeated_(depth) {}

  void look(const ReturnPlace& place) {
    Stack stack, unwound;
    with_memory_.capture(stack, place, Path::direct);
    without_.capture(unwound, {.address = place.address}, Path::direct);
    ASSERT_TRUE(std::ranges::equal(stack.addresses(), unwound.addresses()));
    ASSERT_EQ(stack.hash, unwound.hash);
    Stack alone;
    if (repeated_.recall(alone, place)) {
      ++recalled_;
      ASSERT_TRUE(std::ranges::equal(alone.addresses(), unwound.addresses()));
      ASSERT_EQ(alone.hash, unwound.hash);
    } else {
      repeated_.unwound(unwound, place);
    }
    ++looks_;
  }
  int recalled() const { return recalled_; }
  int looks() const { return looks_; }

 private:
  CallSites with_memory_, without_;
  RepeatedStacks repeated_;
  std::atomic<int> recalled_ = 0, looks_ = 0;
};

[[gnu::noinline]] void wrapper(Observer& observer) {
  observer.look(DDTSCOPE_RETURN_PLACE);
  __asm__ volatile("");  // no tail call: the frame must be there
}

// A way down: which function calls which, and how much stack it takes.
using Way = std::vector<std::uint32_t>;

void go(Observer& observer, const Way& way, std::size_t step);

[[gnu::noinline]] void plain(Observer& observer, const Way& way, std::size_t step) {
  go(observer, way, step + 1);
  __asm__ volatile("");
}
[[gnu::noinline]] void as_plain(Observer& observer, const Way& way,
                                std::size_t step) {  // with a frame of the same size
  go(observer, way, step + 1);
  __asm__ volatile("nop");
}
[[gnu::noinline]] void of_some_size(Observer& observer, const Way& way, std::size_t step) {  // by the frame pointer
  void* room = alloca(16 * (1 + way[step] / 8 % 4));
  __asm__ volatile("" : : "r"(room) : "memory");
  if (step + 1 == way.size()) {
    wrapper(observer);  // whose caller's frame ends where the frame pointer says
  } else {
    go(observer, way, step + 1);
  }
  __asm__ volatile("" : : "r"(room) : "memory");
}
[[gnu::noinline]] void twice(Observer& observer, const Way& way, std::size_t step) {
  go(observer, way, step + 1);
  go(observer, way, step + 1);
  __asm__ volatile("");
}
struct alignas(64) Aligned {
  char bytes[64];
};
[[gnu::noinline]] void aligned(Observer& observer, const Way& way, std::size_t step) {  // by a word of the stack
  Aligned room;
  void* more = alloca(16 * (1 + way[step] / 8 % 4));
  __asm__ volatile("" : : "r"(&room), "r"(more) : "memory");
  go(observer, way, step + 1);
  __asm__ volatile("" : : "r"(&room), "r"(more) : "memory");
}

[[gnu::noinline]] void go(Observer& observer, const Way& way, std::size_t step) {
  if (step >= way.size()) {
    wrapper(observer);
    return;
  }
  switch (way[step] % 8) {
    case 0:
    case 1:
      plain(observer, way, step);
      break;
    case 2:
    case 3:
      as_plain(observer, way, step);
      break;
    case 4:
      of_some_size(observer, way, step);
      break;
    case 5:
      twice(observer, way, step);
      break;
    default:
      aligned(observer, way, step);
  }
  __asm__ volatile("");
}

TEST(RepeatedStacks, WhatIsRecalledIsWhatUnwindingFinds) {
  std::mt19937 random(1);
  for (const int depth : {1, 3, 16, 128}) {
    Observer observer(depth);
    // Few ways, so that they come again, each from the same places as others.
    std::vector<Way> ways(12);
    for (Way& way : ways) {
      way.resize(random() % 6);
      std::ranges::generate(way, [&] { return random() % 32; });
    }
    for (int i = 0; i < 3000; ++i) {
      go(observer, ways[random() % (1 + random() % ways.size())], 0);
      if (HasFatalFailure()) FAIL() << "depth " << depth << ", call " << i;
    }
    EXPECT_GT(observer.recalled(), observer.looks() / 4) << "of " << observer.looks() << " by depth " << depth;
  }
}

TEST(RepeatedStacks, TheSamePlaceIsRecalledFromTheNinthCallOn) {
  Observer observer(16);
  for (int i = 0; i < 20; ++i) go(observer, {0, 4, 6, 2}, 0);
  EXPECT_EQ(observer.recalled(), 12);
}

TEST(RepeatedStacks, OtherCallersOfTheSamePlaceAreTold) {
  Observer observer(16);
  // Frames of the same size: the calls differ by one return address alone.
  for (int i = 0; i < 64; ++i) go(observer, {static_cast<std::uint32_t>(i % 2 * 2), 0, 0}, 0);
  EXPECT_GT(observer.recalled(), 0);
  EXPECT_LT(observer.recalled(), 64);
}

[[gnu::noinline]] void inner(Observer& observer, std::size_t size) {
  void* room = alloca(size);
  __asm__ volatile("" : : "r"(room) : "memory");
  wrapper(observer);
  __asm__ volatile("" : : "r"(room) : "memory");
}
[[gnu::noinline]] void one(Observer& observer, std::size_t own, std::size_t of_inner) {
  void* room = alloca(own);
  __asm__ volatile("" : : "r"(room) : "memory");
  inner(observer, of_inner);
  __asm__ volatile("" : : "r"(room) : "memory");
}
[[gnu::noinline]] void other(Observer& observer, std::size_t own, std::size_t of_inner) {
  void* room = alloca(own);
  __asm__ volatile("nop" : : "r"(room) : "memory");
  inner(observer, of_inner);
  __asm__ volatile("" : : "r"(room) : "memory");
}

TEST(RepeatedStacks, WordsThatAnEarlierCallLeftBehindAreNotTakenForThisOnes) {
  Observer observer(16);
  // In the end the same stack pointer, but the frames lie elsewhere, and where they were before nobody has written.
  const struct {
    void (*function)(Observer&, std::size_t, std::size_t);
    std::size_t own, of_inner;
  } volatile calls[] = {{one, 64, 64}, {other, 16, 112}};
  for (int i = 0; i < 11; ++i) {
    const volatile auto& call = calls[i / 10];
    call.function(observer, call.own, call.of_inner);
  }
  EXPECT_EQ(observer.recalled(), 2);
}

Observer* on_own_stack = nullptr;

TEST(RepeatedStacks, AProgramsOwnStackInStaticMemoryIsLikeAnyOther) {
  static char memory[1 << 18];
  static ucontext_t here, there;
  Observer observer(16);
  on_own_stack = &observer;
  ASSERT_EQ(getcontext(&there), 0);
  there.uc_stack.ss_sp = memory;
  there.uc_stack.ss_size = sizeof memory;
  there.uc_link = &here;
  makecontext(
      &there,
      [] {
        for (std::uint32_t i = 0; i < 40; ++i) go(*on_own_stack, {i / 20 * 2, 4, 0}, 0);
      },
      0);
  ASSERT_EQ(swapcontext(&here, &there), 0);
  EXPECT_GE(observer.recalled(), 12);
}

TEST(RepeatedStacks, ThreadsShareThem) {
  static Observer observer(16);
  static std::latch done(4);
  for (int i = 0; i < 4; ++i) {
    std::thread([] {
      for (std::uint32_t call = 0; call < 2000; ++call) go(observer, {call % 8, 4, 0}, 0);
      done.count_down();
      // libunwind's own end of a thread locks a mutex, which the thread sanitizer does not survive: they stay.
      for (;;) pause();
    }).detach();
  }
  done.wait();
  EXPECT_GT(observer.recalled(), observer.looks() / 4) << "of " << observer.looks();
}

#endif

}  // namespace
}  // namespace ddtscope::plugin
