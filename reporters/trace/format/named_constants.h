// The constants that stand among a constructor's integers, by the names that the header has for them.
#pragma once

#include <cstdint>

#include "decoder/definition/definition.h"

namespace ddtscope::trace {

struct NamedConstant {
  const char* name;
  std::int32_t LibraryConstants::*value;
};

inline constexpr NamedConstant named_constants[] = {
    {"MPI_ORDER_C", &LibraryConstants::order_c},
    {"MPI_ORDER_FORTRAN", &LibraryConstants::order_fortran},
    {"MPI_DISTRIBUTE_BLOCK", &LibraryConstants::distribute_block},
    {"MPI_DISTRIBUTE_CYCLIC", &LibraryConstants::distribute_cyclic},
    {"MPI_DISTRIBUTE_NONE", &LibraryConstants::distribute_none},
    {"MPI_DISTRIBUTE_DFLT_DARG", &LibraryConstants::distribute_dflt_darg},
};

}  // namespace ddtscope::trace
