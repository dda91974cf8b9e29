// A counter of datatype calls over the profiling interface, preloaded beside ddtscope or without it: an independent
// answer to "how many". Knows nothing of handles; counts successful calls per process into COUNT_CALLS.<pid>.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define COUNTED(X)                                                                                                  \
  X(MPI_Type_contiguous, (int a, MPI_Datatype b, MPI_Datatype* c), (a, b, c))                                       \
  X(MPI_Type_vector, (int a, int b, int c, MPI_Datatype d, MPI_Datatype* e), (a, b, c, d, e))                       \
  X(MPI_Type_create_hvector, (int a, int b, MPI_Aint c, MPI_Datatype d, MPI_Datatype* e), (a, b, c, d, e))          \
  X(MPI_Type_indexed, (int a, const int b[], const int c[], MPI_Datatype d, MPI_Datatype* e), (a, b, c, d, e))      \
  X(MPI_Type_create_hindexed, (int a, const int b[], const MPI_Aint c[], MPI_Datatype d, MPI_Datatype* e),          \
    (a, b, c, d, e))                                                                                                \
  X(MPI_Type_create_indexed_block, (int a, int b, const int c[], MPI_Datatype d, MPI_Datatype* e), (a, b, c, d, e)) \
  X(MPI_Type_create_hindexed_block, (int a, int b, const MPI_Aint c[], MPI_Datatype d, MPI_Datatype* e),            \
    (a, b, c, d, e))                                                                                                \
  X(MPI_Type_create_struct, (int a, const int b[], const MPI_Aint c[], const MPI_Datatype d[], MPI_Datatype* e),    \
    (a, b, c, d, e))                                                                                                \
  X(MPI_Type_create_subarray,                                                                                       \
    (int a, const int b[], const int c[], const int d[], int e, MPI_Datatype f, MPI_Datatype* g),                   \
    (a, b, c, d, e, f, g))                                                                                          \
  X(MPI_Type_create_darray,                                                                                         \
    (int a, int b, int c, const int d[], const int e[], const int f[], const int g[], int h, MPI_Datatype i,        \
     MPI_Datatype* j),                                                                                              \
    (a, b, c, d, e, f, g, h, i, j))                                                                                 \
  X(MPI_Type_create_resized, (MPI_Datatype a, MPI_Aint b, MPI_Aint c, MPI_Datatype * d), (a, b, c, d))              \
  X(MPI_Type_dup, (MPI_Datatype a, MPI_Datatype * b), (a, b))                                                       \
  X(MPI_Type_commit, (MPI_Datatype * a), (a))                                                                       \
  X(MPI_Type_free, (MPI_Datatype * a), (a))

#define DEFINE(name, parameters, arguments)                    \
  static long count_of_##name;                                 \
  __attribute__((visibility("default"))) int name parameters { \
    int result = P##name arguments;                            \
    if (result == MPI_SUCCESS) ++count_of_##name;              \
    return result;                                             \
  }
COUNTED(DEFINE)

static void write_counts(void) {
  const char* prefix = getenv("COUNT_CALLS");
  if (!prefix) return;
  char path[4096];
  snprintf(path, sizeof path, "%s.%d", prefix, (int)getpid());
  FILE* out = fopen(path, "w");
  if (!out) return;
#define PRINT(name, parameters, arguments) fprintf(out, "%s %ld\n", #name, count_of_##name);
  COUNTED(PRINT)
  fclose(out);
}

__attribute__((visibility("default"))) int MPI_Finalize(void) {
  int result = PMPI_Finalize();
  write_counts();
  return result;
}
