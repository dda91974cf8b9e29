// Structs with holes, before and after MPI_Type_create_resized has mended their extents.
#include <stddef.h>

#include "testapp.h"

struct Particle {
  char kind;
  double position[3];
  int cell;
  short charge;
};

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  MPI_Datatype members, particle, too_short, shifted;
  CHECK(MPI_Type_create_struct(4, (int[]){1, 3, 1, 1},
                               (MPI_Aint[]){offsetof(struct Particle, kind), offsetof(struct Particle, position),
                                            offsetof(struct Particle, cell), offsetof(struct Particle, charge)},
                               (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE, MPI_INT, MPI_SHORT}, &members));
  name_and_print(members, "members");
  CHECK(MPI_Type_create_resized(members, 0, sizeof(struct Particle), &particle));
  name_and_print(particle, "particle");
  CHECK(MPI_Type_commit(&particle));
  CHECK(MPI_Type_create_resized(members, 0, 8, &too_short));
  name_and_print(too_short, "too short");
  CHECK(MPI_Type_create_resized(particle, -8, 64, &shifted));
  name_and_print(shifted, "shifted");

  struct Particle particles[2] = {{'a', {1, 2, 3}, 4, 5}, {'b', {6, 7, 8}, 9, 10}};
  char buffer[256];
  int position = 0;
  CHECK(MPI_Pack(particles, 2, particle, buffer, sizeof buffer, &position, MPI_COMM_SELF));
  printf("packed %d bytes\n", position);

  CHECK(MPI_Type_free(&shifted));
  CHECK(MPI_Type_free(&too_short));
  CHECK(MPI_Type_free(&particle));
  CHECK(MPI_Type_free(&members));
  CHECK(MPI_Finalize());
  return 0;
}
