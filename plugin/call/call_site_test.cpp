// Stacks of this test program itself.
#include "plugin/call/call_site.h"

#include <alloca.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "plugin/base/loaded_module.h"
#include "plugin/call/module_table.h"

namespace ddtscope::plugin::call_site_test {
namespace {

// A handler that unwinds the stack may wait for another thread's, and that one for the loader's lock.
TEST(LoadedModules, NoSignalComesWhileTheLoaderIsAsked) {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  ASSERT_FALSE(sigismember(&before, SIGPROF));
  sigset_t meanwhile;
  sigemptyset(&meanwhile);
  const auto look = [](dl_phdr_info*, std::size_t, void* data) {
    pthread_sigmask(SIG_SETMASK, nullptr, static_cast<sigset_t*>(data));
    return 5;
  };
  EXPECT_EQ(each_loaded_module(look, &meanwhile), 5);
  EXPECT_TRUE(sigismember(&meanwhile, SIGPROF));
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_FALSE(sigismember(&after, SIGPROF));
}

TEST(LoadedModules, AreLookedAtWithoutAChangeOfErrno) {
  errno = 77;
  ModuleTable table([](std::string_view) { return false; });
  EXPECT_EQ(errno, 77);
  const Module* const own = table.at(reinterpret_cast<std::uintptr_t>(&each_loaded_module));
  ASSERT_NE(own, nullptr);
  EXPECT_TRUE(own->path.ends_with("/plugin_tests")) << own->path;
}

class CallSiteTest : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = std::filesystem::temp_directory_path() / ("call_site_test." + std::to_string(getpid()) + ".jsonl");
    std::filesystem::remove(file_);
    ASSERT_TRUE(writer_.create(file_.string()));
  }
  void TearDown() override { std::filesystem::remove(file_); }
  std::string trace() const {
    std::ifstream file(file_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// A stack as the plugin would capture it, of addresses that the test chooses.
  static Stack stack_of(std::initializer_list<const void*> addresses) {
    Stack stack;
    for (const void* address : addresses) stack.frames[stack.count++] = const_cast<void*>(address);
    stack.hash = 17;  // all alike: equality must not rest on the hash
    return stack;
  }
  static const void* in_test(int offset) { return reinterpret_cast<const char*>(&CallSiteTest::stack_of) + offset; }
  static const void* in_libc(int offset) {
    return static_cast<const char*>(dlsym(RTLD_DEFAULT, "gnu_get_libc_version")) + offset;
  }

  std::filesystem::path file_;
  trace::Writer writer_;
};

bool is_libc(std::string_view name) { return name.starts_with("libc.so"); }
bool is_nothing(std::string_view) { return false; }

/// As a wrapper does, `depth` frames below the one that the program called.
[[gnu::noinline]] void capture_below(const CallSites& sites, Stack& stack, void* caller, int depth) {
  if (depth > 0) {
    capture_below(sites, stack, caller, depth - 1);
  } else {
    sites.capture(stack, {caller}, Path::direct);
  }
  __asm__ volatile("");  // no tail call: the frame must be there
}
[[gnu::noinline]] void* capture_in_wrapper(const CallSites& sites, Stack& stack, int depth) {
  capture_below(sites, stack, __builtin_return_address(0), depth);
  return __builtin_return_address(0);
}

TEST_F(CallSiteTest, StacksBeginAtTheCallerHoweverManyFramesAreOurOwn) {
  const CallSites sites(4, is_nothing);
  for (const int depth : {0, 5, 1}) {
    Stack stack;
    void* caller = capture_in_wrapper(sites, stack, depth);
    ASSERT_EQ(stack.count, 4u) << depth;
    EXPECT_EQ(stack.addresses()[0], caller) << depth;
  }
}

TEST_F(CallSiteTest, ACallerThatTheUnwinderDoesNotFindIsTheWholeStack) {
  const CallSites sites(4, is_nothing);
  Stack stack;
  void* nowhere = const_cast<void*>(in_libc(4));
  sites.capture(stack, {nowhere}, Path::fortran);
  ASSERT_EQ(stack.count, 1u);
  EXPECT_EQ(stack.addresses()[0], nowhere);
}

TEST_F(CallSiteTest, BeyondTheirMemoryNewStacksLoseTheirCallersAndThenThemselves) {
  CallSites sites(4, is_nothing, 2000);
  const Stack first = stack_of({in_test(0), in_test(1000)});
  const CallSiteId first_site = sites.intern(first, writer_);
  for (int i = 1; sites.bytes() < 2000; ++i) sites.intern(stack_of({in_test(i), in_test(1000 + i)}), writer_);
  // The same call from two callers is one site now.
  const CallSiteId without = sites.intern(stack_of({in_test(500), in_test(1500)}), writer_);
  EXPECT_EQ(sites.intern(stack_of({in_test(500), in_test(1501)}), writer_), without);
  EXPECT_NE(without, sites.not_recorded(writer_));
  for (int i = 0; i < 500; ++i) sites.intern(stack_of({in_test(2000 + i), in_test(1500)}), writer_);
  EXPECT_EQ(sites.intern(stack_of({in_test(3000), in_test(1500)}), writer_), sites.not_recorded(writer_));
  EXPECT_LT(sites.bytes(), 3200u);
  // What was known stays known.
  EXPECT_EQ(sites.intern(first, writer_), first_site);
  EXPECT_EQ(sites.intern(stack_of({in_test(500), in_test(7)}), writer_), without);
  EXPECT_NE(trace().find("\"parent\":null,\"frames\":[[null,0]]"), std::string::npos);
  EXPECT_NE(trace().find("more call sites than it can remember"), std::string::npos);
}

TEST_F(CallSiteTest, DepthZeroRecordsNothing) {
  CallSites sites(0, is_nothing);
  Stack stack;
  sites.capture(stack, DDTSCOPE_RETURN_PLACE, Path::direct);
  EXPECT_FALSE(sites.intern(stack, writer_).valid());
  EXPECT_EQ(trace(), "");
}

TEST_F(CallSiteTest, EqualStacksAreOneSiteAndOthersAreNot) {
  CallSites sites(16, is_nothing);
  ASSERT_EQ(sites.problem(), "");
  const CallSiteId first = sites.intern(stack_of({in_test(8), in_test(16)}), writer_);
  EXPECT_EQ(sites.intern(stack_of({in_test(8), in_test(16)}), writer_), first);
  EXPECT_NE(sites.intern(stack_of({in_test(8), in_test(24)}), writer_), first);
}

TEST_F(CallSiteTest, SharedCallersAreWrittenOnce) {
  CallSites sites(16, is_nothing);
  sites.intern(stack_of({in_test(8), in_test(16)}), writer_);
  sites.intern(stack_of({in_test(12), in_test(16)}), writer_);
  const std::string text = trace();
  EXPECT_NE(text.find(R"("first":0,"parent":null)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("first":2,"parent":0)"), std::string::npos) << text;
  EXPECT_EQ(text.find("\"record\":\"module\""), text.rfind("\"record\":\"module\"")) << text;
}

TEST_F(CallSiteTest, FramesOfTheMpiLibraryBelowTheProgramAreDropped) {
  CallSites sites(16, is_libc);
  const CallSiteId plain = sites.intern(stack_of({in_test(8), in_test(16)}), writer_);
  EXPECT_EQ(sites.intern(stack_of({in_libc(4), in_test(8), in_test(16)}), writer_), plain);
  EXPECT_NE(sites.intern(stack_of({in_test(8), in_libc(4), in_test(16)}), writer_), plain);
}

TEST_F(CallSiteTest, ModulesCarryTheirBuildId) {
  CallSites sites(16, is_nothing);
  sites.intern(stack_of({in_libc(4)}), writer_);
  const std::string text = trace();
  const std::size_t at = text.find("\"build_id\":\"");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_EQ(text.find('"', at + 12) - (at + 12), 40u) << text;  // SHA-1 in hexadecimal
}

TEST_F(CallSiteTest, ManySitesAreAllFoundAgain) {
  CallSites sites(16, is_nothing);
  std::vector<CallSiteId> ids;
  for (int i = 0; i < 3000; ++i) {
    Stack stack = stack_of({in_test(8 + i)});
    stack.hash = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u;
    ids.push_back(sites.intern(stack, writer_));
  }
  for (int i = 0; i < 3000; ++i) {
    Stack stack = stack_of({in_test(8 + i)});
    stack.hash = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u;
    EXPECT_EQ(sites.intern(stack, writer_), ids[static_cast<std::size_t>(i)]);
  }
}

/// As a wrapper does of a program's call: the site where it is recalled.
[[gnu::noinline]] CallSiteId recall_in_wrapper(CallSites& sites, trace::Writer& writer, int& recalled) {
  const ReturnPlace place = DDTSCOPE_RETURN_PLACE;
  CallSiteId site;
  if (sites.recall(place, site)) {
    ++recalled;
    return site;
  }
  Stack stack;
  sites.capture(stack, place, Path::direct);
  return sites.intern(stack, writer);
}
/// A function that does the same for many: one place, whoever calls it.
[[gnu::noinline]] CallSiteId call_for_others(CallSites& sites, trace::Writer& writer, int& recalled) {
  const CallSiteId site = recall_in_wrapper(sites, writer, recalled);
  __asm__ volatile("");
  return site;
}
/// From `number % 8` of eight places, of one frame.
[[gnu::noinline]] CallSiteId call_from(int number, CallSites& sites, trace::Writer& writer, int& recalled) {
  CallSiteId site;
  switch (number % 8) {
#define CALL_FROM_HERE(n)                                  \
  case n:                                                  \
    site = call_for_others(sites, writer, recalled);       \
    __asm__ volatile("# " #n); /* never one with others */ \
    break;
    CALL_FROM_HERE(0)
    CALL_FROM_HERE(1)
    CALL_FROM_HERE(2)
    CALL_FROM_HERE(3)
    CALL_FROM_HERE(4)
    CALL_FROM_HERE(5)
    CALL_FROM_HERE(6)
    CALL_FROM_HERE(7)
#undef CALL_FROM_HERE
  }
  return site;
}
/// Further up the stack, too.
[[gnu::noinline]] CallSiteId call_up_from(int number, CallSites& sites, trace::Writer& writer, int& recalled) {
  CallSiteId site;
  if (number % 16 < 8) {
    site = call_from(number, sites, writer, recalled);
    __asm__ volatile("# lower");
  } else {
    site = call_from(number, sites, writer, recalled);
    __asm__ volatile("# upper");
  }
  return site;
}

/// The same from another place of the stack.
[[gnu::noinline]] CallSiteId call_from_depth(std::size_t depth, int number, CallSites& sites, trace::Writer& writer,
                                             int& recalled) {
  auto* const room = static_cast<volatile char*>(alloca(64 * (depth + 1)));
  room[0] = 0;
  return call_up_from(number, sites, writer, recalled);
}

TEST_F(CallSiteTest, AFunctionThatManyCallIsRecalledFromEachOfThem) {
  CallSites sites(3, is_nothing);  // what calls from here is not told apart
  if (DDTSCOPE_RETURN_PLACE.frame == nullptr) GTEST_SKIP() << "frames of this processor are not walked";
  constexpr int places = 16, learning = 10 * places, all = 30 * places;
  std::vector<CallSiteId> known;
  // Where the system puts program and stack decides which stacks have the same slots. Three of 16 do once in 100 times,
  // and not at most places of the stack at once.
  constexpr std::size_t depths = 9;
  std::size_t whole = 0;
  for (std::size_t depth = 0; depth < depths; ++depth) {
    int recalled = 0;
    for (int i = 0; i < all; ++i) {
      if (i == learning) recalled = 0;  // what tells them apart is learnt while they come again
      const CallSiteId site = call_from_depth(depth, i, sites, writer_, recalled);
      if (known.size() < places) known.push_back(site);
      ASSERT_EQ(site, known[static_cast<std::size_t>(i % places)]) << depth << ": " << i;
    }
    if (recalled == all - learning) ++whole;
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(known[i], known[j]) << i << " and " << j;
  }
  EXPECT_GT(whole, depths / 2);
}

}  // namespace
}  // namespace ddtscope::plugin::call_site_test
