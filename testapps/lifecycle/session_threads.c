// Threads that each begin MPI by a session of their own, all at once, and make types in it.
#include <pthread.h>

#include "testapp.h"

enum { THREADS = 8, TYPES = 100 };

static pthread_barrier_t barrier;

static void* work(void* argument) {
  MPI_Info info = *(MPI_Info*)argument;
  MPI_Session session;
  pthread_barrier_wait(&barrier);
  CHECK(MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session));
  for (int i = 0; i < TYPES; ++i) {
    MPI_Datatype type;
    CHECK(MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &type));
    CHECK(MPI_Type_commit(&type));
    CHECK(MPI_Type_free(&type));
  }
  // The last one ends MPI: nobody may be in a call of another session then.
  pthread_barrier_wait(&barrier);
  CHECK(MPI_Session_finalize(&session));
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  MPI_Info info;
  CHECK(MPI_Info_create(&info));
  CHECK(MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE"));
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, work, &info);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  CHECK(MPI_Info_free(&info));
  printf("done\n");
  return 0;
}
