// Whether two ways of laying out a store put the entries of a definition at the same places, told by the bounds of all
// that it is made of, so that nothing needs laying out twice to be compared.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "decoder/definition/definition.h"

namespace ddtscope {

/// Remembers the answer for each definition of one store. The bounds of an oldtype must not change any more.
class OldtypesAgree {
 public:
  /// `agrees(oldtype)` tells whether lower bound and extent of one derived type are the same.
  template <class Agrees>
  bool operator()(const DefinitionStore& store, DefinitionId id, Agrees agrees) {
    while (known_.size() <= id.value) {
      const DefinitionId next{static_cast<std::uint32_t>(known_.size())};
      const std::span<const DefinitionId> oldtypes = store[next].call.datatypes;
      DefinitionId before;
      known_.push_back(std::all_of(oldtypes.begin(), oldtypes.end(), [&](DefinitionId oldtype) {
        if (oldtype == std::exchange(before, oldtype)) return true;
        // Predefined types have the same bounds everywhere.
        const bool is_predefined = store[oldtype].call.combiner == Combiner::named;
        return is_predefined || (known_[oldtype.value] && agrees(oldtype));
      }));
    }
    return known_[id.value];
  }

 private:
  std::vector<bool> known_;  // by DefinitionId
};

}  // namespace ddtscope
