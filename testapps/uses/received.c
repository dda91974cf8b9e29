// Receives that are posted for more than comes, each completed by another function, with a status or without:
// run_received.py knows how much each was told to have received.
#include <pthread.h>
#include <string.h>

#include "testapp.h"

enum { POSTED = 10, TAG = 7 };
// Else compilers warn of what MPI_STATUSES_IGNORE is in one of the libraries.
static MPI_Status* volatile ignored = MPI_STATUSES_IGNORE;
static char from[4096], to[64][1024];

static void send_to_self(int count, MPI_Datatype type) { CHECK(MPI_Send(from, count, type, 0, TAG, MPI_COMM_SELF)); }

static MPI_Request posted(MPI_Datatype type) {
  MPI_Request request;
  CHECK(MPI_Irecv(to[0], POSTED, type, 0, TAG, MPI_COMM_SELF, &request));
  return request;
}

// 4 and 6 elements come.
static void one_at_a_time(void) {
  for (int count = 4; count <= 6; count += 2) {
    MPI_Status status, one[1];
    int flag = 0, index = 0, number = 0;
    MPI_Request request = posted(MPI_INT);
    send_to_self(count, MPI_INT);
    CHECK(MPI_Wait(&request, &status));

    request = posted(MPI_FLOAT);
    send_to_self(count, MPI_FLOAT);
    for (flag = 0; !flag;) CHECK(MPI_Test(&request, &flag, &status));

    request = posted(MPI_DOUBLE);
    send_to_self(count, MPI_DOUBLE);
    CHECK(MPI_Waitall(1, &request, one));

    request = posted(MPI_LONG);
    send_to_self(count, MPI_LONG);
    for (flag = 0; !flag;) CHECK(MPI_Testall(1, &request, &flag, one));

    request = posted(MPI_SHORT);
    send_to_self(count, MPI_SHORT);
    CHECK(MPI_Waitany(1, &request, &index, &status));

    request = posted(MPI_CHAR);
    send_to_self(count, MPI_CHAR);
    for (flag = 0; !flag;) CHECK(MPI_Testany(1, &request, &index, &flag, &status));

    request = posted(MPI_UNSIGNED);
    send_to_self(count, MPI_UNSIGNED);
    CHECK(MPI_Waitsome(1, &request, &number, &index, one));

    request = posted(MPI_UNSIGNED_CHAR);
    send_to_self(count, MPI_UNSIGNED_CHAR);
    for (number = 0; number == 0;) CHECK(MPI_Testsome(1, &request, &number, &index, one));

    request = posted(MPI_UNSIGNED_LONG);
    send_to_self(count, MPI_UNSIGNED_LONG);
    for (flag = 0; !flag;) CHECK(MPI_Request_get_status(request, &flag, &status));
    CHECK(MPI_Wait(&request, &status));  // which tells the same once more

    request = posted(MPI_UNSIGNED_SHORT);
    send_to_self(count, MPI_UNSIGNED_SHORT);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    request = posted(MPI_UNSIGNED_SHORT);
    send_to_self(count, MPI_UNSIGNED_SHORT);
    CHECK(MPI_Waitall(1, &request, ignored));
  }
}

static void blocking(void) {
  MPI_Status status;
  MPI_Message message;
  MPI_Request request, sent;
  CHECK(MPI_Isend(from, 3, MPI_INT, 0, TAG, MPI_COMM_SELF, &sent));
  CHECK(MPI_Recv(to[0], POSTED, MPI_INT, 0, TAG, MPI_COMM_SELF, &status));
  CHECK(MPI_Wait(&sent, &status));
  CHECK(MPI_Isend(from, 3, MPI_DOUBLE, 0, TAG, MPI_COMM_SELF, &sent));
  CHECK(MPI_Recv(to[0], POSTED, MPI_DOUBLE, 0, TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  CHECK(MPI_Wait(&sent, &status));
  CHECK(MPI_Recv(to[0], POSTED, MPI_SHORT, MPI_PROC_NULL, TAG, MPI_COMM_SELF, &status));
  CHECK(MPI_Sendrecv(from, 2, MPI_INT, 0, TAG, to[0], POSTED, MPI_INT, 0, TAG, MPI_COMM_SELF, &status));
  CHECK(MPI_Sendrecv_replace(to[0], 5, MPI_INT, 0, TAG, 0, TAG, MPI_COMM_SELF, &status));
  CHECK(MPI_Isend(from, 4, MPI_INT, 0, TAG, MPI_COMM_SELF, &sent));
  CHECK(MPI_Mprobe(0, TAG, MPI_COMM_SELF, &message, &status));
  CHECK(MPI_Mrecv(to[0], POSTED, MPI_INT, &message, &status));
  CHECK(MPI_Wait(&sent, &status));
  CHECK(MPI_Isend(from, 4, MPI_INT, 0, TAG, MPI_COMM_SELF, &sent));
  CHECK(MPI_Mprobe(0, TAG, MPI_COMM_SELF, &message, &status));
  CHECK(MPI_Imrecv(to[0], POSTED, MPI_INT, &message, &request));
  CHECK(MPI_Wait(&request, &status));
  CHECK(MPI_Wait(&sent, &status));
  // The status of a collective operation says nothing.
  CHECK(MPI_Iallreduce(from, to[0], 2, MPI_INT, MPI_SUM, MPI_COMM_SELF, &request));
  CHECK(MPI_Wait(&request, &status));
}

enum { MANY = 40 };
static void many_at_once(void) {
  MPI_Request requests[MANY];
  MPI_Status statuses[MANY];
  for (int i = 0; i < MANY; ++i) {
    CHECK(MPI_Irecv(to[i], POSTED, MPI_INT8_T, 0, TAG, MPI_COMM_SELF, &requests[i]));
  }
  for (int i = 0; i < MANY; ++i) send_to_self(3, MPI_INT8_T);
  CHECK(MPI_Waitall(MANY, requests, statuses));
}

// Of what is started at one place one sends and the other receives.
static void persistent(MPI_Datatype column) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  CHECK(MPI_Recv_init(to[0], 2, column, 0, TAG, MPI_COMM_SELF, &requests[0]));
  CHECK(MPI_Send_init(from, 1, column, 0, TAG, MPI_COMM_SELF, &requests[1]));
  for (int i = 0; i < 3; ++i) {
    CHECK(MPI_Startall(2, requests));
    CHECK(MPI_Waitall(2, requests, statuses));
  }
  for (int i = 0; i < 2; ++i) CHECK(MPI_Request_free(&requests[i]));
}

// What is received of nothing, or of what is not there.
static void nothing(void) {
  MPI_Status status;
  MPI_Request request = posted(MPI_INT16_T);
  send_to_self(0, MPI_INT16_T);
  CHECK(MPI_Wait(&request, &status));
  request = posted(MPI_INT32_T);
  CHECK(MPI_Cancel(&request));
  CHECK(MPI_Wait(&request, &status));
  // Not started, and complete already.
  CHECK(MPI_Recv_init(to[0], POSTED, MPI_UINT8_T, 0, TAG, MPI_COMM_SELF, &request));
  CHECK(MPI_Wait(&request, &status));
  CHECK(MPI_Start(&request));
  send_to_self(3, MPI_UINT8_T);
  for (int i = 0; i < 2; ++i) CHECK(MPI_Wait(&request, &status));
  CHECK(MPI_Request_free(&request));
}

static int query(void* state, MPI_Status* status) {
  (void)state;
  CHECK(MPI_Status_set_elements(status, MPI_BYTE, 5));
  CHECK(MPI_Status_set_cancelled(status, 0));
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int release(void* state) {
  (void)state;
  return MPI_SUCCESS;
}
static int cancel(void* state, int is_complete) {
  (void)state;
  (void)is_complete;
  return MPI_SUCCESS;
}

// Receives beside null requests, one that is the program's own, and a send; some are kept elsewhere meanwhile.
static void beside_others(void) {
  enum { ALL = 6 };
  MPI_Request requests[ALL], elsewhere[ALL];
  MPI_Status statuses[ALL];
  int indices[ALL], number = 0, done = 0;
  for (int round = 0; round < 3; ++round) {
    requests[0] = requests[3] = MPI_REQUEST_NULL;
    requests[1] = posted(MPI_INT64_T);
    CHECK(MPI_Grequest_start(query, release, cancel, NULL, &requests[2]));
    CHECK(MPI_Grequest_complete(requests[2]));
    CHECK(MPI_Irecv(to[1], POSTED, MPI_INT64_T, 0, TAG + 1, MPI_COMM_SELF, &requests[4]));
    CHECK(MPI_Isend(from, 2, MPI_INT64_T, 0, TAG, MPI_COMM_SELF, &requests[5]));
    CHECK(MPI_Send(from, 1, MPI_INT64_T, 0, TAG + 1, MPI_COMM_SELF));
    memcpy(elsewhere, requests, sizeof requests);
    if (round == 0) CHECK(MPI_Waitall(ALL, requests, statuses));
    if (round == 1) CHECK(MPI_Waitall(ALL, elsewhere, statuses));
    for (done = 0; round == 2 && done < ALL - 2; done += number) {
      CHECK(MPI_Waitsome(ALL, requests, &number, indices, statuses));
    }
  }
}

// Where one of several fails, the others have come, or go on. Open MPI cuts off without an error what a process sends
// to itself.
static void truncated(void) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  // Of a call that has requests alone it is the world's that is called.
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  for (int tag = 0; tag < 2; ++tag) {
    CHECK(MPI_Irecv(to[tag], 2, tag ? MPI_UINT32_T : MPI_UINT16_T, 0, tag, MPI_COMM_SELF, &requests[tag]));
  }
  CHECK(MPI_Send(from, 2, MPI_UINT32_T, 0, 1, MPI_COMM_SELF));
  CHECK(MPI_Send(from, 4, MPI_UINT16_T, 0, 0, MPI_COMM_SELF));
  const int result = MPI_Waitall(2, requests, statuses);
  if (result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS) MPI_Abort(MPI_COMM_WORLD, 4);
  if (result == MPI_ERR_IN_STATUS && statuses[1].MPI_ERROR == MPI_ERR_PENDING) CHECK(MPI_Wait(&requests[1], statuses));
  CHECK(MPI_Irecv(to[0], 2, MPI_UINT16_T, 0, 0, MPI_COMM_SELF, &requests[0]));
  CHECK(MPI_Send(from, 4, MPI_UINT16_T, 0, 0, MPI_COMM_SELF));
  if ((MPI_Wait(&requests[0], statuses) == MPI_SUCCESS) != (result == MPI_SUCCESS)) MPI_Abort(MPI_COMM_WORLD, 6);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

enum { THREADS = 8, ROUNDS = 500 };
static void* exchange(void* number) {
  const int tag = 100 + *(int*)number;
  char sent[8], got[2][16];
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Request requests[4];
    MPI_Status statuses[4];
    for (int i = 0; i < 2; ++i) {
      CHECK(MPI_Irecv(got[i], 16, MPI_BYTE, 0, tag, MPI_COMM_SELF, &requests[i]));
      CHECK(MPI_Isend(sent, 3 + i, MPI_BYTE, 0, tag, MPI_COMM_SELF, &requests[2 + i]));
    }
    CHECK(MPI_Waitall(4, requests, statuses));
  }
  return NULL;
}
static void in_threads(void) {
  pthread_t threads[THREADS];
  int numbers[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    numbers[i] = i;
    if (pthread_create(&threads[i], NULL, exchange, &numbers[i]) != 0) MPI_Abort(MPI_COMM_WORLD, 7);
  }
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
}

static void file(const char* name) {
  MPI_File handle;
  MPI_Status status;
  MPI_Request request;
  CHECK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &handle));
  CHECK(MPI_File_write(handle, from, 3, MPI_DOUBLE, &status));
  CHECK(MPI_File_read_at(handle, 0, to[0], POSTED, MPI_DOUBLE, &status));
  CHECK(MPI_File_iread_at(handle, 0, to[0], 2, MPI_DOUBLE, &request));
  CHECK(MPI_Wait(&request, &status));
  CHECK(MPI_File_close(&handle));
}

int main(int argc, char** argv) {
  MPI_Datatype column;
  const int has_threads = argc > 2 && strcmp(argv[2], "threads") == 0;
  int provided = MPI_THREAD_SINGLE;
  if (has_threads) {
    CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    if (provided == MPI_THREAD_MULTIPLE) in_threads();
    CHECK(MPI_Finalize());
    return provided == MPI_THREAD_MULTIPLE ? 0 : 77;
  }
  CHECK(MPI_Init(&argc, &argv));
  CHECK(MPI_Type_vector(4, 1, 6, MPI_DOUBLE, &column));
  CHECK(MPI_Type_commit(&column));
  one_at_a_time();
  blocking();
  many_at_once();
  persistent(column);
  nothing();
  beside_others();
  truncated();
  file(argc > 1 ? argv[1] : "received.data");
  CHECK(MPI_Type_free(&column));
  CHECK(MPI_Finalize());
  return 0;
}
