// Handles that MPI_Type_get_contents returns: one child is freed, one stays, and the parents outlive them.
#include "testapp.h"

static MPI_Datatype only_child_of(MPI_Datatype type) {
  int integers, addresses, datatypes, combiner;
  CHECK(MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner));
  printf("envelope %d %d %d\n", integers, addresses, datatypes);
  int i[8];
  MPI_Aint a[8];
  MPI_Datatype child;
  CHECK(MPI_Type_get_contents(type, integers, addresses, datatypes, i, a, &child));
  return child;
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  MPI_Datatype child, parent;
  CHECK(MPI_Type_vector(3, 1, 2, MPI_INT, &child));
  CHECK(MPI_Type_contiguous(2, child, &parent));

  MPI_Datatype decoded = only_child_of(parent);
  print_bounds("decoded", decoded);
  CHECK(MPI_Type_free(&decoded));
  decoded = only_child_of(parent);
  CHECK(MPI_Type_commit(&decoded));
  print_bounds("kept", decoded);

  MPI_Datatype basic = only_child_of(child);
  printf("a predefined child is the same handle: %d\n", basic == MPI_INT);

  CHECK(MPI_Type_free(&child));
  print_bounds("kept, original freed", decoded);
  CHECK(MPI_Type_free(&parent));
  CHECK(MPI_Finalize());
  return 0;
}
