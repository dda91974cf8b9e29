/* ends WAY RANK: makes 60 types on each rank, of which the last has the rank in it; then rank RANK ends in this way,
 * and all others by MPI_Finalize: "in_order", "late" (five seconds after the others), "exit" (_exit), "killed"
 * (SIGKILL). */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 60; ++i) {
    MPI_Datatype column;
    MPI_Type_vector(10, 1, i < 59 ? 100 + i : 1000 + rank, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Type_free(&column);
  }
  printf("ready %d\n", (int)getpid());
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 2 && rank == atoi(argv[2])) {
    if (strcmp(argv[1], "late") == 0) sleep(5);
    if (strcmp(argv[1], "exit") == 0) _exit(0);
    if (strcmp(argv[1], "killed") == 0) raise(SIGKILL);
  }
  MPI_Finalize();
  return 0;
}
