// Says of each type what it is, once its constructor has returned: whoever kills the program at any moment knows what
// its trace must hold. announces [go|wait [TYPES [ROUNDS]]]: waits for a byte on the standard input before it
// begins, or not; makes so many types of each of two kinds, and the same once more in each further round. In one round
// only, some are left.
#include <string.h>
#include <unistd.h>

#include "testapp.h"

static void announce(const char* line) {
  const size_t length = strlen(line);
  if (write(STDOUT_FILENO, line, length) != (ssize_t)length) exit(1);
}

static void announce_type(const char* kind, int count) {
  char line[64];
  snprintf(line, sizeof line, "%s %d type\n", kind, count);
  announce(line);
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  announce("started\n");
  char byte;
  if (argc > 1 && strcmp(argv[1], "go") != 0 && read(STDIN_FILENO, &byte, 1) != 1) return 1;
  const int types = argc > 2 ? integer_of(argv[2]) : 1500;
  const int rounds = argc > 3 ? integer_of(argv[3]) : 1;
  for (int k = 0; k < types * rounds; ++k) {
    const int i = k % types;
    MPI_Datatype row, block;
    CHECK(MPI_Type_vector(2 + i, 1, 3, MPI_INT, &row));
    announce_type("vector", 2 + i);
    CHECK(MPI_Type_contiguous(3, row, &block));
    announce_type("block", 2 + i);
    CHECK(MPI_Type_commit(&block));
    CHECK(MPI_Type_free(&row));
    if (rounds > 1 || i % 3 != 0) CHECK(MPI_Type_free(&block));
  }
  CHECK(MPI_Finalize());
  return 0;
}
