// Layouts at the edge of what the standard allows: negative strides, empty types, entries that overlap.
#include "testapp.h"

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  MPI_Datatype type, empty;
  CHECK(MPI_Type_vector(3, 2, -4, MPI_INT, &type));
  name_and_print(type, "backwards");
  CHECK(MPI_Type_create_hindexed(3, (int[]){1, 1, 1}, (MPI_Aint[]){16, 0, -16}, MPI_DOUBLE, &type));
  name_and_print(type, "descending");

  CHECK(MPI_Type_contiguous(0, MPI_INT, &empty));
  name_and_print(empty, "empty");
  CHECK(MPI_Type_create_struct(0, NULL, NULL, NULL, &type));
  name_and_print(type, "empty struct");
  CHECK(MPI_Type_indexed(2, (int[]){0, 3}, (int[]){100, 2}, MPI_INT, &type));
  name_and_print(type, "block of length 0");

  CHECK(MPI_Type_vector(3, 4, 2, MPI_INT, &type));
  name_and_print(type, "overlapping blocks");
  CHECK(MPI_Type_create_hvector(4, 1, 0, MPI_DOUBLE, &type));
  name_and_print(type, "all in one place");
  CHECK(MPI_Type_vector(2, 1, 3, MPI_INT, &type));
  name_and_print(type, "interleaving copies");
  CHECK(MPI_Type_create_resized(type, 0, 4, &type));
  name_and_print(type, "interleaved");
  CHECK(MPI_Finalize());
  return 0;
}
