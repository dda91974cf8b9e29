// A chain of nested structs, as deep as argv says: nothing that looks at it may recurse.
#include "testapp.h"

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  int depth = argc > 1 ? integer_of(argv[1]) : 10000;
  MPI_Datatype type = MPI_INT;
  double start = MPI_Wtime();
  for (int i = 0; i < depth; ++i) {
    MPI_Datatype outer;
    CHECK(MPI_Type_create_struct(1, (int[]){1}, (MPI_Aint[]){4}, (MPI_Datatype[]){type}, &outer));
    if (i > 0) CHECK(MPI_Type_free(&type));
    type = outer;
  }
  fprintf(stderr, "chain_seconds %.6f\n", MPI_Wtime() - start);
  name_and_print(type, "chain");
  CHECK(MPI_Type_free(&type));
  CHECK(MPI_Finalize());
  return 0;
}
