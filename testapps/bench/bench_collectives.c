// Times collective operations of which nothing is moved, or 8 bytes: nanoseconds for each, the least of several rounds.
//
//   bench_collectives self|world CALLS
#include <string.h>

#include "testapp.h"

enum { ROUNDS = 7 };

static MPI_Comm communicator;
static double value = 1, sum;

static void barrier(void) { CHECK(MPI_Barrier(communicator)); }
static void bcast(void) { CHECK(MPI_Bcast(&value, 1, MPI_DOUBLE, 0, communicator)); }
static void allreduce(void) { CHECK(MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, communicator)); }

static const struct {
  const char* name;
  void (*call)(void);
} operations[] = {{"ns_per_barrier", barrier}, {"ns_per_bcast", bcast}, {"ns_per_allreduce", allreduce}};

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  communicator = strcmp(argv[1], "self") == 0 ? MPI_COMM_SELF : MPI_COMM_WORLD;
  const int calls = integer_of(argv[2]);
  int rank;
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  for (unsigned i = 0; i < sizeof operations / sizeof *operations; ++i) {
    double best = 1e9;
    for (int round = 0; round < ROUNDS; ++round) {
      CHECK(MPI_Barrier(MPI_COMM_WORLD));
      const double begin = MPI_Wtime();
      for (int call = 0; call < calls; ++call) operations[i].call();
      const double took = MPI_Wtime() - begin;
      if (took < best) best = took;
    }
    if (rank == 0) printf("%s %.1f\n", operations[i].name, best / calls * 1e9);
  }
  CHECK(MPI_Finalize());
  return 0;
}
