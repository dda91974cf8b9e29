// Buffers that two operations share, and twins that are right: one case in each run, which is named by the first
// argument. run_pending_buffers.py knows what must be found. Each process talks to itself alone.
#include <stdlib.h>
#include <string.h>

#include "testapp.h"

enum { ROWS = 6, COLUMNS = 5, MANY = 300 };

static double field[ROWS * COLUMNS], other[ROWS * COLUMNS];
static MPI_Status statuses[2 * MANY];
static const MPI_Comm self = MPI_COMM_SELF;

static MPI_Datatype column(void) {
  MPI_Datatype type;
  CHECK(MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &type));
  CHECK(MPI_Type_commit(&type));
  return type;
}

// Two halos that share one element.
static void halos(int distance) {
  MPI_Request requests[4];
  CHECK(MPI_Irecv(field, 10, MPI_DOUBLE, 0, 1, self, &requests[0]));
  CHECK(MPI_Irecv(field + distance, 10, MPI_DOUBLE, 0, 2, self, &requests[1]));
  CHECK(MPI_Isend(other, 10, MPI_DOUBLE, 0, 1, self, &requests[2]));
  CHECK(MPI_Isend(other, 10, MPI_DOUBLE, 0, 2, self, &requests[3]));
  CHECK(MPI_Waitall(4, requests, statuses));
}
static void overlapping_halos(void) { halos(9); }
static void halos_side_by_side(void) { halos(10); }

// The hulls of columns lie over each other, and no two columns share a byte.
static void columns_apart(int distance) {
  MPI_Datatype type = column();
  MPI_Request requests[2];
  CHECK(MPI_Irecv(field, 1, type, 0, 1, self, &requests[0]));
  CHECK(MPI_Irecv((char*)field + distance, 1, type, 0, 2, self, &requests[1]));
  CHECK(MPI_Send(other, ROWS, MPI_DOUBLE, 0, 1, self));
  CHECK(MPI_Send(other, ROWS, MPI_DOUBLE, 0, 2, self));
  CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  CHECK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
  CHECK(MPI_Type_free(&type));
}
static void columns(void) { columns_apart(8); }
static void shifted_columns(void) { columns_apart(4); }

// No message goes from a buffer to one that it shares bytes with: libraries refuse that where they can tell.
static void send_while_received(void) {
  MPI_Request requests[2];
  CHECK(MPI_Irecv(field, 4, MPI_DOUBLE, 0, 1, self, &requests[0]));
  CHECK(MPI_Irecv(other, 4, MPI_DOUBLE, 0, 2, self, &requests[1]));
  CHECK(MPI_Send(field + 3, 4, MPI_DOUBLE, 0, 2, self));
  CHECK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
  CHECK(MPI_Send(other, 4, MPI_DOUBLE, 0, 1, self));
  CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
}

static void sent_twice(void) {
  MPI_Request requests[3];
  CHECK(MPI_Isend(field, 4, MPI_DOUBLE, 0, 1, self, &requests[0]));
  CHECK(MPI_Isend(field + 1, 4, MPI_DOUBLE, 0, 1, self, &requests[1]));
  for (int i = 0; i < 2; ++i) CHECK(MPI_Recv(other, 4, MPI_DOUBLE, 0, 1, self, MPI_STATUS_IGNORE));
  for (int i = 0; i < 2; ++i) CHECK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
}

// One after the other, by each way to complete a request.
static void one_after_the_other(void) {
  for (int way = 0; way < 9; ++way) {
    MPI_Request requests[2];
    int flag = 0, index, indices[2], number;
    CHECK(MPI_Irecv(field, 4, MPI_DOUBLE, 0, way, self, &requests[0]));
    CHECK(MPI_Isend(other, 4, MPI_DOUBLE, 0, way, self, &requests[1]));
    switch (way) {
      case 0:
        for (int i = 0; i < 2; ++i) CHECK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        break;
      case 1:
        CHECK(MPI_Waitall(2, requests, statuses));
        break;
      case 2:
        for (int i = 0; i < 2; ++i) CHECK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
        break;
      case 3:
        for (int i = 0; i < 2; i += number) CHECK(MPI_Waitsome(2, requests, &number, indices, statuses));
        break;
      case 4:
        for (int i = 0; i < 2; ++i) {
          for (flag = 0; !flag;) CHECK(MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE));
        }
        break;
      case 5:
        while (!flag) CHECK(MPI_Testall(2, requests, &flag, statuses));
        break;
      case 6:
        for (int i = 0; i < 2;) {
          CHECK(MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE));
          i += flag && index != MPI_UNDEFINED;
        }
        break;
      case 7:
        for (int i = 0; i < 2; i += number) CHECK(MPI_Testsome(2, requests, &number, indices, statuses));
        break;
      case 8:
        while (!flag) CHECK(MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE));
        CHECK(MPI_Recv(field, 0, MPI_DOUBLE, MPI_PROC_NULL, 0, self, MPI_STATUS_IGNORE));
        CHECK(MPI_Sendrecv(other, 4, MPI_DOUBLE, 0, 77, field, 4, MPI_DOUBLE, 0, 77, self, MPI_STATUS_IGNORE));
        CHECK(MPI_Waitall(2, requests, statuses));
    }
  }
}

// Requests that were copied elsewhere before they are complete.
static void moved_requests(void) {
  for (int round = 0; round < 3; ++round) {
    MPI_Request made, kept[2];
    CHECK(MPI_Irecv(field, 4, MPI_DOUBLE, 0, 1, self, &made));
    kept[0] = made;
    CHECK(MPI_Isend(other, 4, MPI_DOUBLE, 0, 1, self, &made));
    kept[1] = made;
    CHECK(MPI_Waitall(2, kept, statuses));
  }
}

static void persistent(int distance) {
  MPI_Request requests[4];
  CHECK(MPI_Recv_init(field, 4, MPI_DOUBLE, 0, 1, self, &requests[0]));
  CHECK(MPI_Recv_init(field + distance, 4, MPI_DOUBLE, 0, 2, self, &requests[1]));
  CHECK(MPI_Send_init(other, 4, MPI_DOUBLE, 0, 1, self, &requests[2]));
  CHECK(MPI_Send_init(other, 4, MPI_DOUBLE, 0, 2, self, &requests[3]));
  for (int round = 0; round < 3; ++round) {
    CHECK(MPI_Startall(4, requests));
    CHECK(MPI_Waitall(4, requests, statuses));
  }
  for (int i = 0; i < 4; ++i) CHECK(MPI_Request_free(&requests[i]));
}
static void persistent_overlap(void) { persistent(3); }
static void persistent_apart(void) { persistent(4); }

// Started one after the other, they may share a buffer.
static void persistent_in_turn(void) {
  MPI_Request requests[2];
  CHECK(MPI_Recv_init(field, 4, MPI_DOUBLE, 0, 1, self, &requests[0]));
  CHECK(MPI_Recv_init(field, 4, MPI_DOUBLE, 0, 1, self, &requests[1]));
  for (int i = 0; i < 2; ++i) {
    MPI_Request send;
    CHECK(MPI_Start(&requests[i]));
    CHECK(MPI_Isend(other, 4, MPI_DOUBLE, 0, 1, self, &send));
    CHECK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    CHECK(MPI_Wait(&send, MPI_STATUS_IGNORE));
  }
  for (int i = 0; i < 2; ++i) CHECK(MPI_Request_free(&requests[i]));
}

// What was buffered goes when it is received: each send is complete before.
static void persistent_buffered(void) {
  enum { STARTS = 4, LONG = 100000 };
  const int bytes = STARTS * (LONG * (int)sizeof(double) + MPI_BSEND_OVERHEAD);
  double* const sent = calloc(LONG, sizeof *sent);
  char* buffer = malloc((size_t)bytes);
  MPI_Request request;
  if (sent == NULL || buffer == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  CHECK(MPI_Buffer_attach(buffer, bytes));
  CHECK(MPI_Bsend_init(sent, LONG, MPI_DOUBLE, 0, 3, self, &request));
  for (int i = 0; i < STARTS; ++i) {
    CHECK(MPI_Start(&request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  for (int i = 0; i < STARTS; ++i) CHECK(MPI_Recv(sent, LONG, MPI_DOUBLE, 0, 3, self, MPI_STATUS_IGNORE));
  CHECK(MPI_Request_free(&request));
  CHECK(MPI_Buffer_detach(&buffer, &(int){0}));
  free(buffer);
  free(sent);
}

// Nobody says when a request that was freed is complete.
static void freed_request(void) {
  MPI_Request receive, send;
  CHECK(MPI_Irecv(other, 4, MPI_DOUBLE, 0, 1, self, &receive));
  CHECK(MPI_Isend(field, 4, MPI_DOUBLE, 0, 1, self, &send));
  CHECK(MPI_Request_free(&send));
  CHECK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
  CHECK(MPI_Sendrecv(other, 4, MPI_DOUBLE, 0, 2, field, 4, MPI_DOUBLE, 0, 2, self, MPI_STATUS_IGNORE));
}

static void sendrecv_overlap(void) {
  MPI_Request requests[2];
  CHECK(MPI_Irecv(other, 4, MPI_DOUBLE, 0, 1, self, &requests[0]));
  CHECK(MPI_Isend(other + 4, 4, MPI_DOUBLE, 0, 2, self, &requests[1]));
  CHECK(MPI_Sendrecv(field, 4, MPI_DOUBLE, 0, 1, field + 2, 4, MPI_DOUBLE, 0, 2, self, MPI_STATUS_IGNORE));
  CHECK(MPI_Waitall(2, requests, statuses));
}
static void sendrecv_columns(void) {
  MPI_Datatype type = column();
  CHECK(MPI_Sendrecv(field, 1, type, 0, 1, field + 1, 1, type, 0, 1, self, MPI_STATUS_IGNORE));
  CHECK(MPI_Type_free(&type));
}

static void collectives(void) {
  int counts[] = {2}, at[] = {0}, behind[] = {2};
  CHECK(MPI_Allreduce(MPI_IN_PLACE, field, 4, MPI_DOUBLE, MPI_SUM, self));
  CHECK(MPI_Alltoallv(field, counts, at, MPI_DOUBLE, field, counts, behind, MPI_DOUBLE, self));
  CHECK(MPI_Bcast(field, 4, MPI_DOUBLE, 0, self));
  CHECK(MPI_Gather(MPI_IN_PLACE, 4, MPI_DOUBLE, field, 4, MPI_DOUBLE, 0, self));
  CHECK(MPI_Scatter(field, 4, MPI_DOUBLE, MPI_IN_PLACE, 4, MPI_DOUBLE, 0, self));
}
static void alltoallv_overlap(void) {
  int counts[] = {3}, at[] = {0}, behind[] = {2};
  MPI_Alltoallv(field, counts, at, MPI_DOUBLE, field, counts, behind, MPI_DOUBLE, self);
}
static void allreduce_overlap(void) { MPI_Allreduce(field, field + 1, 4, MPI_DOUBLE, MPI_SUM, self); }

static void pending_collective(void) {
  MPI_Request request;
  CHECK(MPI_Iallreduce(other, field, 4, MPI_DOUBLE, MPI_SUM, self, &request));
  CHECK(MPI_Bcast(field + 3, 4, MPI_DOUBLE, 0, self));
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void origin_overlap(int is_synchronised) {
  static double memory[8];
  MPI_Win window;
  if (MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, self, &window) != MPI_SUCCESS) {
    printf("without windows\n");  // Open MPI 4 over some transports
    return;
  }
  CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window));
  CHECK(MPI_Put(field, 2, MPI_DOUBLE, 0, 0, 2, MPI_DOUBLE, window));
  CHECK(MPI_Put(field, 2, MPI_DOUBLE, 0, 2, 2, MPI_DOUBLE, window));
  if (is_synchronised) CHECK(MPI_Win_flush(0, window));
  CHECK(MPI_Get(field + 1, 2, MPI_DOUBLE, 0, 4, 2, MPI_DOUBLE, window));
  CHECK(MPI_Win_unlock(0, window));
  CHECK(MPI_Sendrecv(other, 4, MPI_DOUBLE, 0, 1, field, 4, MPI_DOUBLE, 0, 1, self, MPI_STATUS_IGNORE));
  CHECK(MPI_Win_free(&window));
}
static void one_sided_overlap(void) { origin_overlap(0); }
static void one_sided_in_turn(void) { origin_overlap(1); }

// Operations that have a request are complete with it, and by their window's synchronisation.
enum completion { BY_NOTHING, BY_REQUEST, BY_WINDOW };
static void request_of_window(enum completion how) {
  static double memory[8];
  MPI_Win window;
  MPI_Request requests[2];
  if (MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, self, &window) != MPI_SUCCESS) {
    printf("without windows\n");
    return;
  }
  CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window));
  CHECK(MPI_Rput(other, 2, MPI_DOUBLE, 0, 0, 2, MPI_DOUBLE, window, &requests[0]));
  CHECK(MPI_Rget(field, 4, MPI_DOUBLE, 0, 2, 4, MPI_DOUBLE, window, &requests[1]));
  if (how == BY_REQUEST) CHECK(MPI_Waitall(2, requests, statuses));
  if (how == BY_WINDOW) CHECK(MPI_Win_flush(0, window));
  CHECK(MPI_Sendrecv(other + 8, 2, MPI_DOUBLE, 0, 1, field + 3, 2, MPI_DOUBLE, 0, 1, self, MPI_STATUS_IGNORE));
  CHECK(MPI_Sendrecv(other + 8, 2, MPI_DOUBLE, 0, 1, other + 1, 2, MPI_DOUBLE, 0, 1, self, MPI_STATUS_IGNORE));
  if (how != BY_REQUEST) CHECK(MPI_Waitall(2, requests, statuses));
  CHECK(MPI_Win_unlock(0, window));
  CHECK(MPI_Win_free(&window));
}
static void request_overlap(void) { request_of_window(BY_NOTHING); }
static void request_in_turn(void) { request_of_window(BY_REQUEST); }
static void request_flushed(void) { request_of_window(BY_WINDOW); }

// Of a partitioned send nothing is the library's before it is ready; what has arrived is the program's.
enum partition_use { WRITES_BEFORE_READY, WRITES_AFTER_READY, WRITES_BEFORE_ARRIVAL, WRITES_AFTER_ARRIVAL };
static void partitions(enum partition_use how) {
#if MPI_VERSION >= 4
  static volatile int rounds = 2;  // else the compiler may write the loop's calls twice
  MPI_Request send, receive;
  int arrived = 0;
  CHECK(MPI_Psend_init(field, 3, 4, MPI_DOUBLE, 0, 9, self, MPI_INFO_NULL, &send));
  CHECK(MPI_Precv_init(other, 3, 4, MPI_DOUBLE, 0, 9, self, MPI_INFO_NULL, &receive));
  for (int round = 0; round < rounds; ++round) {
    CHECK(MPI_Start(&receive));
    CHECK(MPI_Start(&send));
    CHECK(MPI_Pready(0, send));
    // Into partition 1.
    if (how == WRITES_AFTER_READY) CHECK(MPI_Pready_range(1, 2, send));
    CHECK(MPI_Sendrecv(other + 12, 2, MPI_DOUBLE, 0, 1, field + (how == WRITES_AFTER_READY ? 6 : 4), 2, MPI_DOUBLE, 0,
                       1, self, MPI_STATUS_IGNORE));
    if (how != WRITES_AFTER_READY) CHECK(MPI_Pready_list(2, (int[]){2, 1}, send));
    if (how == WRITES_AFTER_ARRIVAL) {
      while (!arrived) CHECK(MPI_Parrived(receive, 1, &arrived));
      arrived = 0;
    }
    if (how == WRITES_BEFORE_ARRIVAL || how == WRITES_AFTER_ARRIVAL) {
      CHECK(MPI_Sendrecv(field + 12, 2, MPI_DOUBLE, 0, 1, other + 6, 2, MPI_DOUBLE, 0, 1, self, MPI_STATUS_IGNORE));
    }
    CHECK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    CHECK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
    CHECK(MPI_Sendrecv(field + 12, 4, MPI_DOUBLE, 0, 1, other, 4, MPI_DOUBLE, 0, 1, self, MPI_STATUS_IGNORE));
  }
  CHECK(MPI_Request_free(&send));
  CHECK(MPI_Request_free(&receive));
#else
  (void)how;
  printf("without partitions\n");
#endif
}
static void partition_in_turn(void) { partitions(WRITES_BEFORE_READY); }
static void partition_overlap(void) { partitions(WRITES_AFTER_READY); }
static void partition_overlap_of_receive(void) { partitions(WRITES_BEFORE_ARRIVAL); }
static void partition_that_arrived(void) { partitions(WRITES_AFTER_ARRIVAL); }

static void split_collective(int is_ended) {
  MPI_File file;
  char name[64];
  snprintf(name, sizeof name, "split-%d", is_ended);
  CHECK(MPI_File_open(self, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
  CHECK(MPI_File_write_all(file, other, 8, MPI_DOUBLE, MPI_STATUS_IGNORE));
  CHECK(MPI_File_read_at_all_begin(file, 0, field, 4, MPI_DOUBLE));
  if (is_ended) CHECK(MPI_File_read_at_all_end(file, field, MPI_STATUS_IGNORE));
  CHECK(MPI_Sendrecv(other, 2, MPI_DOUBLE, 0, 1, field + 2, 2, MPI_DOUBLE, 0, 1, self, MPI_STATUS_IGNORE));
  if (!is_ended) CHECK(MPI_File_read_at_all_end(file, field, MPI_STATUS_IGNORE));
  CHECK(MPI_File_close(&file));
}
static void split_overlap(void) { split_collective(0); }
static void split_in_turn(void) { split_collective(1); }

// What the root sends itself, with these types.
static void gather(int count, MPI_Datatype sent, int other_count, MPI_Datatype received) {
  MPI_Gather(other, count, sent, field, other_count, received, 0, self);
}
static void gather_of_floats(void) { gather(4, MPI_INT, 4, MPI_FLOAT); }
static void gather_too_much(void) { gather(4, MPI_INT, 3, MPI_INT); }
static void gather_by_other_name(void) { gather(4, MPI_LONG, 4, MPI_INT64_T); }
static void gather_of_bytes(void) { gather(4, MPI_DOUBLE, 32, MPI_BYTE); }
static void gather_of_columns(void) {
  MPI_Datatype type = column();
  gather(1, type, ROWS, MPI_DOUBLE);
  CHECK(MPI_Type_free(&type));
}

static void view(MPI_Datatype etype, MPI_Datatype of) {
  MPI_File file;
  MPI_Datatype type;
  CHECK(MPI_Type_vector(3, 2, 4, of, &type));
  CHECK(MPI_Type_commit(&type));
  CHECK(MPI_File_open(self, "view", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
  MPI_File_set_view(file, 0, etype, type, "native", MPI_INFO_NULL);
  CHECK(MPI_File_close(&file));
  CHECK(MPI_Type_free(&type));
}
static void view_of_ints(void) { view(MPI_DOUBLE, MPI_INT); }
static void view_of_bytes(void) { view(MPI_BYTE, MPI_INT); }
static void view_that_fits(void) { view(MPI_INT, MPI_INT); }

// More than are looked through one by one.
static void many(int is_wrong) {
  static double to[MANY], from[MANY];
  static MPI_Request requests[2 * MANY];
  for (int i = 0; i < MANY; ++i) {
    CHECK(MPI_Irecv(&to[is_wrong && i == 200 ? 100 : i], 1, MPI_DOUBLE, 0, i, self, &requests[i]));
  }
  for (int i = 0; i < MANY; ++i) CHECK(MPI_Isend(&from[i], 1, MPI_DOUBLE, 0, i, self, &requests[MANY + i]));
  CHECK(MPI_Waitall(2 * MANY, requests, statuses));
  CHECK(MPI_Sendrecv(from, MANY, MPI_DOUBLE, 0, 1, to, MANY, MPI_DOUBLE, 0, 1, self, MPI_STATUS_IGNORE));
}
static void many_apart(void) { many(0); }
static void one_of_many(void) { many(1); }

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } cases[] = {{"overlapping_halos", overlapping_halos},
               {"halos_side_by_side", halos_side_by_side},
               {"columns", columns},
               {"shifted_columns", shifted_columns},
               {"send_while_received", send_while_received},
               {"sent_twice", sent_twice},
               {"one_after_the_other", one_after_the_other},
               {"moved_requests", moved_requests},
               {"persistent_overlap", persistent_overlap},
               {"persistent_apart", persistent_apart},
               {"persistent_in_turn", persistent_in_turn},
               {"persistent_buffered", persistent_buffered},
               {"freed_request", freed_request},
               {"sendrecv_overlap", sendrecv_overlap},
               {"sendrecv_columns", sendrecv_columns},
               {"collectives", collectives},
               {"alltoallv_overlap", alltoallv_overlap},
               {"allreduce_overlap", allreduce_overlap},
               {"pending_collective", pending_collective},
               {"one_sided_overlap", one_sided_overlap},
               {"one_sided_in_turn", one_sided_in_turn},
               {"request_overlap", request_overlap},
               {"request_in_turn", request_in_turn},
               {"request_flushed", request_flushed},
               {"partition_in_turn", partition_in_turn},
               {"partition_overlap", partition_overlap},
               {"partition_overlap_of_receive", partition_overlap_of_receive},
               {"partition_that_arrived", partition_that_arrived},
               {"split_overlap", split_overlap},
               {"split_in_turn", split_in_turn},
               {"gather_of_floats", gather_of_floats},
               {"gather_too_much", gather_too_much},
               {"gather_by_other_name", gather_by_other_name},
               {"gather_of_bytes", gather_of_bytes},
               {"gather_of_columns", gather_of_columns},
               {"view_of_ints", view_of_ints},
               {"view_of_bytes", view_of_bytes},
               {"view_that_fits", view_that_fits},
               {"many_apart", many_apart},
               {"one_of_many", one_of_many}};
  CHECK(MPI_Init(&argc, &argv));
  CHECK(MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN));
  int is_known = 0;
  for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; ++i) {
    if (strcmp(argv[1], cases[i].name) != 0) continue;
    cases[i].run();
    is_known = 1;
  }
  if (!is_known) MPI_Abort(MPI_COMM_WORLD, 2);
  CHECK(MPI_Finalize());
  return 0;
}
