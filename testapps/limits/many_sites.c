// many_sites CALLS: makes types from ever new call stacks: a recursion whose path is random, 3 ways in each of 14
// levels. Every fourth call fails. Says how many types there were by each constructor.
#include "testapp.h"

enum { levels = 14 };

static unsigned state = 1;
static long vectors = 0, contiguous = 0, refused = 0;

static void make(void) {
  MPI_Datatype type;
  const unsigned kind = (state >> 8) % 4;
  if (kind == 0) {
    if (MPI_Type_contiguous(-1, MPI_INT, &type) == MPI_SUCCESS) exit(1);
    ++refused;
    return;
  }
  if (kind == 1) {
    CHECK(MPI_Type_contiguous(3 + (int)(state >> 12) % 50, MPI_INT, &type));
    ++contiguous;
  } else {
    CHECK(MPI_Type_vector(3 + (int)(state >> 12) % 50, 1, 2, MPI_INT, &type));
    ++vectors;
  }
  CHECK(MPI_Type_free(&type));
}

static void descend(int level);
// Each is a call instruction of its own, and no tail call.
#define WAY(name)                                         \
  static __attribute__((noinline)) void name(int level) { \
    level > 0 ? descend(level - 1) : make();              \
    __asm__ volatile("");                                 \
  }
WAY(left)
WAY(middle)
WAY(right)

static __attribute__((noinline)) void descend(int level) {
  state = state * 1664525u + 1013904223u;
  switch ((state >> 16) % 3) {
    case 0:
      left(level);
      break;
    case 1:
      middle(level);
      break;
    default:
      right(level);
  }
  __asm__ volatile("");
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  const long calls = argc > 1 ? atol(argv[1]) : 1000;
  for (long i = 0; i < calls; ++i) descend(levels);
  CHECK(MPI_Finalize());
  printf("%ld %ld %ld\n", vectors, contiguous, refused);
  return 0;
}
