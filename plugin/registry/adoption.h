// Definitions of what the library decoded, for types that no wrapper saw being made.
#pragma once

#include <string>

#include "plugin/registry/definition_cache.h"
#include "plugin/registry/handle_lives.h"
#include "plugin/registry/library_decoding.h"
#include "plugin/registry/place.h"

namespace ddtscope::plugin {

/// Where definitions are taken in.
struct AdoptedInto {
  DefinitionCache& cache;
  HandleLives& lives;
  trace::Writer& writer;
  Place place;  // of the call by which they were found
};

/// The definition of the decoded type, and of all that it is made of; nothing is asked of the library. Invalid where
/// one of them cannot be taken in; `problem` then says why. Predefined types of the library's own live from now on.
DefinitionId take_in(const LibraryDecoding& decoding, const AdoptedInto& into, std::string& problem);

}  // namespace ddtscope::plugin
