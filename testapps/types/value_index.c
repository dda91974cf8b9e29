// Pairs by MPI_Type_get_value_index (MPI-4.1 6.9.4): with a name, without one, and none. Linked with unnamed_pairs.
#include "testapp.h"

int MPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type);

int main(int argc, char** argv) {
  MPI_Datatype pair, again, named, none, row, mixed, parts[2], part;
  int integers[3], sizes[3], combiner;
  MPI_Aint addresses[2];
  CHECK(MPI_Init(&argc, &argv));
  CHECK(MPI_Type_get_value_index(MPI_CHAR, MPI_LONG, &pair));
  CHECK(MPI_Type_get_value_index(MPI_CHAR, MPI_LONG, &again));
  CHECK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &named));  // MPI_DOUBLE_INT, or none in older libraries
  CHECK(MPI_Type_get_value_index(MPI_BYTE, MPI_LONG, &none));
  printf("the same pair: %d, no pair: %d\n", pair == again, none == MPI_DATATYPE_NULL);
  print_bounds("pair", pair);
  CHECK(MPI_Type_get_envelope(pair, &sizes[0], &sizes[1], &sizes[2], &combiner));
  CHECK(MPI_Type_get_contents(pair, sizes[0], sizes[1], sizes[2], integers, addresses, parts));
  printf("of a char and a long: %d\n", parts[0] == MPI_CHAR && parts[1] == MPI_LONG);

  CHECK(MPI_Type_contiguous(3, pair, &row));
  CHECK(MPI_Type_create_struct(2, (int[]){1, 2}, (MPI_Aint[]){0, 16}, (MPI_Datatype[]){MPI_INT, pair}, &mixed));
  print_bounds("row", row);
  print_bounds("mixed", mixed);
  CHECK(MPI_Type_commit(&row));
  CHECK(MPI_Type_commit(&mixed));
  struct {
    char value;
    long index;
  } sent[3] = {{'a', 1}, {'b', 2}, {'c', 3}}, received[3];
  CHECK(MPI_Sendrecv(sent, 1, row, 0, 0, received, 1, row, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  printf("%c %ld\n", received[2].value, received[2].index);
  CHECK(MPI_Type_free(&row));
  CHECK(MPI_Type_free(&mixed));
  if (named != MPI_DATATYPE_NULL) {
    CHECK(MPI_Type_contiguous(2, named, &part));
    CHECK(MPI_Type_free(&part));
  }
  CHECK(MPI_Finalize());
  return 0;
}
