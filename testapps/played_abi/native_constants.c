// The constants of names.def by the mpi.h of the library that plays the standard ABI.
#include <mpi.h>

#include "constants.h"

// What MPICH 4.0 lacks
#ifndef MPI_LOGICAL1
#define MPI_LOGICAL1 MPI_DATATYPE_NULL
#define MPI_LOGICAL2 MPI_DATATYPE_NULL
#define MPI_LOGICAL4 MPI_DATATYPE_NULL
#define MPI_LOGICAL8 MPI_DATATYPE_NULL
#define MPI_LOGICAL16 MPI_DATATYPE_NULL
#endif
#ifndef MPI_REAL2
#define MPI_REAL2 MPI_DATATYPE_NULL
#define MPI_COMPLEX4 MPI_DATATYPE_NULL
#endif
#ifndef DDTSCOPE_MPI_H_HAS_VALUE_INDEX
enum { MPI_COMBINER_VALUE_INDEX = -1 };
#endif
#ifndef MPI_ERR_ERRHANDLER
#define MPI_ERR_ERRHANDLER -1
#endif
#ifndef MPI_ERR_ABI
#define MPI_ERR_ABI -1
#endif

#define DDTSCOPE_HANDLE(name) (unsigned long)(unsigned)(name),
#define DDTSCOPE_NUMBER(kind, name)
const unsigned long played_native_handles[] = {
#include "names.def"
};
#undef DDTSCOPE_HANDLE
#undef DDTSCOPE_NUMBER
#define DDTSCOPE_HANDLE(name)
#define DDTSCOPE_NUMBER(kind, name) name,
const int played_native_numbers[] = {
#include "names.def"
};
#define DDTSCOPE_ERROR_CLASS(name) MPI_ERR_##name,
const int played_native_error_classes[] = {
#include "reporters/trace/format/error_classes.def"
};
