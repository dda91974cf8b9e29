#include "plugin/intercept/call_in_progress.h"

namespace ddtscope::plugin {

thread_local constinit CallInProgress call_in_progress [[gnu::tls_model("initial-exec")]];
thread_local constinit FortranCall fortran_call [[gnu::tls_model("initial-exec")]];

}  // namespace ddtscope::plugin
