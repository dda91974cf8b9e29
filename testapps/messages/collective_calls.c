/* Collective operations of every kind. Each process tells what it calls, as the standard has it significant there: one
 * line for each call, into the file of its rank. What else is done is said by the first argument: nothing ("plain"), a
 * call that fails, MPI_Pcontrol, two threads, or an end by a signal. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static FILE* told;
static int in[4096], out[4096];
enum { most = 64 };
static int counts[most], displacements[most];
static MPI_Datatype vector;  // definition 0

#define CHECK(call)                                                           \
  do {                                                                        \
    if ((call) != MPI_SUCCESS) fprintf(stderr, "%s fails\n", #call), exit(3); \
  } while (0)

/* Communicator -1 is MPI_COMM_WORLD, others are counted as they are made. */
static void tell(int communicator, const char* called, const char* sides, ...) {
  va_list values;
  va_start(values, sides);
  fprintf(told, "%d %s ", communicator, called);
  vfprintf(told, sides, values);
  fputc('\n', told);
  va_end(values);
}

static void rooted(int root, MPI_Comm world) {
  for (int i = 0; i < size; ++i) counts[i] = i / 2 + 1, displacements[i] = 8 * i;
  CHECK(MPI_Bcast(in, 3, vector, root, world));
  if (rank == root) tell(-1, "MPI_Bcast", "%d null [[1,0,3]] null", root);
  if (rank != root) tell(-1, "MPI_Bcast", "%d null null [[1,0,3]]", root);
  CHECK(MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, root, world));
  if (rank == root) tell(-1, "MPI_Gather", "%d null [[1,\"MPI_INT\",2]] [[%d,\"MPI_INT\",2]]", root, size);
  if (rank != root) tell(-1, "MPI_Gather", "%d null [[1,\"MPI_INT\",2]] null", root);
  if (rank == root) CHECK(MPI_Scatter(in, 2, MPI_INT, MPI_IN_PLACE, 7, MPI_DATATYPE_NULL, root, world));
  if (rank != root) CHECK(MPI_Scatter(NULL, -3, MPI_DATATYPE_NULL, out, 2, MPI_INT, root, world));
  if (rank == root) tell(-1, "MPI_Scatter", "%d null [[%d,\"MPI_INT\",2]] \"in place\"", root, size);
  if (rank != root) tell(-1, "MPI_Scatter", "%d null null [[1,\"MPI_INT\",2]]", root);
  int* const anything = rank == root ? counts : (int*)8;
  CHECK(MPI_Gatherv(in, counts[rank], MPI_INT, out, anything, displacements, MPI_INT, root, world));
  if (rank == root) {
    char runs[256] = "[[1,\"MPI_INT\",1]]";
    if (size == 2) strcpy(runs, "[[2,\"MPI_INT\",1]]");
    if (size == 3) strcpy(runs, "[[2,\"MPI_INT\",1],[1,\"MPI_INT\",2]]");
    if (size == 4) strcpy(runs, "[[2,\"MPI_INT\",1],[2,\"MPI_INT\",2]]");
    tell(-1, "MPI_Gatherv", "%d null [[1,\"MPI_INT\",%d]] %s", root, counts[rank], runs);
  } else {
    tell(-1, "MPI_Gatherv", "%d null [[1,\"MPI_INT\",%d]] null", root, counts[rank]);
  }
  if (rank == root) CHECK(MPI_Reduce(MPI_IN_PLACE, out, 5, MPI_INT, MPI_MAX, root, world));
  if (rank != root) CHECK(MPI_Reduce(in, NULL, 5, MPI_INT, MPI_MAX, root, world));
  tell(-1, "MPI_Reduce", "%d MPI_MAX [[1,\"MPI_INT\",5]] null", root);
}

static void add(void* from, void* to, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)to)[i] += ((int*)from)[i];
}

static void of_all(MPI_Comm world) {
  MPI_Datatype types[most];
  MPI_Request request;
  MPI_Op op;
  for (int i = 0; i < size; ++i) counts[i] = 1, displacements[i] = 8 * i * (int)sizeof(int);
  CHECK(MPI_Op_create(add, 1, &op));
  CHECK(MPI_Barrier(world));
  tell(-1, "MPI_Barrier", "null null null null");
  CHECK(MPI_Ibarrier(world, &request));
  tell(-1, "MPI_Ibarrier", "null null null null");
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, world));
  tell(-1, "MPI_Allreduce", "null MPI_SUM [[1,\"MPI_INT\",1]] null");
  CHECK(MPI_Iallreduce(in, out, 1, MPI_INT, op, world, &request));
  tell(-1, "MPI_Iallreduce", "null user-defined [[1,\"MPI_INT\",1]] null");
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(MPI_Scan(in, out, 2, MPI_INT, MPI_SUM, world));
  tell(-1, "MPI_Scan", "null MPI_SUM [[1,\"MPI_INT\",2]] null");
  CHECK(MPI_Exscan(in, out, 2, MPI_INT, MPI_SUM, world));
  tell(-1, "MPI_Exscan", "null MPI_SUM [[1,\"MPI_INT\",2]] null");
  CHECK(MPI_Reduce_scatter_block(in, out, 2, MPI_INT, MPI_SUM, world));
  tell(-1, "MPI_Reduce_scatter_block", "null MPI_SUM [[%d,\"MPI_INT\",2]] null", size);
  CHECK(MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, world));
  tell(-1, "MPI_Reduce_scatter", "null MPI_SUM [[%d,\"MPI_INT\",1]] null", size);
  CHECK(MPI_Allgather(MPI_IN_PLACE, 99, MPI_DATATYPE_NULL, out, 2, MPI_INT, world));
  tell(-1, "MPI_Allgather", "null null \"in place\" [[%d,\"MPI_INT\",2]]", size);
  CHECK(MPI_Allgatherv(in, 1, MPI_INT, out, counts, displacements, MPI_INT, world));
  tell(-1, "MPI_Allgatherv", "null null [[1,\"MPI_INT\",1]] [[%d,\"MPI_INT\",1]]", size);
  CHECK(MPI_Alltoall(in, 3, MPI_INT, out, 3, MPI_INT, world));
  tell(-1, "MPI_Alltoall", "null null [[%d,\"MPI_INT\",3]] [[%d,\"MPI_INT\",3]]", size, size);
  CHECK(MPI_Alltoallv(in, counts, displacements, MPI_INT, out, counts, displacements, MPI_INT, world));
  tell(-1, "MPI_Alltoallv", "null null [[%d,\"MPI_INT\",1]] [[%d,\"MPI_INT\",1]]", size, size);
  for (int i = 0; i < size; ++i) counts[i] = rank == 0 || i == 0 ? 2 : 0;  // 2 x vector is received as such
  for (int i = 0; i < size; ++i) types[i] = counts[i] != 0 ? vector : MPI_INT;
  CHECK(MPI_Alltoallw(in, counts, displacements, types, out, counts, displacements, types, world));
  char runs[256];
  snprintf(runs, sizeof runs, "[[1,0,2],[%d,\"MPI_INT\",0]]", size - 1);
  if (rank == 0) snprintf(runs, sizeof runs, "[[%d,0,2]]", size);
  tell(-1, "MPI_Alltoallw", "null null %s %s", runs, runs);
  CHECK(MPI_Op_free(&op));
}

/* The communicators that are made have the numbers 0, 1, ... */
static void communicators(void) {
  MPI_Comm copy, part, torus, between, alone;
  MPI_Request request;
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  tell(-1, "MPI_Comm_dup", "null null null null");
  CHECK(PMPI_Comm_split(copy, rank % 2, 0, &part));
  tell(0, "PMPI_Comm_split", "null null null null");
  int parts;
  MPI_Comm_size(part, &parts);
  CHECK(PMPI_Barrier(part));
  if (parts > 1) tell(1, "PMPI_Barrier", "null null null null");
  const int periodic = 0;
  CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &torus));
  tell(-1, "MPI_Cart_create", "null null null null");
  CHECK(MPI_Neighbor_allgather(in, 2, MPI_INT, out, 2, MPI_INT, torus));
  const char* neighbours = rank == 0          ? "[[1,null,0],[1,\"MPI_INT\",2]]"
                           : rank == size - 1 ? "[[1,\"MPI_INT\",2],[1,null,0]]"
                                              : "[[2,\"MPI_INT\",2]]";
  tell(2, "MPI_Neighbor_allgather", "null null [[1,\"MPI_INT\",2]] %s", neighbours);
  /* Only its processes call this: it stands in no sequence. */
  CHECK(MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &between));
  const int root = rank % 2 == 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  CHECK(MPI_Ibcast(in, 4, MPI_INT, root, between, &request));
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (root == MPI_ROOT) tell(3, "MPI_Ibcast", "MPI_ROOT null [[1,\"MPI_INT\",4]] null");
  if (root == MPI_PROC_NULL) tell(3, "MPI_Ibcast", "MPI_PROC_NULL null null null");
  if (root == 0) tell(3, "MPI_Ibcast", "0 null null [[1,\"MPI_INT\",4]]");
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone));
  tell(-1, "MPI_Comm_split", "null null null null");
  CHECK(MPI_Barrier(alone));
  CHECK(MPI_Barrier(MPI_COMM_SELF));
  CHECK(MPI_Comm_free(&alone));
  CHECK(MPI_Comm_free(&between));
  CHECK(MPI_Comm_free(&torus));
  CHECK(MPI_Comm_free(&part));
  CHECK(MPI_Comm_free(&copy));
}

/* One call site, so one call, a million times over: a constant in the trace. */
static void loop(void) {
  for (int i = 0; i < 3000; ++i) {
    CHECK(MPI_Bcast(in, 1, MPI_INT, i % size, MPI_COMM_WORLD));
    if (rank == i % size) tell(-1, "MPI_Bcast", "%d null [[1,\"MPI_INT\",1]] null", i % size);
    if (rank != i % size) tell(-1, "MPI_Bcast", "%d null null [[1,\"MPI_INT\",1]]", i % size);
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    tell(-1, "MPI_Barrier", "null null null null");
  }
}

#if MPI_VERSION >= 4
static void of_mpi_4(void) {
  MPI_Request request;
  CHECK(MPI_Bcast_c(in, 3, MPI_INT, 0, MPI_COMM_WORLD));
  if (rank == 0) tell(-1, "MPI_Bcast_c", "0 null [[1,\"MPI_INT\",3]] null");
  if (rank != 0) tell(-1, "MPI_Bcast_c", "0 null null [[1,\"MPI_INT\",3]]");
  CHECK(MPI_Allreduce_init(in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  tell(-1, "MPI_Allreduce_init", "null MPI_SUM [[1,\"MPI_INT\",2]] null");
  for (int i = 0; i < 2; ++i) {
    CHECK(MPI_Start(&request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  CHECK(MPI_Request_free(&request));
  CHECK(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  tell(-1, "MPI_Barrier_init", "null null null null");
  CHECK(MPI_Request_free(&request));
}
#endif

static MPI_Comm of_thread[2];
static void* work(void* which) {
  for (int i = 0; i < 500; ++i) {
    int one = 1, sum = 0;
    CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, which == of_thread ? MPI_SUM : MPI_MAX, *(MPI_Comm*)which));
  }
  return NULL;
}
static void threads(void) {
  pthread_t other;
  for (int i = 0; i < 2; ++i) {
    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &of_thread[i]));
    tell(-1, "MPI_Comm_dup", "null null null null");
    for (int k = 0; k < 500; ++k)
      tell(i, "MPI_Allreduce", "null %s [[1,\"MPI_INT\",1]] null", i == 0 ? "MPI_SUM" : "MPI_MAX");
  }
  pthread_create(&other, NULL, work, &of_thread[1]);
  work(&of_thread[0]);
  pthread_join(other, NULL);
}

int main(int argc, char** argv) {
  const char* what = argc > 2 ? argv[1] : "plain";
  const int has_threads = strcmp(what, "threads") == 0;
  int provided;
  MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char name[4096];
  snprintf(name, sizeof name, "%s.%d", argv[argc > 2 ? 2 : 1], rank);
  told = fopen(name, "w");
  CHECK(MPI_Type_vector(2, 1, 2, MPI_INT, &vector));
  CHECK(MPI_Type_commit(&vector));
  if (strcmp(what, "plain") == 0) {
    for (int root = 0; root < size; ++root) rooted(root, MPI_COMM_WORLD);
    of_all(MPI_COMM_WORLD);
    communicators();
    loop();
#if MPI_VERSION >= 4
    of_mpi_4();
#endif
  } else if (has_threads) {
    if (provided < MPI_THREAD_MULTIPLE) return fprintf(stderr, "no threads\n"), 3;
    threads();
  } else {
    rooted(0, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (strcmp(what, "fails") == 0) MPI_Bcast(in, -1, MPI_INT, 0, MPI_COMM_WORLD);
    if (strcmp(what, "stops") == 0) MPI_Pcontrol(0);
    if (strcmp(what, "killed") == 0) {
      fclose(told);
      MPI_Barrier(MPI_COMM_WORLD);
      raise(SIGKILL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "stops") == 0) MPI_Pcontrol(1);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Type_free(&vector);
  fclose(told);
  MPI_Finalize();
  return 0;
}
