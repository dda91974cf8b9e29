// Times calls whose buffer the plugin has not seen before: microseconds for each new count at a call site, the smallest
// of several rounds at call sites of their own.
//
//   bench_buffers static|stack|heap|middle|member|hidden
//
// heap: a variable of the calling function has its address. middle: of a block of which a variable has the beginning.
// member: a variable has the address of the struct that has it. hidden: no variable of the program leads to it.
// A call site is a stack: each path through left() and right() is one. Counts are fewer than the plugin looks at of one
// call site, and all together fewer than those from which on it looks at less.
#include <stdint.h>
#include <string.h>

#include "testapp.h"

enum {
  STEPS = 5,
  PATHS = 1 << STEPS,
  ROUNDS = 4,
  PATHS_OF_ROUND = PATHS / ROUNDS,
  COUNTS = 15,
  BYTES = 4096,
  DEPTH = 10
};

struct owner {
  long number;
  char* data;
};

#define HIDDEN __attribute__((noinline))
#define NO_TAIL_CALL __asm__ volatile("" ::: "memory")

typedef void (*Passing)(void);
static Passing passing;
static double seconds;
static char fixed[BYTES];
static uintptr_t turned_around;

/// From one place: each count is new; the first one, which comes with a new call site, is not timed.
HIDDEN static void pass(void* buffer) {
  double begin = 0;
  for (int count = 1; count <= COUNTS; ++count) {
    if (count == 2) begin = MPI_Wtime();
    CHECK(MPI_Bcast(buffer, count, MPI_BYTE, 0, MPI_COMM_SELF));
  }
  seconds += MPI_Wtime() - begin;
}

HIDDEN static void pass_static(void) {
  pass(fixed + 16);
  NO_TAIL_CALL;
}
HIDDEN static void pass_stack(void) {
  char array[BYTES];
  __asm__ volatile("" ::"r"(array) : "memory");
  pass(array);
  NO_TAIL_CALL;
}
HIDDEN static void pass_heap(void) {
  char* volatile block = malloc(BYTES);
  pass(block);
  free(block);
}
HIDDEN static void pass_middle(void) {
  char* volatile block = malloc(BYTES);
  pass(block + BYTES / 2);
  free(block);
}
HIDDEN static void pass_member(void) {
  struct owner* volatile owner = malloc(sizeof *owner);
  owner->data = malloc(BYTES);
  pass(owner->data);
  free(owner->data);
  free(owner);
}
HIDDEN static void pass_hidden(void) {
  pass((void*)~turned_around);
  NO_TAIL_CALL;
}

static void walk(unsigned path, int steps);
HIDDEN static void left(unsigned path, int steps) {
  walk(path, steps);
  NO_TAIL_CALL;
}
HIDDEN static void right(unsigned path, int steps) {
  walk(path, steps);
  NO_TAIL_CALL;
}
HIDDEN static void walk(unsigned path, int steps) {
  if (steps == 0)
    passing();
  else if (path & 1)
    left(path >> 1, steps - 1);
  else
    right(path >> 1, steps - 1);
  NO_TAIL_CALL;
}
/// As far below main as programs are.
HIDDEN static void deeper(unsigned path, int depth) {
  if (depth == 0)
    walk(path, STEPS);
  else
    deeper(path, depth - 1);
  NO_TAIL_CALL;
}

static Passing passing_of(const char* kind) {
  static const struct {
    const char* name;
    Passing passing;
  } kinds[] = {{"static", pass_static}, {"stack", pass_stack},   {"heap", pass_heap},
               {"middle", pass_middle}, {"member", pass_member}, {"hidden", pass_hidden}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    if (strcmp(kinds[i].name, kind) == 0) return kinds[i].passing;
  }
  return NULL;
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  passing = argc > 1 ? passing_of(argv[1]) : NULL;
  if (passing == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  turned_around = ~(uintptr_t)malloc(BYTES);
  double least = 1e9;
  for (unsigned round = 0; round < ROUNDS; ++round) {
    seconds = 0;
    for (unsigned i = 0; i < PATHS_OF_ROUND; ++i) deeper(round * PATHS_OF_ROUND + i, DEPTH);
    if (seconds < least) least = seconds;
  }
  printf("us_per_count %.3f\n", least / (PATHS_OF_ROUND * (COUNTS - 1)) * 1e6);
  free((void*)~turned_around);
  CHECK(MPI_Finalize());
  return 0;
}
