// The demo's own program: ranks in a row exchange the edges of their tiles. It also shows what a review would
// complain about: types that are never freed, one that is never committed, and a struct with holes.
#include <stddef.h>

#include "testapp.h"

enum { ROWS = 10, COLUMNS = 12, STEPS = 50 };

struct Probe {
  char name[5];
  double value;
  short flags;
};

// Makes the edge's type anew in every step, as much real code does.
static void exchange_columns(double tile[ROWS][COLUMNS], int left, int right) {
  MPI_Datatype column;
  CHECK(MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column));
  CHECK(MPI_Type_commit(&column));
  CHECK(MPI_Sendrecv(&tile[0][1], 1, column, left, 0, &tile[0][COLUMNS - 1], 1, column, right, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE));
  CHECK(MPI_Sendrecv(&tile[0][COLUMNS - 2], 1, column, right, 1, &tile[0][0], 1, column, left, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE));
  CHECK(MPI_Type_free(&column));
}

static void share_probe(struct Probe* probe) {
  MPI_Datatype type;
  CHECK(MPI_Type_create_struct(
      3, (int[]){5, 1, 1},
      (MPI_Aint[]){offsetof(struct Probe, name), offsetof(struct Probe, value), offsetof(struct Probe, flags)},
      (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE, MPI_SHORT}, &type));
  CHECK(MPI_Type_set_name(type, "probe"));
  CHECK(MPI_Type_commit(&type));
  CHECK(MPI_Bcast(probe, 1, type, 0, MPI_COMM_WORLD));  // never freed
}

static void share_triangle(double matrix[8][8]) {
  int blocklengths[8], displacements[8];
  for (int row = 0; row < 8; ++row) {
    blocklengths[row] = 8 - row;
    displacements[row] = row * 8 + row;
  }
  MPI_Datatype triangle;
  CHECK(MPI_Type_indexed(8, blocklengths, displacements, MPI_DOUBLE, &triangle));
  CHECK(MPI_Type_set_name(triangle, "upper triangle"));
  CHECK(MPI_Type_commit(&triangle));
  CHECK(MPI_Bcast(matrix, 1, triangle, 0, MPI_COMM_WORLD));
  CHECK(MPI_Type_free(&triangle));
}

static void prepare_interior(void) {
  MPI_Datatype interior;
  CHECK(MPI_Type_create_subarray(2, (int[]){ROWS, COLUMNS}, (int[]){ROWS - 2, COLUMNS - 2}, (int[]){1, 1}, MPI_ORDER_C,
                                 MPI_DOUBLE, &interior));
  CHECK(MPI_Type_set_name(interior, "interior"));
  CHECK(MPI_Type_free(&interior));  // never committed
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  int rank, ranks;
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));

  static double tile[ROWS][COLUMNS], matrix[8][8];
  for (int i = 0; i < ROWS * COLUMNS; ++i) tile[i / COLUMNS][i % COLUMNS] = rank;
  prepare_interior();
  for (int step = 0; step < STEPS; ++step)
    exchange_columns(tile, rank > 0 ? rank - 1 : MPI_PROC_NULL, rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL);
  struct Probe probe = {"halo", tile[0][0], 1};
  share_probe(&probe);
  share_triangle(matrix);

  double sum = 0, total = 0;
  for (int i = 0; i < ROWS * COLUMNS; ++i) sum += tile[i / COLUMNS][i % COLUMNS];
  CHECK(MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
  if (rank == 0) printf("sum over all tiles: %g\n", total);
  CHECK(MPI_Finalize());
  return 0;
}
