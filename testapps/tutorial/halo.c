// The tutorial's program: two tiles side by side exchange the two columns at their border. With an argument it does so
// by the type that is right.
#include <mpi.h>
#include <stdio.h>

enum { ROWS = 6, COLUMNS = 8, BORDER = 2 };

struct fields {
  double temperature[ROWS][COLUMNS];
  double pressure[ROWS][COLUMNS];
};

static MPI_Datatype border_column(void) {
  MPI_Datatype column;
  MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
  MPI_Type_set_name(column, "border column");
  MPI_Type_commit(&column);
  return column;
}

static MPI_Datatype border_column_resized(void) {
  MPI_Datatype column, resized;
  MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
  MPI_Type_create_resized(column, 0, sizeof(double), &resized);
  MPI_Type_set_name(resized, "border column");
  MPI_Type_commit(&resized);
  MPI_Type_free(&column);
  return resized;
}

static void exchange(double tile[ROWS][COLUMNS], int rank, MPI_Datatype column) {
  // The left tile's last two columns are the right one's first two, and the other way round.
  double* sent = &tile[0][rank == 0 ? COLUMNS - 2 * BORDER : BORDER];
  double* received = &tile[0][rank == 0 ? COLUMNS - BORDER : 0];
  MPI_Sendrecv(sent, BORDER, column, 1 - rank, 0, received, BORDER, column, 1 - rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static double sum(double tile[ROWS][COLUMNS]) {
  double total = 0;
  for (int i = 0; i < ROWS * COLUMNS; ++i) total += tile[i / COLUMNS][i % COLUMNS];
  return total;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) MPI_Abort(MPI_COMM_WORLD, 1);

  struct fields fields;
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    fields.temperature[i / COLUMNS][i % COLUMNS] = rank + 1;
    fields.pressure[i / COLUMNS][i % COLUMNS] = 100 * (rank + 1);
  }
  MPI_Datatype column = argc > 1 ? border_column_resized() : border_column();
  exchange(fields.temperature, rank, column);
  MPI_Type_free(&column);

  double sums[2] = {sum(fields.temperature), sum(fields.pressure)}, all[4];
  MPI_Gather(sums, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("temperature %g and %g, pressure %g and %g\n", all[0], all[2], all[1], all[3]);
  MPI_Finalize();
  return 0;
}
