// Stacks of this test program itself: a walk must find what unwinding finds.
#include "plugin/call/stack_walk.h"

#include <alloca.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <latch>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "plugin/call/call_site.h"

namespace ddtscope::plugin::stack_walk_test {
namespace {

#ifdef __x86_64__

bool is_nothing(std::string_view) { return false; }

std::vector<void*> list_of(const Stack& stack) { return {stack.addresses().begin(), stack.addresses().end()}; }

/// libunwind 1.6 gives up at a function of clang's -O0 that calls alloca.
enum class Unwinding : std::uint8_t { finds_all, may_stop };

/// Looks at the stack in all ways at each call.
class Observer {
 public:
  explicit Observer(int depth, Unwinding unwinding = Unwinding::finds_all)
      : unwinding_(unwinding), sites_(depth, is_nothing), depth_(static_cast<std::size_t>(depth)) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("stack_walk_observer." + std::to_string(getpid()));
    writer_.create(file.string());
    std::filesystem::remove(file);
  }

  void look(const ReturnPlace& place) {
    Stack walked, unwound, captured;
    sites_.capture(unwound, {.address = place.address}, Path::direct);  // without a frame to walk from
    if (walk_stack(rules_, place, depth_, walked) == Walk::whole) {
      std::vector<void*> all = list_of(walked);
      if (unwinding_ == Unwinding::may_stop) all.resize(std::min(all.size(), list_of(unwound).size()));
      ASSERT_EQ(all, list_of(unwound));
      ASSERT_EQ(walked.hash == unwound.hash, all.size() == list_of(walked).size());
      ++walked_;
    }
    sites_.capture(captured, place, Path::direct);
    ++looks_;
    const std::lock_guard guard(lock_);
    if (captured.site.valid()) {
      ++recognised_;
    } else {
      ASSERT_EQ(list_of(captured), list_of(unwound));
    }
    ASSERT_EQ(sites_.intern(captured, writer_), sites_.intern(unwound, writer_));
  }
  int looks() const { return looks_; }
  int walked() const { return walked_; }
  /// By the words of a walk that was made before.
  int recognised() const { return recognised_; }

 private:
  const Unwinding unwinding_;
  std::mutex lock_;
  trace::Writer writer_;
  CallSites sites_;
  FrameRules rules_;
  std::size_t depth_;
  std::atomic<int> looks_ = 0, walked_ = 0, recognised_ = 0;
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

/// A return address within a function whose frame the frame pointer tells.
void* by_frame_pointer() {
  static void* address = nullptr;
  const auto keep = [](std::size_t size) __attribute__((noinline)) {
    void* volatile room = alloca(size);
    static_cast<void>(room);
    [&]() __attribute__((noinline)) { address = __builtin_return_address(0); }
    ();
    __asm__ volatile("");
  };
  keep(64);
  return address;
}

TEST(StackWalk, FindsWhatUnwindingFinds) {
  std::mt19937 random(1);
  for (const int depth : {1, 3, 16, 128}) {
    Observer observer(depth);
    // Ways that come again, with others between that leave other words at the same places.
    std::vector<Way> ways(300);
    for (Way& way : ways) {
      way.resize(random() % 6);
      std::ranges::generate(way, [&] { return random() % 32; });
    }
    for (int i = 0; i < 2000; ++i) {
      go(observer, ways[random() % ways.size()], 0);
      if (HasFatalFailure()) FAIL() << "depth " << depth << ", call " << i;
    }
    EXPECT_GE(observer.looks(), 2000);
    EXPECT_EQ(observer.walked(), observer.looks());
    EXPECT_GT(observer.recognised(), 100);
  }
}

std::vector<std::string> modules_of_ways() {
  std::vector<std::string> modules;
  std::istringstream all(STACK_WALK_WAYS);
  for (std::string module; std::getline(all, module, ':');) modules.push_back(module);
  return modules;
}

// The thread sanitizer takes what a handler calls for unsafe, though the signal is raised where nothing is half done.
#ifdef __SANITIZE_THREAD__
constexpr bool handlers_may_call = false;
#else
constexpr bool handlers_may_call = true;
#endif

// gcc and clang, -O0 to -O3, alloca, callbacks of a library, signal handlers, code without tables.
TEST(StackWalk, FindsWhatUnwindingFindsInTheCodeOfEachCompiler) {
  using Act = void(void*);
  using In = void(Act*, void*);
  Act* const act = [](void* observer) {
    wrapper(*static_cast<Observer*>(observer));
    __asm__ volatile("");
  };
  for (const std::string& path : modules_of_ways()) {
    SCOPED_TRACE(path);
    void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(module, nullptr) << dlerror();
    const bool has_tables = path.find("no-asynchronous-unwind-tables") == std::string::npos;
    // libunwind 1.6 ends at a frame with alloca in clang's code without optimisation.
    const bool is_clang_plain = path.find("clang") != std::string::npos && path.ends_with("-O0.so");
    Observer in_ways(16, is_clang_plain ? Unwinding::may_stop : Unwinding::finds_all), in_handler(16);
    for (int i = 0; i < 3; ++i) {
      reinterpret_cast<In*>(dlsym(module, "in_all_ways"))(act, &in_ways);
      if (handlers_may_call) reinterpret_cast<In*>(dlsym(module, "in_signal_handler"))(act, &in_handler);
      if (HasFatalFailure()) return;
    }
    EXPECT_GE(in_ways.looks(), 18);  // qsort compares as often as it likes
    EXPECT_EQ(in_handler.looks(), handlers_may_call ? 3 : 0);
    if (has_tables) {
      EXPECT_EQ(in_ways.walked(), in_ways.looks());
    }
    // It stays: libunwind 1.6 remembers frames by their addresses, also where another module has come.
  }
}

Observer* on_own_stack = nullptr;

TEST(StackWalk, AProgramsOwnStackInStaticMemoryIsLikeAnyOther) {
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
  EXPECT_EQ(observer.looks(), 40);  // libunwind alone knows where such a stack ends
}

TEST(StackWalk, ThreadsShareTheRules) {
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
  EXPECT_EQ(observer.looks(), 9000);  // some ways go twice
  EXPECT_EQ(observer.walked(), observer.looks());
}

/// Modules with code at the same places, whose frames have other sizes.
class SampleModule {
 public:
  explicit SampleModule(const char* path) : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_) call_ = reinterpret_cast<Call>(dlsym(handle_, "call_with_room"));
  }
  ~SampleModule() {
    if (handle_) dlclose(handle_);
  }
  SampleModule(const SampleModule&) = delete;
  SampleModule& operator=(const SampleModule&) = delete;
  using Call = void (*)(void (*)(void*), void*);
  Call call() const { return call_; }

 private:
  void* handle_;
  Call call_ = nullptr;
};

TEST(StackWalk, CodeThatReplacesOtherCodeHasItsOwnRulesAndSites) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("stack_walk_test." + std::to_string(getpid()));
  trace::Writer writer;
  ASSERT_TRUE(writer.create(file.string()));
  struct Look {
    CallSites sites{16, is_nothing};
    Stack stack;
  } look;
  const auto capture = [](void* data) __attribute__((noinline)) {
    Look& to = *static_cast<Look*>(data);
    to.sites.capture(to.stack, DDTSCOPE_RETURN_PLACE, Path::direct);
    __asm__ volatile("");
  };
  std::vector<SampleModule::Call> places;
  std::vector<CallSiteId> ids;
  std::vector<void*> callers;
  // The callers beyond the module are the same function's, by one call instruction.
  for (const char* path : {SAMPLE_SMALL, SAMPLE_LARGE, SAMPLE_SMALL}) {
    const SampleModule module(path);
    ASSERT_NE(module.call(), nullptr) << dlerror();
    const std::size_t modules = places.size();
    volatile int times = 3;  // compilers do not know it: one call instruction
    for (int again = 0; again < times; ++again) {
      module.call()(capture, &look);
      const CallSiteId id = look.sites.intern(look.stack, writer);
      if (places.size() > modules) {
        EXPECT_EQ(id, ids.back());
        continue;
      }
      places.push_back(module.call());
      ids.push_back(id);
      ASSERT_GE(look.stack.count, 3u);
      callers.push_back(look.stack.addresses()[1]);
    }
    EXPECT_TRUE(look.stack.site.valid());  // it is known by its words, as long as its module is there
  }
  std::filesystem::remove(file);
  ASSERT_EQ(places[0], places[1]) << "the loader has put them elsewhere: nothing is tried";
  EXPECT_EQ(callers[0], callers[1]);
  EXPECT_NE(ids[0], ids[1]);
}

TEST(StackWalk, AFrameOutsideOfTheStackEndsIt) {
  FrameRules rules;
  // A frame pointer that leads nowhere, where the caller's frame is told by it.
  for (const std::uintptr_t pointer :
       {std::uintptr_t{0}, std::uintptr_t{8}, std::uintptr_t{1} << 60, ~std::uintptr_t{7}}) {
    std::array<std::uintptr_t, 64> memory{};
    memory[0] = pointer;
    memory[1] = reinterpret_cast<std::uintptr_t>(by_frame_pointer());
    Stack stack;
    EXPECT_EQ(walk_stack(rules, {by_frame_pointer(), memory.data()}, 16, stack), Walk::broken) << pointer;
    ASSERT_EQ(stack.count, 1u);
    EXPECT_EQ(stack.addresses()[0], by_frame_pointer());
  }
}

TEST(StackWalk, CodeWithoutTablesIsNotGuessedAt) {
  FrameRules rules;
  static char data[64];
  std::array<std::uintptr_t, 64> memory{};
  Stack stack;
  EXPECT_EQ(walk_stack(rules, {data + 8, memory.data()}, 16, stack), Walk::impossible);
  EXPECT_EQ(walk_stack(rules, {by_frame_pointer(), nullptr}, 16, stack), Walk::impossible);
}

TEST(StackWalk, ManyReturnAddressesAreAllKnownAgain) {
  FrameRules rules;
  const auto begin = reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "qsort"));
  std::vector<FrameRule> first;
  for (std::uintptr_t i = 0; i < 5000; ++i) first.push_back(rules.of(begin + i));
  for (std::uintptr_t i = 0; i < 5000; ++i) ASSERT_EQ(rules.of(begin + i), first[i]) << i;
  rules.forget();
  for (std::uintptr_t i = 0; i < 5000; ++i) ASSERT_EQ(rules.of(begin + i), frame_rule_at(begin + i)) << i;
}

struct Repeated {
  FrameRules& rules;
  std::atomic<bool> is_over{false};
  std::atomic<int> walks{0};
  int wrong = 0;
};

[[gnu::noinline]] void walk_again_and_again(Repeated& repeated) {
  const ReturnPlace place = DDTSCOPE_RETURN_PLACE;
  Stack expected, stack;
  FrameRules untouched;
  walk_stack(untouched, place, 16, expected);
  while (!repeated.is_over) {
    const bool is_right = walk_stack(repeated.rules, place, 16, stack) == Walk::whole &&
                          std::ranges::equal(stack.addresses(), expected.addresses());
    ++repeated.walks;
    repeated.wrong += is_right ? 0 : 1;
  }
}

TEST(StackWalk, RulesMayBeForgottenWhileOthersWalk) {
  FrameRules rules;
  Repeated repeated{.rules = rules};
  std::thread walker([&] { walk_again_and_again(repeated); });
  const auto begin = reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "qsort"));
  for (int round = 0; round < 2000 || repeated.walks <= 100; ++round) {
    rules.forget();
    // Others take the places of what was known.
    for (std::uintptr_t i = 0; i < 20; ++i) rules.of(begin + static_cast<unsigned>(round % 50) * 20 + i);
  }
  repeated.is_over = true;
  walker.join();
  EXPECT_EQ(repeated.wrong, 0);
}

TEST(StackWalk, ForgettingTakesNoMemory) {
  FrameRules rules;
  const std::size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 10000; ++i) rules.forget();
  EXPECT_LT(mallinfo2().uordblks, before + 4096);
}

#endif

}  // namespace
}  // namespace ddtscope::plugin::stack_walk_test
