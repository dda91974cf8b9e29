// Who wants to hear of every type that is freed (ddtscope_plugin.h).
#pragma once

#include "plugin/api/ddtscope_plugin.h"

namespace ddtscope::plugin {

/// False as long as nobody listens: costs one load.
bool anyone_listens_to_frees();

/// Tells all of them, in order. Must be called without the registry's lock: they may call MPI.
void tell_freed(const ddtscope_freed_type& freed);

}  // namespace ddtscope::plugin
