/* A signal's handler ends the program, as many do near the end of their time: wherever it is interrupted, also within a
   call of MPI. interrupted MICROSECONDS */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

static void end(int number) {
  (void)number;
  exit(3);
}

int main(int argc, char** argv) {
  struct itimerval after = {{0, 0}, {0, argc > 1 ? atoi(argv[1]) : 1000}};
  int buffer[3];
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Recv_init(buffer, 3, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
  signal(SIGALRM, end);
  setitimer(ITIMER_REAL, &after, NULL);
  for (;;) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}
