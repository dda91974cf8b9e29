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
SpinLock growing;

}  // namespace

constinit std::atomic<unsigned> detail::free_listeners{0};

void tell_freed(const ddtscope_freed_type& freed) {
  const unsigned present = detail::free_listeners.load(std::memory_order_acquire);
  for (unsigned i = 0; i < present; ++i) listeners[i].callback(&freed, listeners[i].data);
}

}  // namespace ddtscope::plugin

extern "C" __attribute__((visibility("default"))) int ddtscope_on_free(ddtscope_free_callback callback, void* data) {
  using namespace ddtscope::plugin;
  const std::lock_guard guard(growing);
  const unsigned present = detail::free_listeners.load(std::memory_order_relaxed);
  if (callback == nullptr || present == most_listeners) return -1;
  listeners[present] = {callback, data};
  detail::free_listeners.store(present + 1, std::memory_order_release);
  return 0;
}
