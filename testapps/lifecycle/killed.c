// A program that is killed in the middle of its work: what it made so far must be in the trace.
#include <signal.h>

#include "testapp.h"

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  for (int i = 0; i < 50; ++i) {
    MPI_Datatype type;
    CHECK(MPI_Type_vector(4, 2, 3, MPI_INT, &type));
    CHECK(MPI_Type_free(&type));
  }
  printf("made 50\n");
  fflush(stdout);
  raise(SIGKILL);
  return 0;
}
