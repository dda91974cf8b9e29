// What late_local.c opens.
#include "testapp.h"

int run_mpi(void);

int run_mpi(void) {
  CHECK(MPI_Init(NULL, NULL));
  MPI_Datatype vector, outer;
  CHECK(MPI_Type_vector(3, 1, 2, MPI_INT, &vector));
  CHECK(PMPI_Type_contiguous(2, vector, &outer));
  CHECK(PMPI_Type_commit(&outer));
  print_bounds("outer", outer);
  CHECK(MPI_Type_free(&outer));
  CHECK(PMPI_Type_free(&vector));
  CHECK(MPI_Finalize());
  return 0;
}
