// Uses types in calls of each kind, in a plan that run_uses.py knows. With the argument "kill" it ends by a signal.
#include <signal.h>
#include <string.h>

#include "testapp.h"

enum { TAG = 7, BUFFER = 4096 };

static double from[BUFFER], to[BUFFER];
static int rank, size;

static void point_to_point(MPI_Datatype column) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  for (int i = 0; i < 10; ++i) {
    CHECK(MPI_Irecv(to, 1, column, rank, TAG, MPI_COMM_WORLD, &requests[0]));
    CHECK(MPI_Isend(from, 1, column, rank, TAG, MPI_COMM_WORLD, &requests[1]));
    CHECK(MPI_Waitall(2, requests, statuses));
  }
  CHECK(MPI_Send(from, 3, column, MPI_PROC_NULL, TAG, MPI_COMM_WORLD));
  CHECK(MPI_Recv(to, 3, column, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  // Each side by itself.
  CHECK(MPI_Sendrecv(from, 5, MPI_INT, rank, TAG, to, 6, MPI_INT, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(MPI_Sendrecv(from, 5, MPI_SHORT, MPI_PROC_NULL, TAG, to, 6, MPI_SHORT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE));
  CHECK(MPI_Sendrecv_replace(from, 9, MPI_INT, rank, TAG, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  MPI_Message message;
  CHECK(MPI_Isend(from, 4, MPI_CHAR, rank, TAG, MPI_COMM_WORLD, &requests[0]));
  CHECK(MPI_Mprobe(rank, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
  CHECK(MPI_Mrecv(to, 40, MPI_CHAR, &message, MPI_STATUS_IGNORE));
  CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  CHECK(MPI_Mprobe(MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
  CHECK(MPI_Mrecv(to, 40, MPI_CHAR, &message, MPI_STATUS_IGNORE));
}

static void persistent(MPI_Datatype column) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  CHECK(MPI_Recv_init(to, 4, column, rank, TAG, MPI_COMM_WORLD, &requests[0]));
  CHECK(MPI_Send_init(from, 2, column, rank, TAG, MPI_COMM_WORLD, &requests[1]));
  for (int i = 0; i < 3; ++i) {
    CHECK(MPI_Startall(2, requests));
    CHECK(MPI_Waitall(2, requests, statuses));
  }
  CHECK(MPI_Start(&requests[0]));
  CHECK(MPI_Start(&requests[1]));
  CHECK(MPI_Waitall(2, requests, statuses));
  CHECK(MPI_Request_free(&requests[0]));
  CHECK(MPI_Request_free(&requests[1]));
}

static void collectives(MPI_Datatype column) {
  int counts[2] = {2, 3}, places[2] = {0, 10}, places_in_bytes[2] = {0, 400};
  CHECK(MPI_Bcast(from, 7, MPI_DOUBLE, 0, MPI_COMM_WORLD));
  CHECK(MPI_Gather(from, 3, MPI_INT, to, 3, MPI_INT, 0, MPI_COMM_WORLD));
  CHECK(MPI_Gather(rank == 0 ? MPI_IN_PLACE : from, 2, MPI_FLOAT, to, 2, MPI_FLOAT, 0, MPI_COMM_WORLD));
  CHECK(MPI_Scatter(from, 4, MPI_INT, rank == 0 ? MPI_IN_PLACE : to, 4, MPI_INT, 0, MPI_COMM_WORLD));
  CHECK(MPI_Allgather(from, 2, MPI_INT, to, 2, MPI_INT, MPI_COMM_WORLD));
  CHECK(MPI_Allgatherv(from, counts[rank], MPI_INT, to, counts, places, MPI_INT, MPI_COMM_WORLD));
  CHECK(MPI_Alltoall(from, 2, MPI_INT, to, 2, MPI_INT, MPI_COMM_WORLD));
  CHECK(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, 2, MPI_LONG, MPI_COMM_WORLD));
  // Entry i of rank r goes to entry r of rank i.
  int send_counts[2] = {1, rank == 0 ? 2 : 1}, receive_counts[2] = {1, 1};
  if (rank == 1) receive_counts[0] = 2;
  MPI_Datatype mixed[2] = {MPI_INT, column}, plain[2] = {MPI_INT, MPI_INT};
  send_counts[1] = rank == 0 ? 0 : 1;
  receive_counts[0] = rank == 0 ? 1 : 0;
  if (rank == 1) mixed[1] = MPI_INT;
  CHECK(MPI_Alltoallw(from, (int[]){1, send_counts[1]}, places_in_bytes, mixed, to, (int[]){receive_counts[0], 1},
                      places_in_bytes, plain, MPI_COMM_WORLD));
  CHECK(MPI_Allreduce(MPI_IN_PLACE, to, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK(MPI_Reduce(from, to, 6, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
  CHECK(MPI_Reduce_scatter(from, to, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK(MPI_Reduce_scatter_block(from, to, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  MPI_Request request;
  CHECK(MPI_Iallreduce(from, to, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void communicators(void) {
  // A communicator that is made after another was freed may have its handle.
  for (int i = 0; i < 2; ++i) {
    MPI_Comm one;
    CHECK(i == 0 ? MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &one) : MPI_Comm_dup(MPI_COMM_WORLD, &one));
    CHECK(MPI_Allgather(from, 1, MPI_UNSIGNED, to, 1, MPI_UNSIGNED, one));
    CHECK(MPI_Comm_free(&one));
  }
  MPI_Comm self, inter;
  CHECK(MPI_Comm_dup(MPI_COMM_SELF, &self));
  CHECK(MPI_Intercomm_create(self, 0, MPI_COMM_WORLD, 1 - rank, TAG, &inter));
  CHECK(MPI_Alltoall(from, 3, MPI_UNSIGNED_SHORT, to, 3, MPI_UNSIGNED_SHORT, inter));
  CHECK(MPI_Gather(from, 2, MPI_UNSIGNED_CHAR, to, 2, MPI_UNSIGNED_CHAR, rank == 0 ? MPI_ROOT : 0, inter));
  CHECK(MPI_Comm_free(&inter));
  CHECK(MPI_Comm_free(&self));
  // A line of two: each has one neighbour, and nobody on the other side.
  MPI_Comm line;
  CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){2}, (int[]){0}, 0, &line));
  CHECK(MPI_Neighbor_alltoall(from, 3, MPI_INT8_T, to, 3, MPI_INT8_T, line));
  CHECK(MPI_Neighbor_allgatherv(from, 2, MPI_INT16_T, to, (int[]){2, 2}, (int[]){0, 4}, MPI_INT16_T, line));
  CHECK(MPI_Comm_free(&line));
}

static void windows(void) {
  static int memory[64];
  int one = 1, result;
  MPI_Win window;
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  const int status = MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
  if (status != MPI_SUCCESS) {  // Open MPI 4 over some transports
    if (rank == 0) printf("without windows\n");
    return;
  }
  CHECK(MPI_Win_fence(0, window));
  CHECK(MPI_Put(from, 4, MPI_INT, rank, 0, 4, MPI_INT, window));
  CHECK(MPI_Get(to, 3, MPI_INT, rank, 8, 3, MPI_INT, window));
  CHECK(MPI_Get(to, 3, MPI_INT, MPI_PROC_NULL, 8, 3, MPI_INT, window));
  CHECK(MPI_Accumulate(from, 2, MPI_INT, rank, 16, 2, MPI_INT, MPI_SUM, window));
  CHECK(MPI_Win_fence(0, window));
  CHECK(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, to, 2, MPI_INT, rank, 20, 2, MPI_INT, MPI_NO_OP, window));
  CHECK(MPI_Win_fence(0, window));
  CHECK(MPI_Fetch_and_op(&one, &result, MPI_INT, rank, 30, MPI_SUM, window));
  CHECK(MPI_Win_fence(0, window));
  CHECK(MPI_Win_free(&window));
}

static void files(MPI_Datatype column) {
  MPI_File file;
  CHECK(MPI_File_open(MPI_COMM_SELF, rank == 0 ? "uses.0.data" : "uses.1.data",
                      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
  CHECK(MPI_File_set_view(file, 0, MPI_DOUBLE, column, "native", MPI_INFO_NULL));
  CHECK(MPI_File_write(file, from, 8, MPI_DOUBLE, MPI_STATUS_IGNORE));
  CHECK(MPI_File_read_at(file, 0, to, 4, MPI_DOUBLE, MPI_STATUS_IGNORE));
  CHECK(MPI_File_read_at_all_begin(file, 0, to, 2, MPI_DOUBLE));
  CHECK(MPI_File_read_at_all_end(file, to, MPI_STATUS_IGNORE));
  CHECK(MPI_File_close(&file));
}

static void packing(MPI_Datatype column) {
  char packed[4096];
  int position = 0;
  CHECK(MPI_Pack(from, 2, column, packed, sizeof packed, &position, MPI_COMM_WORLD));
  position = 0;
  CHECK(MPI_Unpack(packed, sizeof packed, &position, to, 2, column, MPI_COMM_WORLD));
  CHECK(MPI_Reduce_local(from, to, 11, MPI_INT, MPI_SUM));
}

/// The call is kept, what it did not use is not.
static void failing(void) {
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  if (MPI_Send(from, 5, MPI_UNSIGNED_LONG, 1000, TAG, MPI_COMM_WORLD) == MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 4);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

int main(int argc, char** argv) {
  MPI_Datatype column;
  CHECK(MPI_Init(&argc, &argv));
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CHECK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  if (size != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  CHECK(MPI_Type_vector(4, 1, 6, MPI_DOUBLE, &column));
  CHECK(MPI_Type_commit(&column));
  point_to_point(column);
  persistent(column);
  collectives(column);
  communicators();
  windows();
  files(column);
  packing(column);
  failing();
  CHECK(MPI_Type_free(&column));
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  if (argc > 1 && strcmp(argv[1], "kill") == 0) raise(SIGKILL);
  CHECK(MPI_Finalize());
  return 0;
}
