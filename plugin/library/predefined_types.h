// The predefined datatypes of the running library.
#pragma once

#include <vector>

#include "plugin/registry/library_queries.h"
#include "plugin/registry/registry.h"

namespace ddtscope::plugin {

/// All that mpi.h names and this machine has, basic types before the pairs that are made of them.
std::vector<PredefinedHandle> predefined_types(LibraryQueries& queries);

}  // namespace ddtscope::plugin
