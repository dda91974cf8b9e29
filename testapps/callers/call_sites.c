// One definition from several places: two functions, and one function called from two lines.
#include <errno.h>

#include "testapp.h"

__attribute__((noinline)) static void make(int times) {
  for (int i = 0; i < times; ++i) {
    MPI_Datatype type;
    errno = 77;
    CHECK(MPI_Type_vector(5, 1, 2, MPI_DOUBLE, &type));
    if (errno != 77) printf("errno is %d\n", errno);
    CHECK(MPI_Type_commit(&type));
    CHECK(MPI_Type_free(&type));
  }
}

__attribute__((noinline)) static void make_and_keep(void) {
  MPI_Datatype type;
  CHECK(MPI_Type_vector(5, 1, 2, MPI_DOUBLE, &type));
  CHECK(MPI_Type_set_name(type, "kept"));
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  make(10);
  make(20);
  make_and_keep();
  printf("made 31\n");
  CHECK(MPI_Finalize());
  return 0;
}
