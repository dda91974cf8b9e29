// Four threads make, commit and free types at once; handles wander from one thread's type to another's.
#include <pthread.h>

#include "testapp.h"

enum { THREADS = 4, ROUNDS = 2000 };

static void* make_types(void* argument) {
  int thread = *(const int*)argument;
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Datatype common, own, mixed;
    CHECK(MPI_Type_vector(2, 1, 3, MPI_INT, &common));
    CHECK(MPI_Type_commit(&common));
    CHECK(MPI_Type_contiguous(100 + thread, MPI_CHAR, &own));
    CHECK(MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 64}, (MPI_Datatype[]){common, own}, &mixed));
    CHECK(MPI_Type_free(&common));
    CHECK(MPI_Type_commit(&mixed));
    CHECK(MPI_Type_free(&own));
    CHECK(MPI_Type_free(&mixed));
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
  if (provided < MPI_THREAD_MULTIPLE) {
    printf("no MPI_THREAD_MULTIPLE\n");
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  pthread_t threads[THREADS];
  int numbers[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    numbers[i] = i;
    pthread_create(&threads[i], NULL, make_types, &numbers[i]);
  }
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  printf("done\n");
  CHECK(MPI_Finalize());
  return 0;
}
