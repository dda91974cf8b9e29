// A type that holds its child twice, as often as argv says: 2^n entries out of n definitions.
#include "testapp.h"

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  int doublings = argc > 1 ? integer_of(argv[1]) : 60;
  MPI_Datatype type = MPI_BYTE;
  double start = MPI_Wtime();
  for (int i = 0; i < doublings; ++i) {
    MPI_Aint extent = (MPI_Aint)1 << i;
    MPI_Datatype twice;
    CHECK(MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, extent}, (MPI_Datatype[]){type, type}, &twice));
    if (i > 0) CHECK(MPI_Type_free(&type));
    type = twice;
  }
  fprintf(stderr, "doublings_seconds %.6f\n", MPI_Wtime() - start);
  name_and_print(type, "doubled");
  CHECK(MPI_Type_free(&type));
  CHECK(MPI_Finalize());
  return 0;
}
