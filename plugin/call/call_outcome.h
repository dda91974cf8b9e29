// How a call of the library's came back.
#pragma once

namespace ddtscope::plugin {

enum class CallOutcome : bool { failed, succeeded };

}  // namespace ddtscope::plugin
