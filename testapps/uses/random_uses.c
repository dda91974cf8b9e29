// Uses types in calls that chance picks, the same on all ranks, and prints what it has used: function, argument, type,
// calls, elements, smallest and largest count, a line for each. run_random_uses.py compares that with the trace.
//
//   random_uses SEED CALLS
#include <string.h>

#include "testapp.h"

enum { TYPES = 5, MOST_COUNT = 6, MOST_ROWS = 512, ROOM = 8192 };

static char from[ROOM], to[ROOM], memory[ROOM];
static MPI_Win window;
static int rank, size;
static unsigned long long state;

static struct {
  const char* name;
  MPI_Datatype type;
} types[TYPES];

static struct row {
  const char *called, *argument, *type;
  long long calls, elements, smallest, largest;
} rows[MOST_ROWS];
static int number_of_rows;

static int random_below(int limit) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (int)((state >> 33) % (unsigned)limit);
}

/// One argument of a call: `copies` times its count.
static void used(const char* called, const char* argument, int type, int count, int copies) {
  int i = 0;
  while (i < number_of_rows && (strcmp(rows[i].called, called) != 0 || strcmp(rows[i].argument, argument) != 0 ||
                                strcmp(rows[i].type, types[type].name) != 0)) {
    ++i;
  }
  if (i == MOST_ROWS) MPI_Abort(MPI_COMM_WORLD, 2);
  struct row* row = &rows[i];
  if (i == number_of_rows) {
    *row = (struct row){called, argument, types[type].name, 0, 0, count, count};
    ++number_of_rows;
  }
  ++row->calls;
  row->elements += (long long)count * copies;
  if (count < row->smallest) row->smallest = count;
  if (count > row->largest) row->largest = count;
}

static void messages(int type, int count) {
  const MPI_Datatype handle = types[type].type;
  const int is_null = random_below(4) == 0;
  const int peer = is_null ? MPI_PROC_NULL : 0;
  MPI_Request request;
  CHECK(MPI_Irecv(to, count, handle, peer, 1, MPI_COMM_SELF, &request));
  used("MPI_Irecv", "datatype", type, is_null ? 0 : count, 1);
  if (random_below(2) == 0) {
    CHECK(MPI_Send(from, count, handle, peer, 1, MPI_COMM_SELF));
    used("MPI_Send", "datatype", type, is_null ? 0 : count, 1);
  } else {
    CHECK(MPI_Ssend(from, count, handle, peer, 1, MPI_COMM_SELF));
    used("MPI_Ssend", "datatype", type, is_null ? 0 : count, 1);
  }
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void persistent(int type, int count) {
  const int starts = random_below(4);
  MPI_Request requests[2];
  CHECK(MPI_Recv_init(to, count, types[type].type, 0, 1, MPI_COMM_SELF, &requests[0]));
  CHECK(MPI_Send_init(from, count, types[type].type, 0, 1, MPI_COMM_SELF, &requests[1]));
  used("MPI_Recv_init", "datatype", type, 0, 1);
  used("MPI_Send_init", "datatype", type, 0, 1);
  for (int i = 0; i < starts; ++i) {
    MPI_Status statuses[2];
    CHECK(MPI_Startall(2, requests));
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): it does not know MPI_Startall
    CHECK(MPI_Waitall(2, requests, statuses));
    for (int k = 0; k < 2; ++k) used("MPI_Startall", "datatype", type, count, 1);
  }
  for (int k = 0; k < 2; ++k) CHECK(MPI_Request_free(&requests[k]));
}

static void rooted(int type, int count) {
  const int root = random_below(size);
  const MPI_Datatype handle = types[type].type;
  switch (random_below(3)) {
    case 0:
      CHECK(MPI_Bcast(from, count, handle, root, MPI_COMM_WORLD));
      used("MPI_Bcast", "datatype", type, count, 1);
      break;
    case 1:
      CHECK(MPI_Gather(from, count, handle, to, count, handle, root, MPI_COMM_WORLD));
      used("MPI_Gather", "sendtype", type, count, 1);
      if (rank == root) used("MPI_Gather", "recvtype", type, count, size);
      break;
    default:
      CHECK(MPI_Scatter(from, count, handle, rank == root ? MPI_IN_PLACE : to, count, handle, root, MPI_COMM_WORLD));
      if (rank == root) used("MPI_Scatter", "sendtype", type, count, size);
      if (rank != root) used("MPI_Scatter", "recvtype", type, count, 1);
  }
}

static void all_to_all(int type, int count) {
  const MPI_Datatype handle = types[type].type;
  int counts[8], places[8];
  switch (random_below(4)) {
    case 0:
      CHECK(MPI_Allgather(from, count, handle, to, count, handle, MPI_COMM_WORLD));
      used("MPI_Allgather", "sendtype", type, count, 1);
      used("MPI_Allgather", "recvtype", type, count, size);
      break;
    case 1:
      CHECK(MPI_Alltoall(MPI_IN_PLACE, 77, MPI_DATATYPE_NULL, to, count, handle, MPI_COMM_WORLD));
      used("MPI_Alltoall", "recvtype", type, count, size);
      break;
    case 2:
      for (int i = 0; i < size; ++i) counts[i] = count, places[i] = i * MOST_COUNT;
      CHECK(MPI_Alltoallv(from, counts, places, handle, to, counts, places, handle, MPI_COMM_WORLD));
      used("MPI_Alltoallv", "sendtype", type, count, size);
      used("MPI_Alltoallv", "recvtype", type, count, size);
      break;
    default:
      CHECK(MPI_Pack(from, count, handle, to, sizeof to, &(int){0}, MPI_COMM_WORLD));
      used("MPI_Pack", "datatype", type, count, 1);
  }
}

static void one_sided(int type, int count) {
  const MPI_Datatype handle = types[type].type;
  CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window));
  CHECK(MPI_Put(from, count, handle, 0, 0, count, handle, window));
  CHECK(MPI_Win_unlock(0, window));
  used("MPI_Put", "origin_datatype", type, count, 1);
  used("MPI_Put", "target_datatype", type, count, 1);
}

static void make_types(void) {
  types[0].name = "MPI_INT";
  types[0].type = MPI_INT;
  types[1].name = "MPI_DOUBLE";
  types[1].type = MPI_DOUBLE;
  types[2].name = "T1";
  CHECK(MPI_Type_vector(3, 1, 4, MPI_INT, &types[2].type));
  types[3].name = "T2";
  CHECK(MPI_Type_contiguous(5, MPI_SHORT, &types[3].type));
  types[4].name = "T3";
  CHECK(MPI_Type_vector(2, 2, 5, MPI_DOUBLE, &types[4].type));
  for (int i = 2; i < TYPES; ++i) CHECK(MPI_Type_commit(&types[i].type));
}

int main(int argc, char** argv) {
  static void (*const kinds[])(int, int) = {messages, persistent, rooted, all_to_all, one_sided};
  CHECK(MPI_Init(&argc, &argv));
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CHECK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  state = strtoull(argv[1], NULL, 10);
  make_types();
  CHECK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window));
  for (int i = integer_of(argv[2]); i > 0; --i) {
    const int kind = random_below(5), type = random_below(TYPES), count = random_below(MOST_COUNT + 1);
    kinds[kind](type, count);
  }
  for (int i = 0; i < number_of_rows; ++i) {
    printf("%s %s %s %lld %lld %lld %lld\n", rows[i].called, rows[i].argument, rows[i].type, rows[i].calls,
           rows[i].elements, rows[i].smallest, rows[i].largest);
  }
  CHECK(MPI_Win_free(&window));
  for (int i = 2; i < TYPES; ++i) CHECK(MPI_Type_free(&types[i].type));
  CHECK(MPI_Finalize());
  return 0;
}
