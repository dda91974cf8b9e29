// The constructors that MPI-3.0 removed: mpi.h hides them, both libraries still export them.
#include "testapp.h"

#undef MPI_Type_hvector
#undef MPI_Type_hindexed
#undef MPI_Type_struct
int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype);
int MPI_Type_hindexed(int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype oldtype,
                      MPI_Datatype* newtype);
int MPI_Type_struct(int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[],
                    MPI_Datatype* newtype);

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  MPI_Datatype old_spelling, new_spelling;

  CHECK(MPI_Type_hvector(3, 2, 20, MPI_SHORT, &old_spelling));
  print_bounds("hvector", old_spelling);
  CHECK(MPI_Type_create_hvector(3, 2, 20, MPI_SHORT, &new_spelling));
  CHECK(MPI_Type_free(&old_spelling));
  CHECK(MPI_Type_free(&new_spelling));

  CHECK(MPI_Type_hindexed(2, (int[]){1, 2}, (MPI_Aint[]){4, 16}, MPI_FLOAT, &old_spelling));
  print_bounds("hindexed", old_spelling);
  CHECK(MPI_Type_free(&old_spelling));

  CHECK(MPI_Type_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_DOUBLE, MPI_CHAR}, &old_spelling));
  print_bounds("struct", old_spelling);
  CHECK(MPI_Type_free(&old_spelling));

  CHECK(MPI_Finalize());
  return 0;
}
