// The constants that stand among a constructor's integers: their values in one library, and how they are written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "decoder/definition/combiner.h"
#include "decoder/definition/definition.h"

namespace ddtscope {

struct NamedValue {
  std::string_view mpi_name;  // "MPI_ORDER_C"
  std::string_view letter;    // in the short notation of bnf.h
  std::int64_t value = 0;
};

/// The constants that a parameter may have, most of them none.
class NamedValues {
 public:
  NamedValues() = default;
  NamedValues(std::initializer_list<NamedValue> values) {
    for (const NamedValue& value : values) values_[size_++] = value;
  }
  const NamedValue* begin() const { return values_.data(); }
  const NamedValue* end() const { return values_.data() + size_; }
  /// nullptr for any other value.
  const NamedValue* find(std::int64_t value) const {
    for (const NamedValue& named : *this) {
      if (named.value == value) return &named;
    }
    return nullptr;
  }

 private:
  std::array<NamedValue, 3> values_;
  std::size_t size_ = 0;
};

inline NamedValues named_values(const Parameter& parameter, const LibraryConstants& constants) {
  if (parameter.kind != ParameterKind::integer) return {};
  if (parameter.name == "order") {
    return {{"MPI_ORDER_C", "C", constants.order_c}, {"MPI_ORDER_FORTRAN", "F", constants.order_fortran}};
  }
  if (parameter.name == "array_of_distribs") {
    return {{"MPI_DISTRIBUTE_BLOCK", "B", constants.distribute_block},
            {"MPI_DISTRIBUTE_CYCLIC", "C", constants.distribute_cyclic},
            {"MPI_DISTRIBUTE_NONE", "N", constants.distribute_none}};
  }
  if (parameter.name == "array_of_dargs") return {{"MPI_DISTRIBUTE_DFLT_DARG", "*", constants.distribute_dflt_darg}};
  // The precision and the range of F90 types.
  if (parameter.name == "p" || parameter.name == "r") return {{"MPI_UNDEFINED", "*", mpi_undefined}};
  return {};
}

}  // namespace ddtscope
