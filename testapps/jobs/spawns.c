// Spawns processes, in the way that its first argument names. Each process makes a type that all have, and keeps one
// that tells its generation and rank apart from the others: contiguous(100 * generation + rank + 1).
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "testapp.h"

static char* program;
static char* way;
static char* argument;  // for some ways
static int generation;

/// A number from each side to the other, so that nobody goes on before all are there.
static void greet(MPI_Comm others) {
  int mine = getpid(), theirs = 0, rank;
  CHECK(MPI_Comm_rank(others, &rank));
  MPI_Status status;
  if (rank == 0) {
    CHECK(MPI_Sendrecv(&mine, 1, MPI_INT, 0, 7, &theirs, 1, MPI_INT, 0, 7, others, &status));
  }
}

static MPI_Comm spawn(MPI_Comm by, int processes, MPI_Info info) {
  char next[16];
  snprintf(next, sizeof next, "%d", generation + 1);
  char* arguments[] = {way, next, argument, NULL};
  MPI_Comm children;
  CHECK(MPI_Comm_spawn(program, arguments, processes, info, 0, by, &children, MPI_ERRCODES_IGNORE));
  greet(children);
  return children;
}

static MPI_Comm spawn_two_programs(void) {
  char* arguments[] = {way, "1", NULL};
  char* programs[] = {program, argument};
  char** arguments_of[] = {arguments, arguments};
  const int processes[] = {1, 2};
  const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  MPI_Comm children;
  CHECK(MPI_Comm_spawn_multiple(2, programs, arguments_of, processes, infos, 0, MPI_COMM_WORLD, &children,
                                MPI_ERRCODES_IGNORE));
  greet(children);
  return children;
}

static MPI_Comm spawn_elsewhere(void) {
  MPI_Info info;
  CHECK(MPI_Info_create(&info));
  CHECK(MPI_Info_set(info, "wdir", argument));
  MPI_Comm children = spawn(MPI_COMM_WORLD, 2, info);
  CHECK(MPI_Info_free(&info));
  return children;
}

/// Waits until a parent has ended that tells its process's number.
static void survive(MPI_Comm* parent) {
  int process = 0;
  CHECK(MPI_Bcast(&process, 1, MPI_INT, 0, *parent));
  CHECK(MPI_Comm_disconnect(parent));
  while (kill(process, 0) == 0 || errno != ESRCH) usleep(10000);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  program = argv[0];
  way = argv[1];
  generation = integer_of(argv[2]);
  argument = argv[3];
  CHECK(MPI_Init(&argc, &argv));
  int rank;
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  MPI_Comm parent;
  CHECK(MPI_Comm_get_parent(&parent));
  if (parent != MPI_COMM_NULL) greet(parent);

  MPI_Datatype common, own;
  CHECK(MPI_Type_vector(3, 1, 2, MPI_INT, &common));
  CHECK(MPI_Type_commit(&common));
  CHECK(MPI_Type_contiguous(100 * generation + rank + 1, MPI_INT, &own));
  printf("generation %d, rank %d\n", generation, rank);
  fflush(stdout);

  MPI_Comm children[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
  if (strcmp(way, "tree") == 0 && generation < 2) {
    children[0] = spawn(MPI_COMM_WORLD, generation == 0 ? 2 : 1, MPI_INFO_NULL);
  } else if (strcmp(way, "in_turn") == 0 && generation == 0) {
    children[0] = spawn(MPI_COMM_WORLD, 1, MPI_INFO_NULL);
    CHECK(MPI_Comm_disconnect(&children[0]));
    children[0] = spawn(MPI_COMM_WORLD, 2, MPI_INFO_NULL);
  } else if (strcmp(way, "at_once") == 0 && generation == 0) {
    children[0] = spawn(MPI_COMM_SELF, 1, MPI_INFO_NULL);
    children[1] = spawn(MPI_COMM_SELF, 1, MPI_INFO_NULL);
  } else if (strcmp(way, "two_programs") == 0 && generation == 0) {
    children[0] = spawn_two_programs();
  } else if (strcmp(way, "elsewhere") == 0 && generation == 0) {
    children[0] = spawn_elsewhere();
  } else if (strcmp(way, "orphans") == 0 && generation == 0) {
    children[0] = spawn(MPI_COMM_WORLD, 1, MPI_INFO_NULL);
    int process = getpid();
    CHECK(MPI_Bcast(&process, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, children[0]));
  } else if (strcmp(way, "orphans") == 0 && generation == 1) {
    survive(&parent);
    children[0] = spawn(MPI_COMM_WORLD, 1, MPI_INFO_NULL);
  } else if (strcmp(way, "waits") == 0) {
    // Until somebody makes the file.
    if (generation == 0) children[0] = spawn(MPI_COMM_WORLD, 2, MPI_INFO_NULL);
    while (access(argument, F_OK) != 0) usleep(10000);
  } else if (strcmp(way, "killed") == 0) {
    if (generation == 0) children[0] = spawn(MPI_COMM_WORLD, 2, MPI_INFO_NULL);
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    if (generation == 1 && rank == 1) raise(SIGKILL);
    CHECK(MPI_Barrier(generation == 0 ? children[0] : parent));
  }
  CHECK(MPI_Type_free(&common));
  for (int i = 0; i < 2; ++i) {
    if (children[i] != MPI_COMM_NULL) CHECK(MPI_Comm_disconnect(&children[i]));
  }
  if (parent != MPI_COMM_NULL) CHECK(MPI_Comm_disconnect(&parent));
  CHECK(MPI_Finalize());
  return 0;
}
