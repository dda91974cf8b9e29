/* Variables of less usual kinds, and memory that is used as something else than what points to its block. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "reporters/buffers/testing/observer.h"

static void BOTH(const void* buffer, const char* right, const char* wrong, long elements, const char* name) {
  char marked[32];
  snprintf(marked, sizeof marked, "+%s", name);
  observe(buffer, right, elements, marked);
  snprintf(marked, sizeof marked, "-%s", name);
  observe(buffer, wrong, elements, marked);
}
/* Of this one nothing can be known: whatever is told is wrong. */
static void UNKNOWN(const void* buffer, const char* type, long elements, const char* name) {
  char marked[32];
  snprintf(marked, sizeof marked, "?%s", name);
  observe(buffer, type, elements, marked);
}

typedef struct {
  int count;
  double values[];
} flexible;
typedef struct {
  struct {
    long first;
    float second[4];
  };
  union {
    double d[2];
    double e[2];
  };
} __attribute__((packed)) nested;
struct level {
  float* cells;
  struct level* next;
};
enum color { red, green };

/* Linkers that drop what nothing uses (--gc-sections) leave 0 as the place of this one. */
#ifdef DROPPED
static __thread float dropped[DROPPED];
float* not_called(void);
float* not_called(void) { return dropped; }
#endif

static __thread double of_thread[6];
static int initialised_of_thread_after = 7;
static __thread int initialised_of_thread[3] = {1, 2, 3};
static _Alignas(64) float aligned[16];
static double (*pointer_to_row)[5];
static float* static_pointer;
static void* __attribute__((used)) static_workspace; /* though it is only written */
static nested boxes[3];
volatile enum color colors[4];
static const double constants[4] = {1, 2, 3, 4};
static _Complex double waves[5];

static void NOINLINE of_static(void) {
  BOTH(aligned, "MPI_FLOAT", "MPI_INT", 16, "aligned");
  BOTH(boxes[1].second, "MPI_FLOAT", "MPI_INT", 4, "boxes");
  BOTH(boxes[2].d, "MPI_DOUBLE", "MPI_LONG", 2, "boxes");
  BOTH((void*)colors, "MPI_INT", "MPI_FLOAT", 4, "colors");
  BOTH(constants, "MPI_DOUBLE", "MPI_LONG", 4, "constants");
  BOTH(waves, "MPI_C_DOUBLE_COMPLEX", "MPI_LONG", 5, "waves");
  BOTH(&initialised_of_thread_after, "MPI_INT", "MPI_FLOAT", 1, "initialised_of_thread_after");
  BOTH(of_thread, "MPI_DOUBLE", "MPI_INT", 6, "of_thread");
  BOTH(&of_thread[2], "MPI_DOUBLE", "MPI_FLOAT", 4, "of_thread");
  BOTH(initialised_of_thread, "MPI_INT", "MPI_FLOAT", 3, "initialised_of_thread");
}

static void NOINLINE of_variable_length(int n, int m) {
  int before[4] = {n};
  double array[n];
  float grid[m][n];
  int after[6] = {m};
  memset(array, 0, sizeof array);
  memset(grid, 0, sizeof grid);
  BOTH(before, "MPI_INT", "MPI_DOUBLE", 2, "before");
  BOTH(after, "MPI_INT", "MPI_FLOAT", 6, "after");
  BOTH(array, "MPI_DOUBLE", "MPI_INT", n, "array");
  BOTH(grid, "MPI_FLOAT", "MPI_INT", n * m, "grid");
  USED(before);
  USED(array);
  USED(grid);
  USED(after);
}

static void NOINLINE of_alloca(int n) {
  long before[2] = {n, n};
  double* here = __builtin_alloca((size_t)n * sizeof *here);
  memset(here, 0, (size_t)n * sizeof *here);
  BOTH(before, "MPI_LONG", "MPI_DOUBLE", 2, "before");
  BOTH(here, "MPI_DOUBLE", "MPI_INT", n, "here");
  USED(here);
  USED(before);
}

/* A buffer that is one thing in one scope, and another in the next: at levels of optimisation in one place. */
static void NOINLINE of_scopes(int n) {
  for (int i = 0; i < 2; ++i) {
    if (i == 0) {
      double first[8] = {n};
      BOTH(first, "MPI_DOUBLE", "MPI_INT", 8, "first");
      USED(first);
    } else {
      int second[16] = {n};
      BOTH(second, "MPI_INT", "MPI_DOUBLE", 8, "second");
      USED(second);
    }
  }
}

static void NOINLINE of_pointers(int n) {
  flexible* list = malloc_observed(sizeof *list + 10 * sizeof(double));
  struct level* top = malloc_observed(sizeof *top);
  float** rows = malloc_observed(3 * sizeof *rows);
  top->next = malloc_observed(sizeof *top);
  top->cells = malloc_observed(12 * sizeof(float));
  top->next->cells = malloc_observed(14 * sizeof(float));
  for (int i = 0; i < 3; ++i) rows[i] = malloc_observed(8 * sizeof(float));
  pointer_to_row = malloc_observed(4 * sizeof *pointer_to_row);
  static_pointer = malloc_observed(9 * sizeof *static_pointer);
  (void)n;
  BOTH(top->cells, "MPI_FLOAT", "MPI_INT", 12, "top->cells");
  BOTH(rows[0], "MPI_FLOAT", "MPI_INT", 8, "rows[0]");
  BOTH(rows[2], "MPI_FLOAT", "MPI_INT", 8, "rows[2]");
  observe(list->values, "MPI_DOUBLE", 10, "+list");
  BOTH(pointer_to_row, "MPI_DOUBLE", "MPI_INT", 20, "pointer_to_row");
  BOTH(static_pointer, "MPI_FLOAT", "MPI_INT", 9, "static_pointer");
  observe(top->next->cells, "MPI_FLOAT", 14, "+next");
  USED(list);
  USED(top);
  USED(rows);
}

/* A block of which a part is lent as a workspace: who holds the address itself says nothing of what is there. */
static void NOINLINE of_workspace(int n) {
  double* pool = malloc_observed((size_t)n * 10 * sizeof *pool);
  void* work = pool + 2 * n;
  int* as_integers = work;
  for (int i = 0; i < n; ++i) as_integers[i] = i;
  observe(work, "MPI_INT", n, "?work");
  USED(pool);
  USED(work);
}
static void NOINLINE of_lent(int n) {
  double* pool = malloc_observed((size_t)n * 10 * sizeof *pool);
  void* lent = pool + 2 * n;
  observe(lent, "MPI_INT", n, "?lent");
  static_workspace = pool + 4 * n;
  observe(static_workspace, "MPI_INT", n, "?static_workspace");
  USED(pool);
  USED(lent);
}

int main(int argc, char** argv) {
  (void)argv;
  of_static();
  of_variable_length(argc + 6, argc + 2);
  of_alloca(argc + 6);
  of_scopes(argc);
  of_pointers(argc);
  of_workspace(argc + 9);
  of_lent(argc + 9);
  return 0;
}
