// For which predefined types the predefined operations of reductions are defined (MPI-4.1 6.9.2, 6.9.4, 12.3.4).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "decoder/findings/findings.h"
#include "plugin/registry/library_queries.h"
#include "plugin/registry/types_in_use.h"

namespace ddtscope::plugin {

enum class OpKind : std::uint8_t {
  extremum,    // MPI_MAX, MPI_MIN
  arithmetic,  // MPI_SUM, MPI_PROD
  logical,
  bitwise,
  location,    // MPI_MAXLOC, MPI_MINLOC
  replacement  // MPI_REPLACE, MPI_NO_OP: one-sided operations only, any type
};

struct PredefinedOp {
  HandleBits handle = 0;
  std::string_view name;
  OpKind kind = OpKind::replacement;
};

/// How wrong it is to reduce the type of this name; empty where it is right, or the standard does not know the type. A
/// warning where the type is of the same kind and size as one that is right.
std::optional<Severity> misfit(OpKind op, std::string_view type);

/// Not synchronised: under the registry's lock.
class OpTypes {
 public:
  explicit OpTypes(std::vector<PredefinedOp> ops) : ops_(std::move(ops)) {}

  /// Whether none is known.
  bool empty() const { return ops_.empty(); }
  /// Null for the program's own.
  const PredefinedOp* find(HandleBits op) const;
  /// Whether the two were found to be right together before.
  bool is_known(HandleBits op, const TypeInUse& type) const {
    const Known& known = known_[slot_of(op, type)];
    return known.op == op && known.type == type;
  }
  void remember(HandleBits op, const TypeInUse& type) { known_[slot_of(op, type)] = {op, type}; }

 private:
  struct Known {
    HandleBits op = 0;
    TypeInUse type;
  };
  static constexpr std::size_t slots = 64;
  static std::size_t slot_of(HandleBits op, const TypeInUse& type) {
    return static_cast<std::size_t>(
        (op ^ type.number.value ^ std::uint64_t{type.predefined.value} << 20) * 0x9E3779B97F4A7C15u >> 58);
  }

  std::vector<PredefinedOp> ops_;
  std::array<Known, slots> known_{};
};

}  // namespace ddtscope::plugin
