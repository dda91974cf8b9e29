// A program that leaves by exit() while MPI is still up.
#include "testapp.h"

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  MPI_Datatype type;
  CHECK(MPI_Type_vector(4, 2, 3, MPI_INT, &type));
  CHECK(MPI_Type_commit(&type));
  name_and_print(type, "abandoned");
  exit(0);
}
