// Calls that are wrong by the standard, and their twins that are right: one of them in each run, which is named by the
// first argument. run_errors_in_calls.py knows what must be found. A library may end the job in a call that is wrong.
#include <signal.h>
#include <string.h>

#include "testapp.h"

static double from[256], to[256];

static MPI_Datatype column(void) {
  MPI_Datatype type;
  CHECK(MPI_Type_vector(4, 1, 6, MPI_DOUBLE, &type));
  return type;
}

static MPI_Datatype committed_column(void) {
  MPI_Datatype type = column();
  CHECK(MPI_Type_commit(&type));
  return type;
}

static void null_type(void) { MPI_Send(from, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_SELF); }

static void null_type_of_nothing(void) {
  MPI_Send(from, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_SELF);
  MPI_Recv(to, 3, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void null_entry_of_nothing(void) {
  int counts[] = {0}, displacements[] = {0};
  MPI_Datatype types[] = {MPI_DATATYPE_NULL};
  MPI_Alltoallw(from, counts, displacements, types, to, counts, displacements, types, MPI_COMM_SELF);
}

static void null_entry(void) {
  int counts[] = {1}, displacements[] = {0};
  MPI_Datatype types[] = {MPI_DATATYPE_NULL}, right[] = {MPI_INT};
  MPI_Alltoallw(from, counts, displacements, types, to, counts, displacements, right, MPI_COMM_SELF);
}

static void freed_type(void) {
  MPI_Datatype type = committed_column(), copy = type;
  char packed[64];
  int position = 0;
  CHECK(MPI_Type_free(&type));
  MPI_Pack(from, 1, copy, packed, sizeof packed, &position, MPI_COMM_SELF);
}

// What is pending, and what is persistent, goes on.
static void freed_while_pending(void) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Datatype type = committed_column();
  CHECK(MPI_Irecv(to, 1, type, 0, 0, MPI_COMM_SELF, &requests[0]));
  CHECK(MPI_Send_init(from, 1, type, 0, 0, MPI_COMM_SELF, &requests[1]));
  CHECK(MPI_Type_free(&type));
  CHECK(MPI_Start(&requests[1]));
  CHECK(MPI_Waitall(2, requests, statuses));
  CHECK(MPI_Request_free(&requests[1]));
}

static void uncommitted_type(void) {
  MPI_Datatype type = column();
  char packed[64];
  int position = 0;
  for (int i = 0; i < 3; ++i) MPI_Pack(from, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF);
  MPI_Type_free(&type);
}

static void killed(void) {
  MPI_Datatype type = column();
  char packed[64];
  int position = 0;
  for (int i = 0; i < 7; ++i) MPI_Pack(from, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF);
  raise(SIGKILL);
}

static void uncommitted_in_collective(void) {
  MPI_Datatype type = column();
  MPI_Gather(from, 1, type, to, 1, type, 0, MPI_COMM_SELF);
  MPI_Type_free(&type);
}

// A duplicate of a committed type is committed; queries and constructors need no commit.
static void committed_duplicate(void) {
  MPI_Datatype type = committed_column(), copy, copy_of_copy, part = column(), whole;
  char packed[1024];
  int position = 0, size;
  CHECK(MPI_Type_dup(type, &copy));
  CHECK(MPI_Type_dup(copy, &copy_of_copy));
  CHECK(MPI_Pack(from, 1, copy, packed, sizeof packed, &position, MPI_COMM_SELF));
  CHECK(MPI_Pack(from, 1, copy_of_copy, packed, sizeof packed, &position, MPI_COMM_SELF));
  CHECK(MPI_Type_contiguous(2, part, &whole));
  CHECK(MPI_Pack_size(1, part, MPI_COMM_SELF, &size));
  CHECK(MPI_Type_commit(&whole));
  CHECK(MPI_Pack(from, 1, whole, packed, sizeof packed, &position, MPI_COMM_SELF));
  MPI_Datatype* all[] = {&type, &copy, &copy_of_copy, &part, &whole};
  for (int i = 0; i < 5; ++i) CHECK(MPI_Type_free(all[i]));
}

static void uncommitted_duplicate(void) {
  MPI_Datatype type = column(), copy;
  char packed[64];
  int position = 0;
  CHECK(MPI_Type_dup(type, &copy));
  MPI_Pack(from, 1, copy, packed, sizeof packed, &position, MPI_COMM_SELF);
  MPI_Type_free(&copy);
  MPI_Type_free(&type);
}

static void negative_count(void) { MPI_Send(from, -3, MPI_DOUBLE, 0, 0, MPI_COMM_SELF); }

static void negative_entry(void) {
  int right[] = {1}, wrong[] = {-2}, displacements[] = {0};
  MPI_Alltoallv(from, right, displacements, MPI_DOUBLE, to, wrong, displacements, MPI_DOUBLE, MPI_COMM_SELF);
}

static void null_buffer(void) {
  char packed[64];
  int position = 0;
  MPI_Pack(NULL, 2, MPI_DOUBLE, packed, sizeof packed, &position, MPI_COMM_SELF);
}

static void null_receive_buffer(void) {
  MPI_Sendrecv(from, 1, MPI_DOUBLE, 0, 0, NULL, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static MPI_Datatype absolute_double(void) {
  int lengths[] = {1};
  MPI_Aint address[1];
  MPI_Datatype absolute, type = MPI_DOUBLE;
  CHECK(MPI_Get_address(from, address));
  CHECK(MPI_Type_create_struct(1, lengths, address, &type, &absolute));
  CHECK(MPI_Type_commit(&absolute));
  return absolute;
}

// Nothing is touched, or something far from the null pointer.
static void bottom(void) {
  MPI_Datatype absolute = absolute_double();
  char packed[64];
  int position = 0;
  CHECK(MPI_Pack(MPI_BOTTOM, 1, absolute, packed, sizeof packed, &position, MPI_COMM_SELF));
  CHECK(MPI_Pack(NULL, 0, MPI_DOUBLE, packed, sizeof packed, &position, MPI_COMM_SELF));
  CHECK(MPI_Send(NULL, 0, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_SELF));
  CHECK(MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, 1, MPI_DOUBLE, 0, MPI_COMM_SELF));
  CHECK(MPI_Bcast(from, 1, MPI_DOUBLE, 0, MPI_COMM_SELF));
  CHECK(MPI_Type_free(&absolute));
}

// Of partitions nobody could say where each begins.
static void bottom_of_partitions(void) {
#if MPI_VERSION >= 4
  MPI_Datatype absolute = absolute_double();
  MPI_Request request;
  if (MPI_Psend_init(MPI_BOTTOM, 2, 1, absolute, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &request) == MPI_SUCCESS) {
    CHECK(MPI_Request_free(&request));
  }
  CHECK(MPI_Type_free(&absolute));
#else
  fprintf(stderr, "without partitions\n");
#endif
}

static void negative_partitions(void) {
#if MPI_VERSION >= 4
  MPI_Request request;
  MPI_Psend_init(from, -2, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &request);
#else
  fprintf(stderr, "without partitions\n");
#endif
}

// What is not significant on this process may be anything.
static void not_significant(void) {
  MPI_Datatype type = column();
  int rank;
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  if (rank == 0) {
    CHECK(MPI_Gather(MPI_IN_PLACE, -5, type, to, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
  } else {
    CHECK(MPI_Gather(from, 1, MPI_DOUBLE, NULL, -1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD));
  }
  // Pointers that lead nowhere, too; the compiler must not see where.
  int* volatile no_array = (int*)8;
  int* const nowhere = no_array;
  int counts[] = {1, 1}, places[] = {0, 1};
  const MPI_Datatype garbage = rank == 0 ? MPI_DOUBLE : MPI_DATATYPE_NULL;
  CHECK(MPI_Gatherv(from, 1, MPI_DOUBLE, rank == 0 ? to : (void*)nowhere, rank == 0 ? counts : nowhere,
                    rank == 0 ? places : nowhere, garbage, 0, MPI_COMM_WORLD));
  CHECK(MPI_Scatterv(rank == 0 ? from : (void*)nowhere, rank == 0 ? counts : nowhere, rank == 0 ? places : nowhere,
                     garbage, to, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
  CHECK(MPI_Reduce(from, rank == 0 ? to : (void*)nowhere, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
  MPI_Datatype doubles[] = {MPI_DOUBLE, MPI_DOUBLE};
#ifdef MPI_ABI_VERSION  // behind which Open MPI 6.0.0rc2 reads the types
  MPI_Datatype* const no_types = doubles;
#else
  MPI_Datatype* const no_types = (MPI_Datatype*)nowhere;
#endif
  CHECK(MPI_Alltoallw(MPI_IN_PLACE, nowhere, nowhere, no_types, to, counts, (int[]){0, 8}, doubles, MPI_COMM_WORLD));
  // Of two groups the root only receives (MPI-4.1 6.9.1), though MPICH 4 wants an address.
#ifdef MPICH_VERSION
  void* const nothing = from;
#else
  void* const nothing = NULL;
#endif
  MPI_Comm groups;
  CHECK(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 0, &groups));
  CHECK(MPI_Reduce(rank == 0 ? nothing : from, rank == 0 ? to : NULL, 3, MPI_DOUBLE, MPI_SUM, rank == 0 ? MPI_ROOT : 0,
                   groups));
  CHECK(MPI_Comm_free(&groups));
  CHECK(MPI_Type_free(&type));
}

static void bitwise_and_of_doubles(void) { MPI_Allreduce(from, to, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_SELF); }

static void sum_of_columns(void) {
  MPI_Datatype type = committed_column();
  MPI_Allreduce(from, to, 1, type, MPI_SUM, MPI_COMM_SELF);
  MPI_Type_free(&type);
}

static void sum_of_characters(void) { MPI_Allreduce(from, to, 1, MPI_CHAR, MPI_SUM, MPI_COMM_SELF); }

static void most_of_pairs(void) { MPI_Allreduce(from, to, 1, MPI_DOUBLE_INT, MPI_MAX, MPI_COMM_SELF); }

static void add(void* in, void* out, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((double*)out)[i] += ((double*)in)[i];
}

static void operations(void) {
  MPI_Datatype type = committed_column();
  MPI_Op own;
  CHECK(MPI_Op_create(add, 1, &own));
  CHECK(MPI_Allreduce(from, to, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF));
  CHECK(MPI_Allreduce(from, to, 1, MPI_INT, MPI_BXOR, MPI_COMM_SELF));
  CHECK(MPI_Allreduce(from, to, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_SELF));
  CHECK(MPI_Allreduce(from, to, 1, MPI_C_BOOL, MPI_LAND, MPI_COMM_SELF));
  CHECK(MPI_Allreduce(from, to, 1, MPI_BYTE, MPI_BOR, MPI_COMM_SELF));
  CHECK(MPI_Allreduce(from, to, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_SELF));
  CHECK(MPI_Allreduce(from, to, 1, MPI_AINT, MPI_MAX, MPI_COMM_SELF));
  CHECK(MPI_Allreduce(from, to, 1, type, own, MPI_COMM_SELF));
  CHECK(MPI_Op_free(&own));
  CHECK(MPI_Type_free(&type));
}

static void receive_overlap(void) {
  MPI_Datatype rows;
  CHECK(MPI_Type_vector(3, 4, 2, MPI_INT, &rows));
  CHECK(MPI_Type_commit(&rows));
  MPI_Sendrecv(from, 12, MPI_INT, 0, 0, to, 1, rows, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Type_free(&rows);
}

// To send with it is right; copies that interleave share no byte.
static void sent_overlap(void) {
  MPI_Datatype rows, type, narrow;
  CHECK(MPI_Type_vector(3, 4, 2, MPI_INT, &rows));
  CHECK(MPI_Type_commit(&rows));
  CHECK(MPI_Type_vector(4, 1, 6, MPI_DOUBLE, &type));
  CHECK(MPI_Type_create_resized(type, 0, sizeof(double), &narrow));
  CHECK(MPI_Type_commit(&narrow));
  CHECK(MPI_Sendrecv(from, 1, rows, 0, 0, to, 12, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  CHECK(MPI_Sendrecv(from, 24, MPI_DOUBLE, 0, 0, to, 6, narrow, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  MPI_Datatype* all[] = {&rows, &type, &narrow};
  for (int i = 0; i < 3; ++i) CHECK(MPI_Type_free(all[i]));
}

// 500 times two blocks of 8 bytes.
static void small_blocks(void) {
  MPI_Datatype type, unused;
  CHECK(MPI_Type_vector(2, 1, 6, MPI_DOUBLE, &type));
  CHECK(MPI_Type_commit(&type));
  CHECK(MPI_Type_contiguous(17, MPI_INT, &unused));
  CHECK(MPI_Type_commit(&unused));
  for (int i = 0; i < 500; ++i) {
    CHECK(MPI_Sendrecv(from, 1, type, 0, 0, to, 2, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  }
  CHECK(MPI_Type_free(&type));
  CHECK(MPI_Type_free(&unused));
}

static void negative_count_of_constructor(void) {
  MPI_Datatype type;
  MPI_Type_contiguous(-1, MPI_DOUBLE, &type);
}

static void negative_blocklength(void) {
  int lengths[] = {1, -2}, displacements[] = {0, 4};
  MPI_Datatype type;
  MPI_Type_indexed(2, lengths, displacements, MPI_DOUBLE, &type);
}

static void null_oldtype(void) {
  MPI_Datatype type;
  MPI_Type_vector(2, 1, 3, MPI_DATATYPE_NULL, &type);
}

static void null_member(void) {
  int lengths[] = {1, 1};
  MPI_Aint displacements[] = {0, 8};
  MPI_Datatype types[] = {MPI_DOUBLE, MPI_DATATYPE_NULL}, type;
  MPI_Type_create_struct(2, lengths, displacements, types, &type);
}

static void subarray_beyond_array(void) {
  int sizes[] = {8, 8}, subsizes[] = {4, 4}, starts[] = {4, 6};
  MPI_Datatype type;
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
}

static void commit_of_null(void) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_commit(&type);
}

static void free_of_null(void) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_free(&type);
}

static void free_of_predefined(void) {
  MPI_Datatype type = MPI_DOUBLE;
  MPI_Type_free(&type);
}

// Counts and lengths of 0, negative strides and displacements, a type that is freed once it is part of another one.
static void constructors(void) {
  int lengths[] = {0, 2}, displacements[] = {-4, 4}, sizes[] = {8, 8}, subsizes[] = {4, 8}, starts[] = {4, 0};
  MPI_Aint addresses[] = {-8, 8};
  MPI_Datatype members[] = {MPI_INT, MPI_DOUBLE}, types[8];
  CHECK(MPI_Type_contiguous(0, MPI_DOUBLE, &types[0]));
  CHECK(MPI_Type_vector(3, 1, -2, MPI_DOUBLE, &types[1]));
  CHECK(MPI_Type_indexed(2, lengths, displacements, MPI_DOUBLE, &types[2]));
  CHECK(MPI_Type_indexed(0, NULL, NULL, MPI_DOUBLE, &types[3]));
  CHECK(MPI_Type_create_struct(2, lengths, addresses, members, &types[4]));
  CHECK(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE, &types[5]));
  CHECK(MPI_Type_create_resized(types[1], -16, 8, &types[6]));
  CHECK(MPI_Type_free(&types[1]));
  CHECK(MPI_Type_dup(types[6], &types[7]));
  CHECK(MPI_Type_commit(&types[7]));
  for (int i = 0; i < 8; ++i) {
    if (i != 1) CHECK(MPI_Type_free(&types[i]));
  }
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } cases[] = {{"null_type", null_type},
               {"null_type_of_nothing", null_type_of_nothing},
               {"null_entry_of_nothing", null_entry_of_nothing},
               {"null_entry", null_entry},
               {"freed_type", freed_type},
               {"freed_while_pending", freed_while_pending},
               {"uncommitted_type", uncommitted_type},
               {"killed", killed},
               {"uncommitted_in_collective", uncommitted_in_collective},
               {"committed_duplicate", committed_duplicate},
               {"uncommitted_duplicate", uncommitted_duplicate},
               {"negative_count", negative_count},
               {"negative_entry", negative_entry},
               {"null_buffer", null_buffer},
               {"null_receive_buffer", null_receive_buffer},
               {"bottom", bottom},
               {"bottom_of_partitions", bottom_of_partitions},
               {"negative_partitions", negative_partitions},
               {"not_significant", not_significant},
               {"bitwise_and_of_doubles", bitwise_and_of_doubles},
               {"sum_of_columns", sum_of_columns},
               {"sum_of_characters", sum_of_characters},
               {"most_of_pairs", most_of_pairs},
               {"operations", operations},
               {"receive_overlap", receive_overlap},
               {"sent_overlap", sent_overlap},
               {"small_blocks", small_blocks},
               {"negative_count_of_constructor", negative_count_of_constructor},
               {"negative_blocklength", negative_blocklength},
               {"null_oldtype", null_oldtype},
               {"null_member", null_member},
               {"subarray_beyond_array", subarray_beyond_array},
               {"commit_of_null", commit_of_null},
               {"free_of_null", free_of_null},
               {"free_of_predefined", free_of_predefined},
               {"constructors", constructors}};
  CHECK(MPI_Init(&argc, &argv));
  if (argc > 2) CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    if (strcmp(argv[1], cases[i].name) == 0) cases[i].run();
  }
  CHECK(MPI_Finalize());
  return 0;
}
