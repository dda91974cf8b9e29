/* bench_halo ROWS COLUMNS STEPS: the heat equation by finite differences on ranks side by side, as users write it: each
 * step makes the types of its edges anew. Prints the sum of the field, and how long the steps took on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void exchange_edges(double* field, int rows, int width, int left, int right) {
  MPI_Datatype column, edge;
  MPI_Type_vector(rows, 1, width, MPI_DOUBLE, &column);
  MPI_Type_create_resized(column, 0, (MPI_Aint)sizeof(double), &edge);
  MPI_Type_commit(&edge);
  MPI_Sendrecv(field + 1, 1, edge, left, 0, field + width - 1, 1, edge, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(field + width - 2, 1, edge, right, 1, field, 1, edge, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&edge);
  MPI_Type_free(&column);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rows = argc > 1 ? atoi(argv[1]) : 256;
  const int width = (argc > 2 ? atoi(argv[2]) : 256) + 2;
  const int steps = argc > 3 ? atoi(argv[3]) : 1000;
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  double* field = calloc((size_t)rows * (size_t)width, sizeof *field);
  double* next = calloc((size_t)rows * (size_t)width, sizeof *next);
  if (field == NULL || next == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  field[rows / 2 * width + width / 2] = 1e6;
  const double begin = now();
  for (int step = 0; step < steps; ++step) {
    exchange_edges(field, rows, width, left, right);
    for (int i = 1; i < rows - 1; ++i) {
      for (int j = 1; j < width - 1; ++j) {
        const double* at = field + i * width + j;
        next[i * width + j] = at[0] + 0.1 * (at[-1] + at[1] + at[-width] + at[width] - 4 * at[0]);
      }
    }
    double* swapped = field;
    field = next;
    next = swapped;
  }
  const double taken = now() - begin;
  double own = 0, sum = 0;
  for (int i = 0; i < rows; ++i) {
    for (int j = 1; j < width - 1; ++j) own += field[i * width + j];
  }
  MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %.6e\nsteps_seconds %.4f\n", sum, taken);
  free(field);
  free(next);
  MPI_Finalize();
  return 0;
}
