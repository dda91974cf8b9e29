// MPI_Init called again, which is the program's error: under MPI_ERRORS_RETURN where told "return", else under the
// default.
#include <string.h>

#include "testapp.h"

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  MPI_Datatype type;
  CHECK(MPI_Type_contiguous(4, MPI_INT, &type));
  if (argc > 1 && strcmp(argv[1], "return") == 0) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  }
  fflush(stdout);
  printf("refused: %d\n", MPI_Init(&argc, &argv) != MPI_SUCCESS);
  CHECK(MPI_Type_free(&type));
  CHECK(MPI_Finalize());
  return 0;
}
