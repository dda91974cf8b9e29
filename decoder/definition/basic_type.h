// Predefined datatypes: the basic types that typemaps and signatures are made of, pair types, markers.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ddtscope {

struct PredefinedId {
  std::uint32_t value = UINT32_MAX;
  constexpr bool valid() const { return value != UINT32_MAX; }
  friend constexpr auto operator<=>(PredefinedId, PredefinedId) = default;
};

enum class PredefinedKind : std::uint8_t {
  basic,      // one entry of the typemap
  pair,       // two entries: a value and its index (MPI-4.1 6.9.4)
  lb_marker,  // MPI_LB: no entry, sets the lower bound
  ub_marker,  // MPI_UB
};

/// A predefined datatype on the machine where the program ran. Bytes.
struct PredefinedType {
  std::string name;  // first name in MPI-4.1 Annex A; for F90 types "F90_REAL(15,307)"
  PredefinedKind kind = PredefinedKind::basic;
  std::int64_t size = 0;
  std::int64_t extent = 0;
  std::int64_t alignment = 1;
  // Pair types only: the names of the two basic types and the displacement of the second.
  std::string first, second;
  std::int64_t second_displacement = 0;
};

/// What is known of a predefined name without any library: its canonical spelling, the kind, the parts
/// of a pair and how it is aligned.
struct PredefinedName {
  std::string_view name;       // as mpi.h has it
  std::string_view canonical;  // first name in MPI-4.1 Annex A
  PredefinedKind kind;
  std::string_view first, second;  // pairs only
};

/// All predefined names of MPI-1 to MPI-4.1 and of the two libraries; nullptr for an unknown one.
const PredefinedName* find_predefined_name(std::string_view name);
const std::vector<PredefinedName>& predefined_names();

/// The alignment that a basic type of this size has on common machines: the largest power of two that
/// divides it (half of it for complex types), 16 at most. Pair types take the larger one of their parts.
std::int64_t natural_alignment(std::string_view canonical_name, std::int64_t size);

/// A predefined type from what a library says of it. `size_of` gives the size of another predefined type, 0 where the
/// library has none of that name: a pair's parts are asked for.
PredefinedType described_predefined(std::string_view name, std::int64_t size, std::int64_t extent,
                                    const std::function<std::int64_t(std::string_view)>& size_of);

class PredefinedTable {
 public:
  /// Adds a type, or finds the one of that name. Synonyms are folded.
  PredefinedId add(const PredefinedType& type);
  std::optional<PredefinedId> find(std::string_view name) const;
  const PredefinedType& operator[](PredefinedId id) const { return types_[id.value]; }
  std::size_t size() const { return types_.size(); }

 private:
  std::vector<PredefinedType> types_;
  std::unordered_map<std::string, PredefinedId> ids_;
};

}  // namespace ddtscope
