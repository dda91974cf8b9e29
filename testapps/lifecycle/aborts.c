// Rank 1 ends the job by MPI_Abort, in a function of its own, or in a signal's handler; rank 0 waits for a message of
// it.
#include <signal.h>
#include <string.h>

#include "testapp.h"

static volatile sig_atomic_t aborted;

__attribute__((noinline)) static void stop_all(int code) {
  // NOLINTNEXTLINE(bugprone-signal-handler,cert-sig30-c): programs do it, which is why this one does
  aborted = MPI_Abort(MPI_COMM_WORLD, code);  // to what is volatile: no tail call
}

static void stop_in_handler(int signal) {
  (void)signal;
  stop_all(8);
}

int main(int argc, char** argv) {
  int rank;
  int numbers[3];
  MPI_Datatype type;
  MPI_Request request;
  CHECK(MPI_Init(&argc, &argv));
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CHECK(MPI_Type_contiguous(3, MPI_INT, &type));
  CHECK(MPI_Type_commit(&type));
  if (rank == 1 && argc > 1 && strcmp(argv[1], "handler") == 0) {
    signal(SIGUSR1, stop_in_handler);
    raise(SIGUSR1);
  } else if (rank == 1) {
    stop_all(7);
  }
  CHECK(MPI_Irecv(numbers, 1, type, 1, 0, MPI_COMM_WORLD, &request));
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(MPI_Finalize());
  return 0;
}
