// The words of `ddtscope gdb` and `ddtscope lldb`.
#pragma once

#include <string>
#include <vector>

#include "reporters/cli/options.h"

namespace ddtscope {

/// What is not ours is the debugger's own. `command` is what stands behind `--`: a program and its arguments.
Command debugger_command(DebuggerKind kind, const std::vector<std::string>& arguments,
                         const std::vector<std::string>& command);

}  // namespace ddtscope
