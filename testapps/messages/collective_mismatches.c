/* Collective operations about which the processes do not agree, and their twins about which they do: each case by its
 * name, on two to four processes. All return in the libraries at hand: what is sent is short. The program looks at no
 * return code. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;
static char in[1 << 14], out[1 << 14];
static int counts[64], displacements[64];
static MPI_Datatype types[64];

enum { right = -1 };

/* Of two processes only: what each sends is for the other, which does not wait for it. */
static void call_differs(int wrong) {
  if (rank == wrong) MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank != wrong) MPI_Bcast(in, 1, MPI_INT, 0, MPI_COMM_WORLD);
}
static void root_differs(int wrong) { MPI_Bcast(in, 4, MPI_INT, rank == wrong ? 1 : 0, MPI_COMM_WORLD); }
static void ends_early(int wrong) {
  for (int i = 0; i < 20; ++i) MPI_Bcast(in, 4, MPI_INT, 0, MPI_COMM_WORLD);
  if (wrong != right && rank == 0) MPI_Bcast(in, 4, MPI_INT, 0, MPI_COMM_WORLD);
}

static void op_differs(int wrong) {
  for (int i = 0; i < 30; ++i) {
    MPI_Allreduce(in, out, 2, MPI_INT, rank == wrong && i == 17 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
  }
}
static void type_differs(int wrong) {
  for (int i = 0; i < 30; ++i) {
    MPI_Bcast(in, 4, rank == wrong && i >= 10 ? MPI_FLOAT : MPI_INT, 0, MPI_COMM_WORLD);
  }
}
static void type_is_alike(int wrong) { MPI_Bcast(in, 4, rank == wrong ? MPI_INT64_T : MPI_LONG, 0, MPI_COMM_WORLD); }
static void built_otherwise(int wrong) {
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  if (rank == wrong) MPI_Bcast(in, 2, pair, 0, MPI_COMM_WORLD);
  if (rank != wrong) MPI_Bcast(in, 4, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Type_free(&pair);
}
static void reduced_as_floats(int wrong) {
  MPI_Reduce(in, out, 3, rank == wrong ? MPI_FLOAT : MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}
static void scattered_as_floats(int wrong) {
  MPI_Scatter(in, 2, MPI_INT, out, 2, rank == wrong ? MPI_FLOAT : MPI_INT, 0, MPI_COMM_WORLD);
}
static void gathered_as_ints(int wrong) {
  if (rank == wrong) MPI_Allgather(in, 1, MPI_DOUBLE, out, 2, MPI_INT, MPI_COMM_WORLD);
  if (rank != wrong) MPI_Allgather(in, 2, MPI_INT, out, 2, MPI_INT, MPI_COMM_WORLD);
}

static void alike(int count) {
  for (int i = 0; i < size; ++i) counts[i] = count, displacements[i] = 64 * i, types[i] = MPI_INT;
}
/* The root has room for more than the last process sends. */
static void gathered_less(int wrong) {
  alike(2);
  if (wrong != right) counts[size - 1] = 3;
  MPI_Gatherv(in, 2, MPI_INT, out, counts, displacements, MPI_INT, 0, MPI_COMM_WORLD);
}
/* Process 0 has room for more than process 1 sends to it. */
static void exchanged_less(int wrong) {
  alike(2);
  if (rank == 0 && wrong != right) counts[1] = 3;
  int sent[64];
  for (int i = 0; i < size; ++i) sent[i] = 2;
  MPI_Alltoallv(in, sent, displacements, MPI_INT, out, counts, displacements, MPI_INT, MPI_COMM_WORLD);
}
static void exchanged_as_floats(int wrong) {
  MPI_Datatype received[64];
  alike(2);
  for (int i = 0; i < size; ++i) displacements[i] = 256 * i, received[i] = MPI_INT;
  if (rank == wrong) received[0] = MPI_FLOAT;
  MPI_Alltoallw(in, counts, displacements, types, out, counts, displacements, received, MPI_COMM_WORLD);
}
/* What it gets of itself is not what it sends to itself; with the others all is right. */
static void to_itself_as_floats(int wrong) {
  MPI_Datatype received[64];
  alike(2);
  for (int i = 0; i < size; ++i) displacements[i] = 256 * i, received[i] = MPI_INT;
  if (rank == wrong) received[rank] = MPI_FLOAT;
  for (int i = 0; i < 3; ++i) {
    MPI_Alltoallw(in, counts, displacements, types, out, counts, displacements, received, MPI_COMM_WORLD);
  }
}
/* What a process gives stands where it receives. */
static void gathered_in_place(int wrong) {
  const MPI_Datatype type = rank == wrong ? MPI_FLOAT : MPI_INT;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, type, MPI_COMM_WORLD);
}
static void exchanged_in_place(int wrong) {
  alike(2);
  for (int i = 0; i < size; ++i) displacements[i] = 256 * i;
  if (rank == wrong) types[0] = MPI_FLOAT;
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, out, counts, displacements, types, MPI_COMM_WORLD);
}
/* On another communicator, nonblocking, behind others that are right. */
static void elsewhere(int wrong) {
  MPI_Comm copy;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  for (int i = 0; i < 5; ++i) {
    MPI_Iallreduce(in, out, 1, rank == wrong && i == 4 ? MPI_FLOAT : MPI_INT, MPI_SUM, copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm_free(&copy);
}

/* Constructors of windows and files, among other calls of their communicator: with talks_to_nobody.c alone these come
 * back. */
static void window_differs(int wrong) {
  MPI_Win window;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == wrong) MPI_Barrier(MPI_COMM_WORLD);
  if (rank != wrong) MPI_Win_create(in, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
}
static void windows_differ(int wrong) {
  MPI_Win window;
  if (rank == wrong) MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (rank != wrong) MPI_Win_create(in, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
}
/* What only one process opens is of MPI_COMM_SELF. */
static void file_differs(int wrong) {
  MPI_File file;
  if (rank == 0) MPI_File_open(MPI_COMM_SELF, "own.data", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
  if (rank == wrong) MPI_Barrier(MPI_COMM_WORLD);
  if (rank != wrong) {
    MPI_File_open(MPI_COMM_WORLD, "file.data", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
  }
}
/* Behind a file that could not be opened: "open, else create" begins so. */
static void behind_no_file(int wrong) {
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, "nobody/has/this.data", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_Bcast(in, 4, rank == wrong ? MPI_FLOAT : MPI_INT, 0, MPI_COMM_WORLD);
}

/* Between the processes of even rank and those of odd rank. */
static MPI_Comm between(void) {
  MPI_Comm own, both;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &own);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &both);
  MPI_Comm_free(&own);
  MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
  return both;
}
static void broadcast_to_others(int wrong) {
  MPI_Comm both = between();
  const int root = rank % 2 == 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  /* Volatile: one call site, where the compiler would unroll the loop. */
  for (volatile int i = 0; i < 3; ++i) MPI_Bcast(in, 4, rank == wrong ? MPI_FLOAT : MPI_INT, root, both);
  MPI_Comm_free(&both);
}
static void gathered_from_others(int wrong) {
  MPI_Comm both = between();
  const int is_odd = rank % 2;
  MPI_Allgather(in, is_odd ? 3 : 2, rank == wrong ? MPI_FLOAT : MPI_INT, out, is_odd ? 2 : 3, MPI_INT, both);
  MPI_Comm_free(&both);
}
static void reduced_by_others(int wrong) {
  MPI_Comm both = between();
  MPI_Allreduce(in, out, 3, rank == wrong ? MPI_FLOAT : MPI_INT, MPI_SUM, both);
  MPI_Comm_free(&both);
}
/* In a ring, in which each sends as much to the one side as it gets from the other. */
static void exchanged_in_a_ring(int wrong) {
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &ring);
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  const int sent[] = {2, 3}, got[] = {3, 2}, places[] = {0, 64};
  MPI_Neighbor_alltoallv(in, sent, places, rank == wrong ? MPI_FLOAT : MPI_INT, out, got, places, MPI_INT, ring);
  MPI_Comm_free(&ring);
}
/* In a line of two dimensions, at whose ends nobody is. */
static void gathered_in_a_line(int wrong) {
  MPI_Comm line;
  MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){size, 1}, (int[]){0, 0}, 0, &line);
  MPI_Comm_set_errhandler(line, MPI_ERRORS_RETURN);
  MPI_Neighbor_allgather(in, 2, MPI_INT, out, 2, rank == wrong ? MPI_FLOAT : MPI_INT, line);
  MPI_Comm_free(&line);
}
/* Process 0 has two edges to process 1: its first block meets the first one there. */
static void exchanged_twice(int wrong) {
  MPI_Comm graph;
  const int sources[] = {0, 0}, destinations[] = {1, 1}, weights[] = {1, 1};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == 1 ? 2 : 0, sources, weights, rank == 0 ? 2 : 0, destinations,
                                 weights, MPI_INFO_NULL, 0, &graph);
  MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
  const MPI_Datatype sent[] = {MPI_INT, MPI_FLOAT}, got[] = {MPI_INT, rank == wrong ? MPI_INT : MPI_FLOAT};
  const MPI_Aint bytes[] = {0, 64};
  MPI_Neighbor_alltoallw(in, (int[]){2, 3}, bytes, sent, out, (int[]){2, 3}, bytes, got, graph);
  MPI_Comm_free(&graph);
}

static const struct {
  const char* name;
  void (*run)(int wrong);
} cases[] = {{"call", call_differs},
             {"root", root_differs},
             {"ends", ends_early},
             {"op", op_differs},
             {"type", type_differs},
             {"alike", type_is_alike},
             {"built", built_otherwise},
             {"reduced", reduced_as_floats},
             {"scattered", scattered_as_floats},
             {"gathered", gathered_as_ints},
             {"gatherv", gathered_less},
             {"alltoallv", exchanged_less},
             {"alltoallw", exchanged_as_floats},
             {"to_itself", to_itself_as_floats},
             {"in_place_allgather", gathered_in_place},
             {"in_place_alltoallw", exchanged_in_place},
             {"elsewhere", elsewhere},
             {"window", window_differs},
             {"windows", windows_differ},
             {"file", file_differs},
             {"no_file", behind_no_file},
             {"inter_bcast", broadcast_to_others},
             {"inter_allgather", gathered_from_others},
             {"inter_allreduce", reduced_by_others},
             {"ring", exchanged_in_a_ring},
             {"line", gathered_in_a_line},
             {"graph", exchanged_twice}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int wrong = argc > 2 && strcmp(argv[2], "wrong") == 0 ? 1 : right;
  for (unsigned i = 0; argc > 1 && i < sizeof cases / sizeof *cases; ++i) {
    if (strcmp(cases[i].name, argv[1]) == 0) cases[i].run(wrong);
  }
  MPI_Finalize();
  return 0;
}
