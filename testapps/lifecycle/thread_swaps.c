// Eight threads make, commit and free types at once, and hand most of them over: what one made another frees, while the
// library gives its handle to a third. ARGUMENT: how many types each makes.
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "testapp.h"

enum { THREADS = 8, PLACES = 16 };

static int rounds;
static _Atomic(MPI_Datatype) places[PLACES];
static pthread_barrier_t begin, end;

static void* make_types(void* argument) {
  int thread = *(const int*)argument;
  unsigned random = 12345u + (unsigned)thread;
  pthread_barrier_wait(&begin);
  for (int i = 0; i < rounds; ++i) {
    MPI_Datatype type;
    // Some definitions are common to all threads, one is its own.
    if (i % 4 == 0) {
      CHECK(MPI_Type_contiguous(100 + thread, MPI_CHAR, &type));
    } else {
      CHECK(MPI_Type_vector(2 + i % 4, 1, 7, MPI_INT, &type));
    }
    CHECK(MPI_Type_commit(&type));
    random = random * 1664525u + 1013904223u;
    type = atomic_exchange(&places[random >> 28], type);
    if (type != MPI_DATATYPE_NULL) CHECK(MPI_Type_free(&type));
  }
  pthread_barrier_wait(&end);
#ifdef __SANITIZE_THREAD__
  // The sanitizer's run time and libunwind both mean to be the last to act in a thread that ends; so none ends.
  for (;;) pause();
#endif
  return NULL;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
  int provided;
  CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
  if (provided < MPI_THREAD_MULTIPLE) {
    printf("no MPI_THREAD_MULTIPLE\n");
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  rounds = argc > 1 ? integer_of(argv[1]) : 50000;
  for (int i = 0; i < PLACES; ++i) atomic_init(&places[i], MPI_DATATYPE_NULL);
  pthread_t threads[THREADS];
  int numbers[THREADS];
  pthread_barrier_init(&begin, NULL, THREADS + 1);
  pthread_barrier_init(&end, NULL, THREADS + 1);
  for (int i = 0; i < THREADS; ++i) {
    numbers[i] = i;
    pthread_create(&threads[i], NULL, make_types, &numbers[i]);
  }
  pthread_barrier_wait(&begin);
  double start = seconds();
  pthread_barrier_wait(&end);
  double taken = seconds() - start;
#ifndef __SANITIZE_THREAD__
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
#endif
  for (int i = 0; i < PLACES; ++i) {
    MPI_Datatype type = atomic_load(&places[i]);
    if (type != MPI_DATATYPE_NULL) CHECK(MPI_Type_free(&type));
  }
  fprintf(stderr, "threads_seconds %.6f\n", taken);
  printf("done\n");
  CHECK(MPI_Finalize());
  return 0;
}
