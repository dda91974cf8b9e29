// Makes many types that are all different: more than the trace may take, or than the memory may keep, where these have
// limits. distinct_types [TYPES [BLOCKS [ROUNDS]]]: vectors, or indexed types of so many blocks in no even order; the
// same once more in each further round.
#include "testapp.h"

// Ascending, in steps of no order.
static void scatter(int seed, int blocks, int* displacements) {
  unsigned state = (unsigned)seed;
  int at = 0;
  for (int k = 0; k < blocks; ++k) {
    state = state * 1664525u + 1013904223u;
    at += 1 + (int)(state >> 28);
    displacements[k] = at;
  }
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  const int types = argc > 1 ? integer_of(argv[1]) : 1000;
  const int blocks = argc > 2 ? integer_of(argv[2]) : 0;
  const int rounds = argc > 3 ? integer_of(argv[3]) : 1;
  int* const blocklengths = malloc((size_t)(blocks + 1) * sizeof(int));
  int* const displacements = malloc((size_t)(blocks + 1) * sizeof(int));
  for (int k = 0; k < blocks; ++k) blocklengths[k] = 1;
  for (int i = 0; i < types * rounds; ++i) {
    MPI_Datatype type;
    if (blocks == 0) {
      CHECK(MPI_Type_vector(2 + i % types, 1, 3, MPI_INT, &type));
    } else {
      scatter(i % types, blocks, displacements);
      CHECK(MPI_Type_indexed(blocks, blocklengths, displacements, MPI_INT, &type));
    }
    CHECK(MPI_Type_commit(&type));
    CHECK(MPI_Type_free(&type));
  }
  printf("made %d types\n", types * rounds);
  free(blocklengths);
  free(displacements);
  CHECK(MPI_Finalize());
  return 0;
}
