#include "decoder/definition/sub_store.h"

#include <algorithm>

namespace ddtscope {

SubStore::SubStore(const DefinitionStore& whole, const ObservedSource& observed)
    : whole_(whole), observed_(observed), store_(whole.constants()) {
  // Basic types have the same numbers in both.
  for (std::uint32_t i = 0; i < whole.predefined().size(); ++i) store_.add_basic(whole.predefined()[PredefinedId{i}]);
}

void SubStore::add(std::span<const DefinitionId> ids) {
  std::vector<DefinitionId> wanted;
  const auto want = [&](DefinitionId id) {
    if (local_.try_emplace(id.value).second) wanted.push_back(id);
  };
  for (const DefinitionId id : ids) want(id);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (const DefinitionId oldtype : whole_[wanted[i]].call.datatypes) want(oldtype);
  }
  std::sort(wanted.begin(), wanted.end());
  for (const DefinitionId id : wanted) {
    const DefinitionId local = local_[id.value] = copy(whole_[id]);
    originals_.resize(store_.size());
    originals_[local.value] = id;
  }
}

DefinitionId SubStore::copy(const Definition& definition) {
  if (definition.call.combiner == Combiner::named) {
    return store_.add_predefined(whole_.predefined()[definition.predefined]);
  }
  ConstructorCall call = definition.call;
  std::vector<DefinitionId> oldtypes;
  oldtypes.reserve(call.datatypes.size());
  for (const DefinitionId oldtype : call.datatypes) oldtypes.push_back(to_local(oldtype).in_store);
  call.datatypes = oldtypes;
  return store_.intern(call).id;
}

}  // namespace ddtscope
