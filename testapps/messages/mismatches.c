/* Messages whose two sides do not agree, and their twins that do: each case by its name, on two to four processes. The
 * program looks at no status and no return code: an error of the library's ends nothing here. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static char room[1 << 16], data[1 << 16];

static MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

static MPI_Datatype particle(MPI_Datatype first) {
  int lengths[] = {1, 2};
  MPI_Aint displacements[] = {0, 8};
  MPI_Datatype types[] = {first, MPI_DOUBLE}, type;
  MPI_Type_create_struct(2, lengths, displacements, types, &type);
  return committed(type);
}

static MPI_Datatype rows(int count, int blocklength, MPI_Datatype of) {
  MPI_Datatype type;
  MPI_Type_vector(count, blocklength, blocklength + 1, of, &type);
  return committed(type);
}

static void send(int count, MPI_Datatype type, int tag) { MPI_Send(data, count, type, 1, tag, MPI_COMM_WORLD); }
static void receive(int count, MPI_Datatype type, int tag) {
  MPI_Recv(room, count, type, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void complete(int count, MPI_Request* requests) {
  for (int i = 0; i < count; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

/* Sixteen that are right, and 400 that are not. */
static void other_struct(MPI_Datatype received) {
  MPI_Datatype sent = particle(MPI_INT);
  for (int i = 0; i < 416; ++i) {
    MPI_Datatype one = i < 16 ? MPI_CHAR : rank == 0 ? sent : received;
    if (rank == 0) send(1, one, 3);
    if (rank == 1) receive(1, one, 3);
  }
  MPI_Type_free(&sent);
  MPI_Type_free(&received);
}
static void struct_differs(void) { other_struct(particle(MPI_LONG)); }
static void struct_is_the_same(void) { other_struct(particle(MPI_INT)); }

static void one_message(int count, MPI_Datatype sent, int most, MPI_Datatype received) {
  if (rank == 0) send(count, sent, 5);
  if (rank == 1) receive(most, received, 5);
}
static void ints_as_floats(void) { one_message(6, MPI_INT, 6, MPI_FLOAT); }
static void longs_as_bytes(void) { one_message(2, MPI_LONG, 16, MPI_BYTE); }
static void longs_as_int64(void) { one_message(2, MPI_LONG, 2, MPI_INT64_T); }
static void longs_in_more_bytes(void) { one_message(2, MPI_LONG, 100, MPI_BYTE); }
static void too_long_for_bytes(void) { one_message(9, MPI_LONG, 64, MPI_BYTE); }
static void too_long(void) { one_message(9, MPI_INT, 8, MPI_INT); }
static void shorter(void) { one_message(7, MPI_INT, 8, MPI_INT); }
static void nothing(void) { one_message(0, MPI_INT, 8, MPI_FLOAT); }
static void packed(void) {
  int at = 0;
  MPI_Pack(data, 4, MPI_INT, room, sizeof room, &at, MPI_COMM_WORLD);
  one_message(at, MPI_PACKED, 4, MPI_INT);
}
static void built_otherwise(void) {
  MPI_Datatype columns = rows(3, 2, MPI_INT), line;
  MPI_Type_contiguous(6, MPI_INT, &line);
  MPI_Type_commit(&line);
  one_message(2, columns, 2, line);
  MPI_Type_free(&columns);
  MPI_Type_free(&line);
}

/* Nonblocking, each with each, in a loop; the receive of the right neighbour is wrong in the third step of five. */
static void ring(int wrong_step) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int step = 0; step < 5; ++step) {
    MPI_Request requests[2];
    MPI_Datatype received = step == wrong_step && rank == 0 ? MPI_FLOAT : MPI_INT;
    MPI_Irecv(room, 4, received, left, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(data, 4, MPI_INT, right, 9, MPI_COMM_WORLD, &requests[1]);
    complete(2, requests);
  }
}
static void ring_differs(void) { ring(2); }
static void ring_is_right(void) { ring(-1); }

/* From anybody, with any tag: what each receive took is known by its status, which the program does not want. */
static void wildcards(MPI_Datatype received) {
  if (rank != 0) MPI_Send(data, 3, MPI_DOUBLE, 0, rank, MPI_COMM_WORLD);
  for (int i = 1; rank == 0 && i < size; ++i) {
    MPI_Recv(room, 3, received, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
static void wildcards_differ(void) { wildcards(MPI_LONG); }
static void wildcards_are_right(void) { wildcards(MPI_DOUBLE); }

static void persistent(MPI_Datatype received) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Send_init(data, 4, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
  if (rank == 1) MPI_Recv_init(room, 4, received, 0, 2, MPI_COMM_WORLD, &request);
  for (int i = 0; rank < 2 && i < 3; ++i) {
    MPI_Start(&request);
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): it does not know MPI_Start
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank < 2) MPI_Request_free(&request);
}
static void persistent_differs(void) { persistent(MPI_FLOAT); }
static void persistent_is_right(void) { persistent(MPI_INT); }

/* Two communicators with the same ranks and tag: what is wrong on the one is right on the other. */
static void communicators(MPI_Datatype received) {
  MPI_Comm one, other;
  MPI_Comm_dup(MPI_COMM_WORLD, &one);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other); /* the other way round */
  if (rank == 0) {
    MPI_Send(data, 2, MPI_INT, 1, 4, one);
    MPI_Send(data, 2, MPI_FLOAT, size - 2, 4, other);
  }
  if (rank == 1) {
    MPI_Recv(room, 2, MPI_INT, 0, 4, one, MPI_STATUS_IGNORE);
    MPI_Recv(room, 2, received, size - 1, 4, other, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&one);
  MPI_Comm_free(&other);
}
static void communicators_differ(void) { communicators(MPI_INT); }
static void communicators_are_right(void) { communicators(MPI_FLOAT); }

static void exchanged(MPI_Datatype received) {
  if (rank < 2) {
    MPI_Sendrecv(data, 3, MPI_INT, 1 - rank, 6, room, 3, rank == 0 ? received : MPI_INT, 1 - rank, 6, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}
static void exchange_differs(void) { exchanged(MPI_FLOAT); }
static void exchange_is_right(void) { exchanged(MPI_INT); }
static void to_itself(void) {
  MPI_Sendrecv(data, 3, MPI_INT, rank, 6, room, 3, MPI_FLOAT, rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Small enough to be buffered; nobody receives the last ones. */
static void never_received(void) {
  MPI_Request requests[3];
  for (int i = 0; i < 3; ++i) {
    if (rank == 0) MPI_Isend(data, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &requests[i]);
    if (rank == 1 && i == 0) receive(1, MPI_INT, 8);
  }
  if (rank == 0) complete(3, requests);
}
static void cancelled(void) {
  MPI_Request request;
  if (rank == 1) {
    MPI_Irecv(room, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}
static void nobody(void) {
  MPI_Send(data, 3, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Recv(room, 3, MPI_FLOAT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

#define CASE(name) \
  { #name, name }
static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {CASE(struct_differs),
             CASE(struct_is_the_same),
             CASE(ints_as_floats),
             CASE(longs_as_bytes),
             CASE(longs_in_more_bytes),
             CASE(too_long_for_bytes),
             CASE(longs_as_int64),
             CASE(too_long),
             CASE(shorter),
             CASE(nothing),
             CASE(packed),
             CASE(built_otherwise),
             CASE(ring_differs),
             CASE(ring_is_right),
             CASE(wildcards_differ),
             CASE(wildcards_are_right),
             CASE(persistent_differs),
             CASE(persistent_is_right),
             CASE(communicators_differ),
             CASE(communicators_are_right),
             CASE(exchange_differs),
             CASE(exchange_is_right),
             CASE(to_itself),
             CASE(never_received),
             CASE(cancelled),
             CASE(nobody)};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  memset(data, 1, sizeof data);
  for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof cases[0]; ++i) {
    if (strcmp(argv[1], cases[i].name) == 0) {
      cases[i].run();
      MPI_Finalize();
      return 0;
    }
  }
  fprintf(stderr, "no case\n");
  MPI_Abort(MPI_COMM_WORLD, 2);
}
