// A part of a store that is small however large the store is.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "decoder/definition/definition.h"
#include "decoder/definition/observed.h"

namespace ddtscope {

/// Some definitions of a store and all that they are made of, as a store of their own, with the same bounds observed.
/// Questions that keep an answer for every definition are asked of it, where the whole has too many. The whole must
/// outlive it; nothing may be evicted there.
class Excerpt final : public ObservedSource {
 public:
  Excerpt(const DefinitionStore& whole, const ObservedSource& observed);

  /// Adds those that are not there yet, with what they are made of, in the order of the whole.
  void add(std::span<const DefinitionId> ids);
  /// In the excerpt; invalid for a definition that was not added.
  DefinitionId own(DefinitionId whole) const {
    const auto found = own_.find(whole.value);
    return found != own_.end() ? found->second : DefinitionId{};
  }
  DefinitionId whole(DefinitionId own) const { return originals_[own.value]; }

  const DefinitionStore& store() const { return store_; }
  /// Of a definition of the excerpt.
  std::optional<ObservedBounds> observed(DefinitionId own) const override { return observed_.observed(whole(own)); }

 private:
  DefinitionId copy(const Definition& definition);

  const DefinitionStore& whole_;
  const ObservedSource& observed_;
  DefinitionStore store_;
  std::unordered_map<std::uint32_t, DefinitionId> own_;  // by id in the whole
  std::vector<DefinitionId> originals_;                  // by id in the excerpt
};

}  // namespace ddtscope
