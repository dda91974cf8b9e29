/* stopped_meanwhile: one thread stops the recording, and starts it again, while eight others are in collective
 * operations, each of a communicator of its own, and send to themselves. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { threads = 8, times = 30 };
static atomic_int is_over;
static MPI_Comm communicators[threads];

static void* work(void* argument) {
  const MPI_Comm own = *(MPI_Comm*)argument;
  int one = 1, sum = 0;
  while (!atomic_load(&is_over)) {
    MPI_Barrier(own);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, own);
    MPI_Sendrecv(&one, 1, MPI_INT, 0, 3, &sum, 1, MPI_INT, 0, 3, own, MPI_STATUS_IGNORE);
    MPI_Comm made;
    MPI_Comm_dup(own, &made);
    MPI_Comm_free(&made);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) return fprintf(stderr, "no threads\n"), 3;
  pthread_t running[threads];
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_SELF, &communicators[i]);
  for (int i = 0; i < threads; ++i) pthread_create(&running[i], NULL, work, &communicators[i]);
  for (int i = 0; i < times; ++i) {
    usleep(3000);
    MPI_Pcontrol(i % 2);
  }
  atomic_store(&is_over, 1);
  for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
  for (int i = 0; i < threads; ++i) MPI_Comm_free(&communicators[i]);
  MPI_Finalize();
  return 0;
}
