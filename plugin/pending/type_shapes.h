// How far types reach, by their handles: asked of the library once for each life of a handle.
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
  HandleBits handle = 0;
  std::uint32_t life = 0;
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
  [[gnu::always_inline]] inline const TypeShape* find(HandleBits handle, std::uint32_t life) {
    const TypeShape* const recent = find_recent(handle, life);
    return recent != nullptr ? recent : find_again(handle, life);
  }
  /// Null also where others were found since.
  [[gnu::always_inline]] inline const TypeShape* find_recent(HandleBits handle, std::uint32_t life) const {
    const TypeShape& recent = recent_[place_of(handle)];
    return recent.handle == handle && recent.life == life ? &recent : nullptr;
  }
  void learn(const TypeShape& shape);

 private:
  static constexpr std::size_t most_recent = 64;
  static constexpr std::size_t most = 65536;
  static std::size_t place_of(HandleBits handle) {
    return static_cast<std::size_t>((handle * 0x9E3779B97F4A7C15u) >> 58);
  }
  const TypeShape* find_again(HandleBits handle, std::uint32_t life);

  std::array<TypeShape, most_recent> recent_{};
  std::unordered_map<HandleBits, TypeShape> all_;
};

}  // namespace ddtscope::plugin
