// Says of each type that it was made, once its constructor has returned: whoever kills the program at any moment knows
// what its trace must hold. With an argument it waits for a byte on the standard input before it begins.
#include <string.h>
#include <unistd.h>

#include "testapp.h"

enum { types = 1500 };

static void announce(const char* line) {
  const size_t length = strlen(line);
  if (write(STDOUT_FILENO, line, length) != (ssize_t)length) exit(1);
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  announce("started\n");
  char byte;
  if (argc > 1 && read(STDIN_FILENO, &byte, 1) != 1) return 1;
  for (int i = 0; i < types; ++i) {
    MPI_Datatype row, block;
    CHECK(MPI_Type_vector(2 + i, 1, 3, MPI_INT, &row));
    announce("type\n");
    CHECK(MPI_Type_contiguous(3, row, &block));
    announce("type\n");
    CHECK(MPI_Type_commit(&block));
    CHECK(MPI_Type_free(&row));
    if (i % 3 != 0) CHECK(MPI_Type_free(&block));
  }
  CHECK(MPI_Finalize());
  return 0;
}
