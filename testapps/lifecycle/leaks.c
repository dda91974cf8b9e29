// A function makes columns for two callers, which use them: one frees them, the other does not. With "running" as an
// argument the program waits for a line from its standard input before it ends.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void use(MPI_Datatype column) {
  static double from[100], packed[10];
  int position = 0;
  MPI_Pack(from, 1, column, packed, sizeof packed, &position, MPI_COMM_SELF);
}

__attribute__((noinline)) static MPI_Datatype make_column(int rows) {
  MPI_Datatype column;
  MPI_Type_vector(rows, 1, 10, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  use(column);
  return column;
}

__attribute__((noinline)) static void tidy(int rows) {
  for (int i = 0; i < 150; ++i) {
    MPI_Datatype column = make_column(rows);
    MPI_Type_free(&column);
  }
}

__attribute__((noinline)) static void leaky(int times) {
  for (int i = 0; i < times; ++i) {
    MPI_Datatype column = make_column(i % 3 == 0 ? 7 : 8);
    if (i % 10 == 9) MPI_Type_free(&column);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  tidy(5);
  leaky(40);
  // MPI-4.1 5.1.10: committed as the type that it is a copy of.
  MPI_Datatype column = make_column(3);
  MPI_Datatype copy;
  MPI_Type_dup(column, &copy);
  use(copy);
  MPI_Type_free(&copy);
  MPI_Type_free(&column);
  if (argc > 1 && strcmp(argv[1], "running") == 0) {
    puts("made");
    fflush(stdout);
    getchar();
  }
  MPI_Finalize();
  return 0;
}
