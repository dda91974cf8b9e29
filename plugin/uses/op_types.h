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
  /// What may be right together: one-sided calls take types and operations that others do not take, and the reverse.
  struct Pair {
    HandleBits op = 0;
    TypeInUse type;
    bool is_one_sided = false;

    bool operator==(const Pair&) const = default;
  };
  /// Whether the two were found to be right together before.
  bool is_known(const Pair& pair) const { return known_[slot_of(pair)] == pair; }
  void remember(const Pair& pair) { known_[slot_of(pair)] = pair; }

 private:
  static constexpr std::size_t slots = 64;
  static std::size_t slot_of(const Pair& pair) {
    const std::uint64_t type = pair.type.number.value ^ std::uint64_t{pair.type.predefined.value} << 20;
    return static_cast<std::size_t>((pair.op ^ type ^ std::uint64_t{pair.is_one_sided} << 40) * 0x9E3779B97F4A7C15u >>
                                    58);
  }

  std::vector<PredefinedOp> ops_;
  std::array<Pair, slots> known_{};
};

}  // namespace ddtscope::plugin
