// A process that uses sessions and never the world model: it has no rank.
#include "testapp.h"

int main(void) {
  MPI_Session session;
  if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) != MPI_SUCCESS) return 1;
  MPI_Datatype type;
  if (MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &type) != MPI_SUCCESS) return 1;
  if (MPI_Type_commit(&type) != MPI_SUCCESS) return 1;
  if (MPI_Type_free(&type) != MPI_SUCCESS) return 1;
  if (MPI_Session_finalize(&session) != MPI_SUCCESS) return 1;
  printf("done\n");
  return 0;
}
