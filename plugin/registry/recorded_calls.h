// What the wrappers tell the registry of a call that the library accepted.
#pragma once

#include "decoder/definition/definition.h"
#include "plugin/call/entry_point.h"
#include "plugin/call/stack.h"
#include "plugin/registry/library_queries.h"
#include "plugin/registry/place.h"
#include "plugin/registry/recent_calls.h"

namespace ddtscope::plugin {

/// A constructor call.
struct Creation {
  ConstructorCall& call;  // the registry fills in its datatypes
  IntegerArray oldtypes;  // handles as the program passed them
  HandleBits newtype = 0;
  const EntryPoint* called = nullptr;
  const Stack* stack = nullptr;
};

/// A constructor call of one oldtype and no arrays, from a call site that has its number, or none.
struct PlainCreation {
  Combiner combiner = Combiner::named;
  CallNumbers numbers = {};
  HandleBits oldtype = 0;
  DefinitionId predefined = {};  // of the oldtype, where that is known already
  HandleBits newtype = 0;
  Place place;
};

/// MPI_Type_get_contents on `type` gave these handles: the derived ones are live instances.
struct Decoding {
  HandleBits type = 0;
  IntegerArray datatypes;  // at least as long as the type's envelope says
  const EntryPoint* called = nullptr;
  const Stack* stack = nullptr;
};

/// A handle as it stands in an array of the program's.
inline HandleBits handle_at(const IntegerArray& handles, std::size_t i) {
  const auto bits = static_cast<HandleBits>(handles[i]);
  return handles.width == 4 ? bits & 0xFFFFFFFFu : bits;
}

}  // namespace ddtscope::plugin
