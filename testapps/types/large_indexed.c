// Indexed types of 100,000 blocks: with a constant step, and irregular ones.
#include "testapp.h"

enum { BLOCKS = 100000 };

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  int* blocklengths = malloc(BLOCKS * sizeof(int));
  int* displacements = malloc(BLOCKS * sizeof(int));
  for (int i = 0; i < BLOCKS; ++i) {
    blocklengths[i] = 2;
    displacements[i] = 5 * i;
  }
  MPI_Datatype type;
  CHECK(MPI_Type_indexed(BLOCKS, blocklengths, displacements, MPI_INT, &type));
  name_and_print(type, "constant step");
  CHECK(MPI_Type_commit(&type));
  CHECK(MPI_Type_free(&type));
  for (int i = 0; i < BLOCKS; ++i) {
    blocklengths[i] = 1 + i % 3;
    displacements[i] = 5 * i + (int)((unsigned)i * 2654435761u >> 31);
  }
  CHECK(MPI_Type_indexed(BLOCKS, blocklengths, displacements, MPI_INT, &type));
  name_and_print(type, "irregular");
  CHECK(MPI_Type_free(&type));
  free(blocklengths);
  free(displacements);
  CHECK(MPI_Finalize());
  return 0;
}
