// Who wants to hear of every type that is freed (ddtscope_plugin.h).
#pragma once

#include <atomic>

#include "plugin/api/ddtscope_plugin.h"

namespace ddtscope::plugin {

namespace detail {
extern std::atomic<unsigned> free_listeners;  // those that are whole
}

/// False as long as nobody listens: costs one load.
inline bool anyone_listens_to_frees() { return detail::free_listeners.load(std::memory_order_relaxed) != 0; }

/// Tells all of them, in order. Must be called without the registry's lock: they may call MPI.
void tell_freed(const ddtscope_freed_type& freed);

}  // namespace ddtscope::plugin
