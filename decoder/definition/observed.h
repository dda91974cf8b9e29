// What the running library reports of definitions, kept apart from their layouts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "decoder/definition/definition.h"

namespace ddtscope {

class ObservedSource {
 public:
  virtual ~ObservedSource() = default;
  /// Empty where nothing is known.
  virtual std::optional<ObservedBounds> observed(DefinitionId id) const = 0;
};

/// For very many definitions: each takes as many bytes as its values have, mostly about ten, and a place.
class PackedObserved final : public ObservedSource {
 public:
  /// For each definition once.
  void add(DefinitionId id, const ObservedBounds& bounds);
  std::optional<ObservedBounds> observed(DefinitionId id) const override;

 private:
  std::vector<std::size_t> places_;  // in bytes_, by definition
  std::vector<std::uint8_t> bytes_;
};

}  // namespace ddtscope
