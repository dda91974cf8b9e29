// MPI_Finalize is called where no wrapper sees it, and the process leaves without running destructors.
#include <unistd.h>

#include "testapp.h"

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  MPI_Datatype type;
  CHECK(MPI_Type_vector(4, 2, 3, MPI_INT, &type));
  CHECK(MPI_Type_commit(&type));
  name_and_print(type, "whole");
  CHECK(MPI_Type_free(&type));
  fflush(stdout);
  CHECK(PMPI_Finalize());
  _exit(0);
}
