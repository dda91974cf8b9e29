// The derived definitions that a type is made of.
#pragma once

#include <set>

#include "decoder/definition/definition.h"

namespace ddtscope::c_api {

/// With the type itself, oldtypes first: their ids ascend. F90 types are among them, predefined ones are not.
std::set<DefinitionId> derived_parts(const DefinitionStore& store, DefinitionId id);

}  // namespace ddtscope::c_api
