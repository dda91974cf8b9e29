// How far types reach: asked of the library once for each.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "plugin/registry/library_queries.h"
#include "plugin/registry/types_in_use.h"

namespace ddtscope::plugin {

struct TypeShape {
  enum class Extent : std::uint8_t {
    unbounded,  // the library cannot say, or it does not fit
    empty,
    bounded
  };
  TypeKey key = 0;
  Extent kind = Extent::unbounded;
  bool is_solid = false;         // a basic type without holes
  DefinitionNumber number = {};  // as in TypeInUse
  PredefinedId predefined = {};
  std::int64_t true_lb = 0, true_ub = 0, extent = 0;
};

TypeShape shape_of(const TypeInUse& type, const ObservedBounds& bounds);

/// Not synchronised.
class TypeShapes {
 public:
  /// Null where nobody has asked for it.
  [[gnu::always_inline]] inline const TypeShape* find(TypeKey key) {
    const TypeShape& recent = recent_[place_of(key)];
    return recent.key == key ? &recent : find_again(key);
  }
  void learn(const TypeShape& shape);

 private:
  static constexpr unsigned bits = 8;
  static constexpr std::size_t most = 65536;
  static std::size_t place_of(TypeKey key) {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> (64 - bits));
  }
  const TypeShape* find_again(TypeKey key);

  std::array<TypeShape, std::size_t{1} << bits> recent_{};
  std::unordered_map<TypeKey, TypeShape> all_;
};

}  // namespace ddtscope::plugin
