// The list only grows, so that it can be read without a lock while another thread adds to it.
#include "plugin/api/free_listeners.h"

#include <array>
#include <atomic>
#include <mutex>

#include "plugin/base/spin_lock.h"

namespace ddtscope::plugin {
namespace {

struct Listener {
  ddtscope_free_callback callback;
  void* data;
};

constexpr unsigned most_listeners = 16;
std::array<Listener, most_listeners> listeners;
std::atomic<unsigned> number{0};  // of those that are whole
SpinLock growing;

}  // namespace

bool anyone_listens_to_frees() { return number.load(std::memory_order_relaxed) != 0; }

void tell_freed(const ddtscope_freed_type& freed) {
  const unsigned present = number.load(std::memory_order_acquire);
  for (unsigned i = 0; i < present; ++i) listeners[i].callback(&freed, listeners[i].data);
}

}  // namespace ddtscope::plugin

extern "C" __attribute__((visibility("default"))) int ddtscope_on_free(ddtscope_free_callback callback, void* data) {
  using namespace ddtscope::plugin;
  const std::lock_guard guard(growing);
  const unsigned present = number.load(std::memory_order_relaxed);
  if (callback == nullptr || present == most_listeners) return -1;
  listeners[present] = {callback, data};
  number.store(present + 1, std::memory_order_release);
  return 0;
}
