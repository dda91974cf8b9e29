// The number of a call site.
#pragma once

#include "reporters/trace/format/file_number.h"

namespace ddtscope::plugin {

/// The innermost frame of a call site, as the trace numbers it; invalid when stacks are off or unavailable.
using CallSiteId = FrameNumber;

}  // namespace ddtscope::plugin
