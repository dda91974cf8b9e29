// Calls of two processes that are wrong by the standard, and their twins that are right: one of them in each run, which
// is named by the first argument. run_errors_of_two.py knows what must be found.
#include <string.h>

#include "testapp.h"

static double from[256], to[256];
static int rank;
static const MPI_Comm world = MPI_COMM_WORLD;

// Blocks of 3 elements, `distance` elements apart.
static void gather_blocks(int distance) {
  const int counts[] = {3, 3}, places[] = {0, distance};
  MPI_Gatherv(from, 3, MPI_DOUBLE, to, counts, places, MPI_DOUBLE, 0, world);
}
static void gathered_twice(void) { gather_blocks(2); }
static void gathered_side_by_side(void) { gather_blocks(3); }
static void gathered_backwards(void) {
  const int counts[] = {3, 3}, places[] = {3, 0};
  MPI_Gatherv(from, 3, MPI_DOUBLE, to, counts, places, MPI_DOUBLE, 0, world);
}

static void scatter_blocks(int distance) {
  const int counts[] = {3, 3}, places[] = {0, distance};
  MPI_Scatterv(from, counts, places, MPI_DOUBLE, to, 3, MPI_DOUBLE, 0, world);
}
static void scattered_twice(void) { scatter_blocks(2); }
static void scattered_side_by_side(void) { scatter_blocks(3); }

static MPI_Datatype column(void) {
  MPI_Datatype type;
  CHECK(MPI_Type_vector(4, 1, 6, MPI_DOUBLE, &type));
  CHECK(MPI_Type_commit(&type));
  return type;
}

// A column for each process, whose hulls lie over each other.
static void exchange_columns(int distance) {
  const int counts[] = {1, 1}, sent[] = {0, 64}, places[] = {0, distance};
  MPI_Datatype type = column();
  const MPI_Datatype types[] = {type, type};
  CHECK(MPI_Alltoallw(from, counts, sent, types, to, counts, places, types, world));
  CHECK(MPI_Type_free(&type));
}
static void columns_that_meet(void) { exchange_columns(4); }
static void columns_side_by_side(void) { exchange_columns(8); }

// Copies of 16 bytes that stand 8 bytes apart.
static void gather_tight(int is_sent) {
  MPI_Datatype pair, tight;
  CHECK(MPI_Type_contiguous(2, MPI_DOUBLE, &pair));
  CHECK(MPI_Type_create_resized(pair, 0, sizeof(double), &tight));
  CHECK(MPI_Type_commit(&tight));
  if (is_sent) {
    CHECK(MPI_Alltoall(from, 1, tight, to, 2, MPI_DOUBLE, world));
  } else {
    CHECK(MPI_Allgather(from, 2, MPI_DOUBLE, to, 1, tight, world));
  }
  CHECK(MPI_Type_free(&tight));
  CHECK(MPI_Type_free(&pair));
}
static void copies_that_overlap(void) { gather_tight(0); }
static void sent_copies_that_overlap(void) { gather_tight(1); }

// Only where it is received.
static void broadcast(int root_alone) {
  MPI_Datatype rows;
  CHECK(MPI_Type_vector(3, 4, 2, MPI_INT, &rows));
  CHECK(MPI_Type_commit(&rows));
  const int is_root = rank == 0;
  for (int i = 0; i < 2; ++i) {
    CHECK(is_root || !root_alone ? MPI_Bcast(to, 1, rows, 0, world) : MPI_Bcast(to, 12, MPI_INT, 0, world));
  }
  CHECK(MPI_Bcast(to, 1, rows, 0, MPI_COMM_SELF));
  CHECK(MPI_Type_free(&rows));
}
static void broadcast_overlap(void) { broadcast(0); }
static void broadcast_of_root(void) { broadcast(1); }

static void receive_rows(int height) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Datatype rows;
  CHECK(MPI_Type_vector(3, 4, height, MPI_INT, &rows));
  CHECK(MPI_Type_commit(&rows));
  CHECK(MPI_Recv_init(to, 1, rows, rank, 1, world, &requests[0]));
  CHECK(MPI_Send_init(from, 12, MPI_INT, rank, 1, world, &requests[1]));
  CHECK(MPI_Startall(2, requests));
  // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): it does not know MPI_Startall
  CHECK(MPI_Waitall(2, requests, statuses));
  for (int i = 0; i < 2; ++i) CHECK(MPI_Request_free(&requests[i]));
  CHECK(MPI_Type_free(&rows));
}
static void persistent_overlap(void) { receive_rows(2); }
static void persistent_apart(void) { receive_rows(4); }

// Entries of a file in rising order, which may overlap all the same where it is only read.
static MPI_File view(int distance, int mode) {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {0, distance};
  MPI_Datatype type;
  MPI_File file;
  CHECK(MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE, &type));
  CHECK(MPI_Type_commit(&type));
  CHECK(MPI_File_open(MPI_COMM_SELF, rank == 0 ? "view-0" : "view-1", mode, MPI_INFO_NULL, &file));
  MPI_File_set_view(file, 0, MPI_DOUBLE, type, "native", MPI_INFO_NULL);
  CHECK(MPI_Type_free(&type));
  return file;
}
static void view_to_write(int distance, int is_written) {
  MPI_File file = view(distance, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  if (is_written) MPI_File_write(file, from, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  CHECK(MPI_File_close(&file));
}
static void written_view(void) { view_to_write(4, 1); }
static void view_of_nothing(void) { view_to_write(4, 0); }
static void view_to_read(void) {
  FILE* const made = fopen(rank == 0 ? "view-0" : "view-1", "w");
  if (made == NULL || fwrite(from, sizeof *from, 2, made) != 2 || fclose(made) != 0) MPI_Abort(world, 4);
  MPI_File file = view(4, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
  CHECK(MPI_File_close(&file));
}
static void view_side_by_side(void) { view_to_write(8, 1); }

// Results and blocks that are not there.
static void null_result_of_root(void) { MPI_Reduce(from, NULL, 3, MPI_DOUBLE, MPI_SUM, 0, world); }
static void null_result_of_first_call(void) {
  MPI_Comm copy;
  CHECK(MPI_Comm_dup(world, &copy));
  MPI_Reduce(from, NULL, 3, MPI_DOUBLE, MPI_SUM, 0, copy);
  CHECK(MPI_Comm_free(&copy));
}
static void null_result_of_all(void) { MPI_Allreduce(from, NULL, 3, MPI_DOUBLE, MPI_SUM, world); }
static void null_blocks(void) {
  const int counts[] = {3, 3}, places[] = {0, 3};
  MPI_Gatherv(from, 3, MPI_DOUBLE, NULL, counts, places, MPI_DOUBLE, 0, world);
}
static void null_blocks_of_types(void) {
  const int counts[] = {1, 1}, places[] = {0, 8};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Alltoallw(from, counts, places, types, NULL, counts, places, types, world);
}
// Not significant, or nothing.
static void null_results_of_nobody(void) {
  int counts[] = {0, 0};
  const int places[] = {0, 0}, parts[] = {2, 0};
  CHECK(MPI_Reduce(from, rank == 0 ? to : NULL, 3, MPI_DOUBLE, MPI_SUM, 0, world));
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  CHECK(MPI_Get_library_version(library, &length));
  double* const nothing = strstr(library, "MPICH") ? to : NULL;  // MPICH wants an address
  CHECK(MPI_Exscan(from, rank == 0 ? nothing : to, 3, MPI_DOUBLE, MPI_SUM, world));
  CHECK(MPI_Gatherv(from, 0, MPI_DOUBLE, NULL, counts, places, MPI_DOUBLE, 0, world));
  CHECK(MPI_Allreduce(NULL, NULL, 0, MPI_DOUBLE, MPI_SUM, world));
  CHECK(MPI_Reduce_scatter(from, rank == 0 ? to : NULL, parts, MPI_DOUBLE, MPI_SUM, world));
}

static MPI_Datatype members(MPI_Datatype first, MPI_Datatype second) {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {0, 8};
  const MPI_Datatype types[] = {first, second};
  MPI_Datatype type;
  CHECK(MPI_Type_create_struct(2, lengths, places, types, &type));
  CHECK(MPI_Type_commit(&type));
  return type;
}
static void add(void* in, void* out, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((double*)out)[i] += ((double*)in)[i];
}
// After what is wrong a library may never come back from the synchronisation, so that the process ends without it.
static void accumulate(MPI_Datatype type, MPI_Op operation, int is_wrong) {
  static double memory[64];
  MPI_Win window;
  if (MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, world, &window) != MPI_SUCCESS) {
    printf("without windows\n");
    return;
  }
  CHECK(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
  CHECK(MPI_Win_fence(0, window));
  MPI_Accumulate(from, 1, type, rank, 0, 1, type, operation, window);
  if (is_wrong) _Exit(1);
  CHECK(MPI_Win_fence(0, window));
  CHECK(MPI_Win_free(&window));
}
static void accumulate_members(MPI_Datatype first, MPI_Datatype second, MPI_Op operation, int is_wrong) {
  MPI_Datatype type = members(first, second), copy;
  CHECK(MPI_Type_dup(type, &copy));
  accumulate(copy, operation, is_wrong);
  CHECK(MPI_Type_free(&copy));
  CHECK(MPI_Type_free(&type));
}
static void sum_of_several(void) { accumulate_members(MPI_INT, MPI_DOUBLE, MPI_SUM, 1); }
static void bits_of_doubles(void) { accumulate_members(MPI_DOUBLE, MPI_DOUBLE, MPI_BAND, 1); }
static void replacement_of_several(void) { accumulate_members(MPI_INT, MPI_DOUBLE, MPI_REPLACE, 1); }
static void sums_of_one(void) {
  accumulate_members(MPI_DOUBLE, MPI_DOUBLE, MPI_SUM, 0);
  accumulate_members(MPI_CHAR, MPI_CHAR, MPI_REPLACE, 0);
}
static void operation_of_our_own(void) {
  MPI_Op own;
  CHECK(MPI_Op_create(add, 1, &own));
  accumulate(MPI_DOUBLE, own, 1);
  CHECK(MPI_Op_free(&own));
}
static void sum_of_a_copy(void) {
  MPI_Datatype type = column(), copy;
  CHECK(MPI_Type_dup(type, &copy));
  MPI_Allreduce(from, to, 1, copy, MPI_SUM, world);
  CHECK(MPI_Type_free(&copy));
  CHECK(MPI_Type_free(&type));
}

// What one-sided operations take, others do not.
static void sum_of_what_was_accumulated(void) {
  MPI_Datatype type = members(MPI_DOUBLE, MPI_DOUBLE);
  accumulate(type, MPI_SUM, 0);
  MPI_Allreduce(from, to, 1, type, MPI_SUM, world);
  CHECK(MPI_Type_free(&type));
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } cases[] = {{"gathered_twice", gathered_twice},
               {"gathered_side_by_side", gathered_side_by_side},
               {"gathered_backwards", gathered_backwards},
               {"scattered_twice", scattered_twice},
               {"scattered_side_by_side", scattered_side_by_side},
               {"columns_that_meet", columns_that_meet},
               {"columns_side_by_side", columns_side_by_side},
               {"copies_that_overlap", copies_that_overlap},
               {"sent_copies_that_overlap", sent_copies_that_overlap},
               {"broadcast_overlap", broadcast_overlap},
               {"broadcast_of_root", broadcast_of_root},
               {"persistent_overlap", persistent_overlap},
               {"persistent_apart", persistent_apart},
               {"written_view", written_view},
               {"view_of_nothing", view_of_nothing},
               {"view_to_read", view_to_read},
               {"view_side_by_side", view_side_by_side},
               {"null_result_of_root", null_result_of_root},
               {"null_result_of_first_call", null_result_of_first_call},
               {"null_result_of_all", null_result_of_all},
               {"null_blocks", null_blocks},
               {"null_blocks_of_types", null_blocks_of_types},
               {"null_results_of_nobody", null_results_of_nobody},
               {"sum_of_several", sum_of_several},
               {"bits_of_doubles", bits_of_doubles},
               {"replacement_of_several", replacement_of_several},
               {"sums_of_one", sums_of_one},
               {"operation_of_our_own", operation_of_our_own},
               {"sum_of_a_copy", sum_of_a_copy},
               {"sum_of_what_was_accumulated", sum_of_what_was_accumulated}};
  CHECK(MPI_Init(&argc, &argv));
  CHECK(MPI_Comm_rank(world, &rank));
  CHECK(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    if (strcmp(argv[1], cases[i].name) == 0) cases[i].run();
  }
  CHECK(MPI_Finalize());
  return 0;
}
