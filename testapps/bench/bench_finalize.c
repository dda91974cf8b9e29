/* bench_finalize N: each rank makes N different types, the same ones on all ranks, and ends; prints how long MPI_Init
 * and MPI_Finalize took on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void make_types(int number) {
  for (int i = 0; i < number; ++i) {
    MPI_Datatype column, face;
    const int sizes[3] = {64, 64, 64 + i}, subsizes[3] = {64, 1, 64}, starts[3] = {0, i % 64, 0};
    if (i % 2) {
      MPI_Type_vector(10 + i, 1, 1000, MPI_DOUBLE, &column);
      MPI_Type_commit(&column);
      MPI_Type_free(&column);
    } else {
      MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &face);
      MPI_Type_commit(&face);
      MPI_Type_free(&face);
    }
  }
}

int main(int argc, char** argv) {
  int rank;
  const double begin = now();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  const double started = now();
  make_types(argc > 1 ? atoi(argv[1]) : 200);
  MPI_Barrier(MPI_COMM_WORLD);
  const double ending = now();
  MPI_Finalize();
  if (rank == 0) printf("init_s %.6f\nfinalize_s %.6f\n", started - begin, now() - ending);
  return 0;
}
