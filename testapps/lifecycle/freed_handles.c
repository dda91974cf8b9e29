// Handles used after they were freed, which MPICH 4.0.2 takes without an error: nobody may ask the library about them.
#include "testapp.h"

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  MPI_Datatype vector;
  CHECK(MPI_Type_vector(3, 1, 2, MPI_INT, &vector));
  CHECK(MPI_Type_commit(&vector));
  MPI_Datatype freed = vector;
  CHECK(MPI_Type_free(&vector));

  MPI_Datatype of_freed, of_that, copy, live;
  CHECK(MPI_Type_contiguous(2, freed, &of_freed));
  CHECK(MPI_Type_contiguous(3, of_freed, &of_that));
  CHECK(MPI_Type_dup(freed, &copy));
  CHECK(MPI_Type_commit(&freed));

  // The library may give the handle again.
  CHECK(MPI_Type_contiguous(7, MPI_CHAR, &live));
  CHECK(MPI_Type_commit(&live));
  CHECK(MPI_Type_free(&live));

  // What is alive through another type is alive for the library, and for whoever asks that type.
  MPI_Datatype inner, outer, inner_again;
  CHECK(MPI_Type_vector(4, 1, 2, MPI_INT, &inner));
  CHECK(MPI_Type_contiguous(5, inner, &outer));
  CHECK(MPI_Type_free(&inner));
  int count;
  MPI_Aint none;
  CHECK(MPI_Type_get_contents(outer, 1, 0, 1, &count, &none, &inner_again));
  CHECK(MPI_Type_commit(&inner_again));
  CHECK(MPI_Type_free(&inner_again));
  CHECK(MPI_Type_free(&outer));
  printf("done\n");
  CHECK(MPI_Finalize());
  return 0;
}
