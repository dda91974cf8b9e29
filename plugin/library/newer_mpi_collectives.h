// Functions that are collective without datatypes, and that an older mpi.h does not declare (MPI-4.0). Where mpi.h
// declares them, too, the compiler compares the two.
#pragma once

#include <mpi.h>

extern "C" {
int PMPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request);
}
