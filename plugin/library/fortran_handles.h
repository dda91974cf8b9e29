// The INTEGERs that stand for datatypes in Fortran.
#pragma once

#include <mpi.h>

#include "plugin/library/library.h"

namespace ddtscope::plugin {

using TypeFromFortran = MPI_Datatype(int);
/// PMPI_Type_f2c, or PMPI_Type_fromint of the standard ABI: it changes nothing in the library. Null where there is
/// none.
inline TypeFromFortran* type_from_fortran() {
#ifdef DDTSCOPE_MPI_H_IS_STANDARD_ABI
  constexpr const char* name = "PMPI_Type_fromint";
#else
  constexpr const char* name = "PMPI_Type_f2c";
#endif
  return reinterpret_cast<TypeFromFortran*>(find_function(name));
}

}  // namespace ddtscope::plugin
