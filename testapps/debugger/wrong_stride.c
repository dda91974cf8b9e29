// A halo column is received with a stride that is one too long: its last element lands in a neighbour of the tile.
#include <stdlib.h>

#include "testapp.h"

enum { ROWS = 4, COLUMNS = 5 };

struct Domain {
  double tile[ROWS][COLUMNS];
  double time_step;  // stands right behind the tile
};

static struct Domain domain;

static void receive_column(MPI_Datatype column) {
  double values[ROWS] = {1, 2, 3, 4};
  CHECK(MPI_Sendrecv(values, ROWS, MPI_DOUBLE, 0, 0, &domain.tile[0][COLUMNS - 3], 1, column, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE));
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  domain.time_step = 0.01;
  MPI_Datatype column;
  CHECK(MPI_Type_vector(ROWS, 1, COLUMNS + 1, MPI_DOUBLE, &column));  // COLUMNS is meant
  CHECK(MPI_Type_set_name(column, "column"));
  CHECK(MPI_Type_commit(&column));
  receive_column(column);
  if (domain.time_step != 0.01) abort();  // how can that be?
  CHECK(MPI_Type_free(&column));
  CHECK(MPI_Finalize());
  return 0;
}
