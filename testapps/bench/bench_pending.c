// Times receives that are pending all at once: nanoseconds for each start and each completion.
//
//   bench_pending disjoint|interleaved REQUESTS
//
// disjoint: each has memory of its own; interleaved: columns of one matrix, whose hulls all lie over each other.
#include <string.h>

#include "testapp.h"

enum { ROUNDS = 3, ROWS = 2 };

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const int is_interleaved = strcmp(argv[1], "interleaved") == 0;
  const int requests = integer_of(argv[2]);
  const size_t elements = (size_t)requests * ROWS;
  double* memory = calloc(elements, sizeof *memory);
  MPI_Request* pending = malloc((size_t)requests * sizeof *pending);
  if (memory == NULL || pending == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Datatype type;
  CHECK(is_interleaved ? MPI_Type_vector(ROWS, 1, requests, MPI_DOUBLE, &type)
                       : MPI_Type_contiguous(ROWS, MPI_DOUBLE, &type));
  CHECK(MPI_Type_commit(&type));
  double start = 1e9, completion = 1e9;
  for (int round = 0; round < ROUNDS; ++round) {
    double begin = MPI_Wtime();
    for (int i = 0; i < requests; ++i) {
      double* at = memory + (is_interleaved ? i : i * ROWS);
      CHECK(MPI_Irecv(at, 1, type, 0, 0, MPI_COMM_SELF, &pending[i]));
    }
    double started = MPI_Wtime() - begin;
    static const double message[ROWS];
    for (int i = 0; i < requests; ++i) CHECK(MPI_Send(message, ROWS, MPI_DOUBLE, 0, 0, MPI_COMM_SELF));
    begin = MPI_Wtime();
    for (int i = 0; i < requests; ++i) CHECK(MPI_Wait(&pending[i], MPI_STATUS_IGNORE));
    double completed = MPI_Wtime() - begin;
    if (started < start) start = started;
    if (completed < completion) completion = completed;
  }
  printf("ns_per_start %.1f\nns_per_completion %.1f\n", start / requests * 1e9, completion / requests * 1e9);
  CHECK(MPI_Type_free(&type));
  free(pending);
  free(memory);
  CHECK(MPI_Finalize());
  return 0;
}
