#include "reporters/model/types_by_key.h"

#include "decoder/definition/definition.h"

namespace ddtscope::reporters {

std::optional<TypeNumber> TypesByKey::find(std::string_view key) {
  if (types_.empty()) {
    types_.reserve(job_.types.size());
    for (const JobType& type : job_.types) types_.try_emplace(type.key, type.number);
  }
  const std::optional<Key> wanted = key_from_text(key);
  const auto found = wanted ? types_.find(*wanted) : types_.end();
  return found != types_.end() ? std::optional(found->second) : std::nullopt;
}

}  // namespace ddtscope::reporters
