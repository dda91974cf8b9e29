// A process opens a session before MPI_Init, as a library does that is made for both models: all of them, or the one of
// the rank that the argument names.
#include <stdlib.h>
#include <string.h>

#include "testapp.h"

/// By the launcher: MPI tells it later.
static const char* rank_by_launcher(void) {
  static const char* const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"};
  for (unsigned name = 0; name < sizeof names / sizeof *names; ++name) {
    if (getenv(names[name])) return getenv(names[name]);
  }
  return "";
}

int main(int argc, char** argv) {
  const char* const who = argc > 1 ? argv[1] : "all";
  const int is_first = strcmp(who, "all") == 0 || strcmp(who, rank_by_launcher()) == 0;
  MPI_Session session = MPI_SESSION_NULL;
  if (is_first && MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) != MPI_SUCCESS) return 1;
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // The first collective operation that the program asks for: nothing of the plugin's may meet it.
  const int own = rank + 1;
  int sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Datatype type;
  MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&type);
  printf("%d:%d\n", rank, sum);
  fflush(stdout);
  MPI_Finalize();
  if (is_first && MPI_Session_finalize(&session) != MPI_SUCCESS) return 1;
  return 0;
}
