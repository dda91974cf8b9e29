// A constructor call on its way through the registry.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "plugin/registry/registry.h"

namespace ddtscope::plugin {

/// The definitions of a call's oldtypes: few, mostly.
class Oldtypes {
 public:
  std::span<DefinitionId> resize(std::size_t count) {
    if (count <= few_.size()) return {few_.data(), count};
    many_ = std::make_unique<DefinitionId[]>(count);
    return {many_.get(), count};
  }
  DefinitionId first() const { return few_[0]; }

 private:
  std::array<DefinitionId, 4> few_;
  std::unique_ptr<DefinitionId[]> many_;
};

struct Registry::Making {
  const Creation& creation;  // its call's datatypes stand in `oldtypes`
  ArrayDigests digests{};
  Place place{};
  Oldtypes oldtypes{};

  bool has_arrays() const { return creation.call.arrays[0].length != 0; }
  bool may_be_recent() const { return creation.oldtypes.length == 1 && !has_arrays(); }
  DefinitionId oldtype() const { return oldtypes.first(); }
  CallNumbers numbers() const { return numbers_of(creation.call); }
  RecentCall& recent(DefinitionCache& cache, Lane lane) const {
    return cache.recent().slot_of(place, oldtype(), numbers(), lane);
  }
};

/// What is to be done about a constructor call without the lock.
enum class Registry::Step {
  done,    // nothing: it is counted, or nothing is recorded any more
  adopt,   // not all of its oldtypes are known
  define,  // the call is not known; its oldtypes are pinned
};

/// How a handle came that is not known.
enum class Registry::Adoption {
  used,      // the program gave it to a call that succeeded
  returned,  // the library gave it to the program: one more reference, if it is known by now
};

}  // namespace ddtscope::plugin
