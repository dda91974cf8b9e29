// every_line [TYPES]: what leaves each kind of line in a trace, and TYPES vectors more, which are all different. Says
// of each type that it was made.
#include "testapp.h"

static int types_made = 0;

static void made(MPI_Datatype* type, int is_freed) {
  CHECK(MPI_Type_commit(type));
  ++types_made;
  if (is_freed) CHECK(MPI_Type_free(type));
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  int rank = 0;
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  MPI_Datatype column, matrix, odd, copy, type;
  CHECK(MPI_Type_vector(10, 1, 12, MPI_DOUBLE, &column));
  CHECK(MPI_Type_set_name(column, "column"));
  CHECK(MPI_Type_contiguous(3 + rank, column, &matrix));
  made(&column, 1);
  int lengths[40], places[40];
  for (int i = 0; i < 40; ++i) {
    lengths[i] = 1 + i % 3;
    places[i] = i * i + 3 * i;
  }
  CHECK(MPI_Type_indexed(40, lengths, places, MPI_FLOAT, &odd));
  made(&odd, 1);
  CHECK(MPI_Type_dup(matrix, &copy));
  made(&matrix, 1);
  // The handle that it gives is one more type.
  int count;
  MPI_Aint address;
  CHECK(MPI_Type_get_contents(copy, 0, 0, 1, &count, &address, &type));
  made(&type, 1);
  made(&copy, 1);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  if (MPI_Type_contiguous(-1, MPI_INT, &type) == MPI_SUCCESS) return 1;
  const int types = argc > 1 ? integer_of(argv[1]) : 0;
  for (int i = 0; i < types; ++i) {
    CHECK(MPI_Type_vector(2 + i, 1, 3, MPI_INT, &type));
    made(&type, i % 3 != 0);
  }
  int all = 0;
  CHECK(MPI_Reduce(&types_made, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
  CHECK(MPI_Finalize());
  if (rank == 0) printf("%d types\n", all);
  return 0;
}
