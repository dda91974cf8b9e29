// A part of a store that is small however large the store is.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "decoder/definition/definition.h"
#include "decoder/definition/observed.h"

namespace ddtscope {

/// A definition as a SubStore has it, so that it is not taken for one of the whole.
struct LocalDefinitionId {
  DefinitionId in_store;  // what is asked of SubStore::store(), and of what stands on it
  constexpr bool valid() const { return in_store.valid(); }
  friend constexpr auto operator<=>(LocalDefinitionId, LocalDefinitionId) = default;
};

/// Some definitions of a store and all that they are made of, as a store of their own, with the same bounds observed.
/// Questions that keep an answer for every definition are asked of it, where the whole has too many. The whole must
/// outlive it; nothing may be evicted there.
class SubStore final : public ObservedSource {
 public:
  SubStore(const DefinitionStore& whole, const ObservedSource& observed);

  /// Adds those that are not there yet, with what they are made of, in the order of the whole.
  void add(std::span<const DefinitionId> ids);
  /// Its id in here; invalid for a definition that was not added.
  LocalDefinitionId to_local(DefinitionId global) const {
    const auto found = local_.find(global.value);
    return found != local_.end() ? LocalDefinitionId{found->second} : LocalDefinitionId{};
  }
  DefinitionId to_global(LocalDefinitionId local) const { return originals_[local.in_store.value]; }

  const DefinitionStore& store() const { return store_; }
  /// Of a definition of this store, by its id in here.
  std::optional<ObservedBounds> observed(DefinitionId local) const override {
    return observed_.observed(to_global({local}));
  }

 private:
  DefinitionId copy(const Definition& definition);

  const DefinitionStore& whole_;
  const ObservedSource& observed_;
  DefinitionStore store_;
  std::unordered_map<std::uint32_t, DefinitionId> local_;  // by global id
  std::vector<DefinitionId> originals_;                    // by local id
};

}  // namespace ddtscope
