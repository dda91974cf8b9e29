// Makes communicators in all ways that MPI-3.1 has, on ranks that do not all make the same ones, and writes of each
// what its processes find out by talking to each other: a number that one of them gave it, and who they are. One line
// each, in the order in which this process made them, into a file of its own.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int world_rank, world_size;
static FILE* out;

/// "<number> intra|inter <world ranks, of an intercommunicator those of the other group>"
static MPI_Comm told(MPI_Comm comm) {
  static int given;
  int rank, size, is_inter, own, first, second;
  if (comm == MPI_COMM_NULL) return comm;
  MPI_Comm_test_inter(comm, &is_inter);
  MPI_Comm_rank(comm, &rank);
  if (is_inter) {
    MPI_Comm_remote_size(comm, &size);
  } else {
    MPI_Comm_size(comm, &size);
  }
  // Of an intercommunicator each group gets what the other one has: back and forth, both get both.
  own = rank == 0 ? 1000 * (world_rank + 1) + ++given : 0;
  MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MAX, comm);
  MPI_Allreduce(&first, &second, 1, MPI_INT, MPI_MAX, comm);
  fprintf(out, "%d %s", first < second ? first : second, is_inter ? "inter" : "intra");
  int* members = malloc((size_t)size * sizeof *members);
  MPI_Allgather(&world_rank, 1, MPI_INT, members, 1, MPI_INT, comm);
  for (int i = 0; i < size; ++i) fprintf(out, " %d", members[i]);
  fprintf(out, "\n");
  free(members);
  return comm;
}

static void tell_and_free(MPI_Comm comm) {
  if (told(comm) != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

static MPI_Comm duplicate(MPI_Comm comm) {
  MPI_Comm made;
  MPI_Comm_dup(comm, &made);
  return made;
}

static MPI_Comm split(MPI_Comm comm, int color, int key) {
  MPI_Comm made;
  MPI_Comm_split(comm, color, key, &made);
  return made;
}

/// Only the processes of the group call it.
static void create_group(MPI_Comm comm, int count, const int* ranks, int tag) {
  MPI_Group all, some;
  int rank;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, count, ranks, &some);
  MPI_Group_rank(some, &rank);
  if (rank != MPI_UNDEFINED) MPI_Comm_create_group(comm, some, tag, &made);
  tell_and_free(made);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
}

static void of_parts(MPI_Comm comm) {
  MPI_Comm halves = told(split(comm, world_rank % 2, -world_rank));
  // The halves make others of their own, not the same number of them.
  for (int i = 0; i <= world_rank % 2; ++i) tell_and_free(duplicate(halves));
  if (world_rank == 0) tell_and_free(duplicate(MPI_COMM_SELF));
  tell_and_free(split(comm, world_rank == world_size - 1 ? MPI_UNDEFINED : 0, 0));
  MPI_Group all, some;
  MPI_Comm made;
  const int ends[] = {world_size - 1, 0};
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, 2, ends, &some);
  MPI_Comm_create(comm, some, &made);
  tell_and_free(made);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  create_group(comm, 2, ends, 5);
  create_group(comm, 2, ends, 6);
  create_group(comm, 2, ends, 5);
  const int first[] = {0, 1};
  create_group(comm, 2, first, 5);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
  tell_and_free(made);
  MPI_Comm_free(&halves);
}

static void with_topologies(MPI_Comm comm) {
  int dims[2] = {0, 0};
  const int periods[2] = {1, 0};
  const int remain[2] = {0, 1};
  MPI_Comm grid, row, made;
  MPI_Dims_create(world_size, 2, dims);
  MPI_Cart_create(comm, 2, dims, periods, 0, &grid);
  told(grid);
  MPI_Cart_sub(grid, remain, &row);
  tell_and_free(row);
  MPI_Comm_free(&grid);
  int* ends = malloc((size_t)world_size * sizeof *ends);
  int* next = malloc((size_t)world_size * sizeof *next);
  for (int i = 0; i < world_size; ++i) {
    ends[i] = i + 1;
    next[i] = (i + 1) % world_size;
  }
  MPI_Graph_create(comm, world_size, ends, next, 0, &made);
  tell_and_free(made);
  const int one = 1;
  const int before = (world_rank + world_size - 1) % world_size;
  MPI_Dist_graph_create(comm, 1, &world_rank, &one, &next[world_rank], &one, MPI_INFO_NULL, 0, &made);
  tell_and_free(made);
  MPI_Dist_graph_create_adjacent(comm, 1, &before, &one, 1, &next[world_rank], &one, MPI_INFO_NULL, 0, &made);
  tell_and_free(made);
  free(next);
  free(ends);
}

static void between_groups(MPI_Comm comm) {
  MPI_Comm half = told(split(comm, world_rank % 2, 0));
  for (int i = 0; i < 2; ++i) {
    MPI_Comm between, merged;
    MPI_Intercomm_create(half, 0, comm, 1 - world_rank % 2, 7, &between);
    told(between);
    tell_and_free(duplicate(between));
    tell_and_free(split(between, 3, world_rank));
    MPI_Intercomm_merge(between, world_rank % 2, &merged);
    told(merged);
    tell_and_free(duplicate(merged));
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&between);
  }
  MPI_Comm_free(&half);
}

static void without_waiting(MPI_Comm comm) {
  MPI_Comm made[2];
  MPI_Request requests[2];
  for (int i = 0; i < 2; ++i) {
    made[i] = MPI_COMM_NULL;
    MPI_Comm_idup(comm, &made[i], &requests[i]);
  }
  // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): it does not know MPI_Comm_idup
  for (int i = 0; i < 2; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  tell_and_free(made[0]);
  tell_and_free(made[1]);
}

/// What is made of a communicator after a call that failed is told without a name.
static void after_a_failure(MPI_Comm comm) {
  MPI_Comm parent = told(duplicate(comm));
  MPI_Comm made;
  MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
  const int too_many = world_size + 1;
  const int periods = 0;
  if (MPI_Cart_create(parent, 1, &too_many, &periods, 0, &made) == MPI_SUCCESS) MPI_Abort(parent, 2);
  fprintf(out, "unnamed ");
  tell_and_free(duplicate(parent));
  MPI_Comm_free(&parent);
}

int main(int argc, char** argv) {
  char path[4096];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  snprintf(path, sizeof path, "%s.%d", argv[1], world_rank);
  out = fopen(path, "w");
  if (out == NULL || world_size < 2) MPI_Abort(MPI_COMM_WORLD, 1);
  // Handles are given again, and those of the ranks are not alike.
  for (int i = 0; i < 3 * world_rank; ++i) told(duplicate(MPI_COMM_SELF));
  MPI_Comm copy;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copy);
  told(copy);
  for (int i = 0; i < 2; ++i) {
    of_parts(MPI_COMM_WORLD);
    of_parts(copy);
  }
  with_topologies(copy);
  between_groups(copy);
  without_waiting(copy);
  after_a_failure(copy);
  MPI_Comm_free(&copy);
  fclose(out);
  MPI_Finalize();
  return 0;
}
