// Makes many types that are all different: more than the trace may take, where it has a limit.
#include "testapp.h"

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  const int types = argc > 1 ? atoi(argv[1]) : 1000;
  for (int i = 0; i < types; ++i) {
    MPI_Datatype type;
    CHECK(MPI_Type_vector(2 + i, 1, 3, MPI_INT, &type));
    CHECK(MPI_Type_commit(&type));
    CHECK(MPI_Type_free(&type));
  }
  printf("made %d types\n", types);
  CHECK(MPI_Finalize());
  return 0;
}
