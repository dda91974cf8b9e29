// Times MPI_Put and MPI_Win_flush to the process itself, within one epoch: nanoseconds for both.
//
//   bench_put same|walk OPERATIONS
//
// same: at one displacement; walk: at one after the other.
#include <string.h>

#include "testapp.h"

enum { ROUNDS = 100, PLACES = 64 };

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const int walks = strcmp(argv[1], "walk") == 0;
  const int operations = integer_of(argv[2]);
  int rank;
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  double* memory;
  const double origin = 1;
  MPI_Win window;
  CHECK(MPI_Win_allocate(PLACES * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window));
  CHECK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window));
  double best = 1e9;
  for (int round = 0; round < ROUNDS; ++round) {
    const double begin = MPI_Wtime();
    for (int i = 0; i < operations; ++i) {
      CHECK(MPI_Put(&origin, 1, MPI_DOUBLE, rank, walks ? i % PLACES : 0, 1, MPI_DOUBLE, window));
      CHECK(MPI_Win_flush(rank, window));
    }
    const double taken = MPI_Wtime() - begin;
    if (taken < best) best = taken;
  }
  printf("ns_per_put %.1f\n", best / operations * 1e9);
  CHECK(MPI_Win_unlock(rank, window));
  CHECK(MPI_Win_free(&window));
  CHECK(MPI_Finalize());
  return 0;
}
