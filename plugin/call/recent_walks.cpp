// The memory of a thread's recent walks.
#include "plugin/call/recent_walks.h"

#include <pthread.h>
#include <sys/mman.h>

namespace ddtscope::plugin {
namespace {

/// A thread's value is its memory; it is given back when the thread ends.
struct ThreadEnd {
  pthread_key_t key;
  bool is_watched;
};

thread_local constinit bool is_over [[gnu::tls_model("initial-exec")]] = false;

}  // namespace

thread_local constinit RecentWalks* RecentWalks::of_this_thread_ [[gnu::tls_model("initial-exec")]] = nullptr;

RecentWalks* RecentWalks::make() {
  static const ThreadEnd end = [] {
    ThreadEnd made{};
    made.is_watched = pthread_key_create(&made.key, [](void* memory) {
                        is_over = true;
                        of_this_thread_ = nullptr;
                        munmap(memory, sizeof(RecentWalks));
                      }) == 0;
    return made;
  }();
  if (is_over || !end.is_watched) return nullptr;
  void* const memory =
      mmap(nullptr, sizeof(RecentWalks), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (pthread_setspecific(end.key, memory) != 0) {
    munmap(memory, sizeof(RecentWalks));
    return nullptr;
  }
  // Zeros are walks that were not made.
  of_this_thread_ = static_cast<RecentWalks*>(memory);
  return of_this_thread_;
}

}  // namespace ddtscope::plugin
