// A struct that holds a resized one and is resized itself, as a careful program makes it: libraries differ in the
// bounds of the struct in between, and nothing depends on those.
#include <stddef.h>

#include "testapp.h"

struct position {
  double x, y;
};
struct particle {
  int id;
  struct position at;
};

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  MPI_Datatype coordinates, position, members, particle;
  CHECK(MPI_Type_contiguous(2, MPI_DOUBLE, &coordinates));
  CHECK(MPI_Type_create_resized(coordinates, 0, sizeof(struct position), &position));
  MPI_Aint displacements[] = {offsetof(struct particle, id), offsetof(struct particle, at)};
  CHECK(MPI_Type_create_struct(2, (int[]){1, 1}, displacements, (MPI_Datatype[]){MPI_INT, position}, &members));
  CHECK(MPI_Type_create_resized(members, 0, sizeof(struct particle), &particle));
  CHECK(MPI_Type_commit(&particle));
  name_and_print(members, "members");
  name_and_print(particle, "particle");

  struct particle sent[2] = {{1, {2, 3}}, {4, {5, 6}}}, received[2] = {{0}};
  CHECK(MPI_Sendrecv(sent, 2, particle, 0, 0, received, 2, particle, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  printf("%d %g %d %g\n", received[0].id, received[0].at.y, received[1].id, received[1].at.y);

  CHECK(MPI_Type_free(&particle));
  CHECK(MPI_Type_free(&members));
  CHECK(MPI_Type_free(&position));
  CHECK(MPI_Type_free(&coordinates));
  CHECK(MPI_Finalize());
  return 0;
}
