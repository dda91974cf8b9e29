/* Jobs that hang, each in its own way, by the first argument. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static double large[131072]; /* 1 MB: no library sends that before somebody receives it */

/* So that whoever looks at the job knows that it has got there. */
static void here(void) {
  char name[64];
  const char* folder = getenv("HANGS_FOLDER");
  if (folder == NULL) return;
  char path[4096];
  snprintf(name, sizeof name, "here-%d", rank);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "w");
  if (file != NULL) fclose(file);
}

static void compute(void) {
  here();
  for (;;) usleep(10000);
}

static void both_receive(void) {
  int value = rank;
  MPI_Send(&value, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  here();
  MPI_Recv(&value, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* both_receive */
}

static void cycle(void) {
  int value = rank;
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  here();
  MPI_Recv(&value, 1, MPI_INT, (rank + size - 1) % size, 3, copy, MPI_STATUS_IGNORE); /* cycle */
  MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 3, copy);
}

static void wait_all(void) {
  double in[2];
  double out = 1;
  MPI_Request requests[3];
  MPI_Status statuses[3];
  if (rank != 0) {
    MPI_Send(&out, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    compute();
  }
  MPI_Irecv(&in[0], 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&in[1], 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, &requests[1]); /* started */
  requests[2] = MPI_REQUEST_NULL;
  here();
  MPI_Waitall(3, requests, statuses); /* wait_all */
}

static void send_to_busy(void) {
  if (rank != 0) compute();
  here();
  MPI_Send(large, 131072, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD); /* send_to_busy */
  here();
}

static void missing(void) {
  int sum;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == size - 1) {
    here();
    MPI_Recv(&sum, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* missing_receive */
  }
  here();
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* missing */
}

/* All but the last rank are in a barrier, which computes. A file that none could open before says nothing else. */
static void barrier(void) {
  MPI_File none;
  MPI_File_open(MPI_COMM_WORLD, "nobody/has/this.data", MPI_MODE_RDONLY, MPI_INFO_NULL, &none);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) compute();
  here();
  MPI_Barrier(MPI_COMM_WORLD); /* barrier */
  here();
}

/* Rank 0 would take a message of any of the others: rank 2 may still send one. */
static void any_source(void) {
  int value = rank;
  if (rank == 2) compute();
  here();
  MPI_Recv(&value, 1, MPI_INT, rank == 0 ? MPI_ANY_SOURCE : 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* any_source */
}

/* The same, and rank 2 waits, too. */
static void any_source_stuck(void) {
  int value = rank;
  here();
  MPI_Recv(&value, 1, MPI_INT, rank == 0 ? MPI_ANY_SOURCE : 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* any_stuck */
}

static void ended(void) {
  int value;
  if (rank != 0) return;
  here();
  MPI_Recv(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ended */
}

/* A communicator that was made behind a call that failed: nobody knows what the others call it. */
static void nameless(void) {
  MPI_Comm copy;
  MPI_Comm none;
  int value = rank;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){size + 1}, (int[]){0}, 0, &none);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  here();
  if (rank == 0) MPI_Barrier(copy);                            /* nameless_barrier */
  MPI_Recv(&value, 1, MPI_INT, 0, 4, copy, MPI_STATUS_IGNORE); /* nameless_receive */
}

/* Rank 0 is between two periods of a window, rank 1 waits for a message of its. */
/* Rank 0 waits to end an epoch in which it has written; rank 1 has one of each other kind open. */
static void fenced(MPI_Win made) {
  int value[4] = {1, 2, 3, 4};
  MPI_Win_fence(MPI_MODE_NOPRECEDE, made); /* fence_opens */
  if (rank == 0) {
    for (int i = 0; i < 3; ++i) MPI_Put(&value[i], 1, MPI_INT, 1, i, 1, MPI_INT, made); /* fence_puts */
    MPI_Get(&value[3], 1, MPI_INT, 1, 3, 1, MPI_INT, made);
    here();
    MPI_Win_fence(0, made); /* window */
  }
}

static void own_epochs(void) {
  MPI_Win locked, all, exposed;
  MPI_Group self;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  static double memory[8], other[8];
  double value[3] = {1, 2, 3};
  MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, MPI_COMM_SELF, &locked); /* created */
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &all);
  MPI_Win_create(other, sizeof other, 1, MPI_INFO_NULL, MPI_COMM_SELF, &exposed);
  MPI_Win_set_name(locked, "of rank 1");
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, locked); /* locks */
  MPI_Accumulate(&value[0], 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_SUM, locked);
  MPI_Win_flush(0, locked);
  MPI_Put(&value[1], 1, MPI_DOUBLE, 0, 5, 1, MPI_DOUBLE, locked); /* lock_puts */
  MPI_Rput(&value[2], 1, MPI_DOUBLE, 0, 6, 1, MPI_DOUBLE, locked, &requests[0]);
  MPI_Rget(&value[0], 1, MPI_DOUBLE, 0, 7, 1, MPI_DOUBLE, locked, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, all); /* locks_all */
  MPI_Comm_group(MPI_COMM_SELF, &self);
  MPI_Win_post(self, 0, exposed);  /* posts */
  MPI_Win_start(self, 0, exposed); /* starts */
}

static void window(void) {
  MPI_Win made;
  int* memory;
  int value = rank;
  MPI_Win_allocate(4 * sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &made);
  MPI_Win_set_name(made, "halo");
  fenced(made);
  own_epochs();
  here();
  MPI_Recv(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* window_receive */
}

static void probe(void) {
  MPI_Status status;
  if (rank != 0) compute();
  here();
  MPI_Probe(1, 2, MPI_COMM_WORLD, &status); /* probe */
}

static void persistent(void) {
  int value[2] = {rank, rank};
  MPI_Request requests[2];
  int index;
  MPI_Recv_init(&value[0], 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&value[1], 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Startall(2, requests); /* persistent_start */
  here();
  MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE); /* persistent */
}

/* It asks, and does not wait: whoever waits for it may get what it sends between two questions. */
static void asks(void) {
  double value = 1;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_DOUBLE, 1 - rank, 5, MPI_COMM_WORLD, &request);
  here();
  if (rank != 0) MPI_Wait(&request, MPI_STATUS_IGNORE); /* asks */
  for (int done = 0; done == 0;) {
    int index;
    MPI_Status status;
    MPI_Testsome(1, &request, &done, &index, &status);
    usleep(1000);
  }
}

/* What rank 0 waits for beside the message that has arrived is a request that nobody sees. */
static int nobody(void* state, MPI_Status* status) {
  (void)state;
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  return MPI_SUCCESS;
}
static int nothing(void* state) {
  (void)state;
  return MPI_SUCCESS;
}
static int never(void* state, int complete) {
  (void)state;
  (void)complete;
  return MPI_SUCCESS;
}
static void unseen(void) {
  int value = 1;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  if (rank != 0) {
    here();
    MPI_Recv(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* unseen */
    return;
  }
  MPI_Isend(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &requests[0]);
  MPI_Grequest_start(nobody, nothing, never, NULL, &requests[1]);
  here();
  MPI_Waitall(2, requests, statuses); /* unseen_wait */
}

static void fine(void) {
  int value = rank;
  int received;
  MPI_Request request;
  for (int i = 0; i < 100; ++i) {
    MPI_Isend(&value, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &request);
    MPI_Recv(&received, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (getenv("HANGS_FOLDER") != NULL) compute();
}

static void switched_off(void) {
  MPI_Pcontrol(0);
  if (getenv("HANGS_FOLDER") != NULL) both_receive();
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } ways[] = {{"both_receive", both_receive},
              {"cycle", cycle},
              {"wait_all", wait_all},
              {"send_to_busy", send_to_busy},
              {"missing", missing},
              {"barrier", barrier},
              {"any_source", any_source},
              {"any_source_stuck", any_source_stuck},
              {"ended", ended},
              {"nameless", nameless},
              {"window", window},
              {"probe", probe},
              {"persistent", persistent},
              {"asks", asks},
              {"unseen", unseen},
              {"fine", fine},
              {"switched_off", switched_off}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; ++i) {
    if (strcmp(argv[1], ways[i].name) == 0) ways[i].run();
  }
  if (getenv("HANGS_FOLDER") != NULL) here();
  MPI_Finalize();
  return 0;
}
