// The hashes.
#include "plugin/registry/names_seen.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ddtscope::plugin {

bool NamesSeen::is_new(DefinitionNumber definition, std::string_view name) {
  if (hashes_.size() == most) hashes_.clear();
  return hashes_.insert(XXH3_64bits_withSeed(name.data(), name.size(), definition.value)).second;
}

}  // namespace ddtscope::plugin
