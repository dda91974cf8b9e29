// How dimensions and processes are ordered in the array constructors (MPI-4.1 5.1.3, 5.1.4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "decoder/definition/definition.h"

namespace ddtscope {

/// The dimension that stands i-th from the fastest one in memory.
inline std::size_t dimension_from_fastest(std::size_t i, std::size_t ndims, std::int64_t order,
                                          const LibraryConstants& constants) {
  return order == constants.order_fortran ? i : ndims - 1 - i;
}

/// What a process owns of one dimension of a darray, as the constructor has it.
struct DistributedDimension {
  enum class Kind { block, cyclic, none };  // a number that is none of them is taken for block, as libraries do
  Kind kind;
  std::int64_t size;
  std::optional<std::int64_t> argument;  // nothing for MPI_DISTRIBUTE_DFLT_DARG
  std::int64_t processes;                // at least 1
  std::int64_t coordinate;               // of the process; the grid is row-major in both orders
};

/// The dimensions of a darray, the fastest in memory first.
std::vector<DistributedDimension> distributed_dimensions(const ConstructorCall& call,
                                                         const LibraryConstants& constants);

}  // namespace ddtscope
