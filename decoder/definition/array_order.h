// How dimensions and processes are ordered in the array constructors (MPI-4.1 5.1.3, 5.1.4).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "decoder/definition/definition.h"

namespace ddtscope {

/// The dimension that stands i-th from the fastest one in memory.
inline std::size_t dimension_from_fastest(std::size_t i, std::size_t ndims, std::int64_t order,
                                          const LibraryConstants& constants) {
  return order == constants.order_fortran ? i : ndims - 1 - i;
}

/// Where a process stands in a grid of these sizes, which is row-major in both orders.
inline std::vector<std::int64_t> grid_coordinates(const IntegerArray& psizes, std::int64_t rank) {
  std::vector<std::int64_t> coordinates(psizes.length);
  for (std::size_t d = psizes.length; d-- > 0;) {
    const std::int64_t psize = std::max<std::int64_t>(psizes[d], 1);
    coordinates[d] = rank % psize;
    rank /= psize;
  }
  return coordinates;
}

}  // namespace ddtscope
