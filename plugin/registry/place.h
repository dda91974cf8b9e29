// Where a call was made.
#pragma once

#include "plugin/call/call_site.h"
#include "plugin/call/entry_point.h"

namespace ddtscope::plugin {

/// The call site, and the name that was called there.
struct Place {
  CallSiteId site;
  const EntryPoint* called = nullptr;
};

}  // namespace ddtscope::plugin
