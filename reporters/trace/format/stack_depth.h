// How many frames of a call site are recorded.
#pragma once

namespace ddtscope::trace {

/// The plugin has room for no more, whatever DDTSCOPE_STACK says.
inline constexpr int largest_stack_depth = 128;

}  // namespace ddtscope::trace
