/* Variables of every kind, each observed with the type that it has and with one that it has not. */
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

struct particle {
  long id;
  double x[3];
  unsigned flags;
};
struct field {
  int rows, columns;
  double* data;
};
union number {
  double d;
  long l;
  int i[2];
};

double global_x[8];
static int matrix[8][10];
static struct particle some[4];

static void NOINLINE send_it(const void* buffer, const char* type, const char* wrong, long elements, const char* name) {
  BOTH(buffer, type, wrong, elements, name);
  USED(buffer);
}

static void NOINLINE of_static(void) {
  static float kept[5];
  BOTH(global_x, "MPI_DOUBLE", "MPI_INT", 8, "global_x");
  BOTH(global_x + 3, "MPI_DOUBLE", "MPI_FLOAT", 5, "global_x");
  BOTH(matrix, "MPI_INT", "MPI_DOUBLE", 40, "matrix");
  BOTH(&matrix[2][3], "MPI_INT", "MPI_FLOAT", 10, "matrix");
  BOTH(kept, "MPI_FLOAT", "MPI_INT", 5, "kept");
  BOTH(some[1].x, "MPI_DOUBLE", "MPI_LONG", 3, "some");
  BOTH(&some[2].id, "MPI_LONG", "MPI_INT", 1, "some");
}

static void NOINLINE of_stack(int n) {
  double local[6] = {1, 2, 3};
  int count = n;
  struct particle one = {n, {1, 2, 3}, 4};
  union number either = {1.5};
  char text[64] = "bytes";
  BOTH(local, "MPI_DOUBLE", "MPI_INT", 6, "local");
  BOTH(&local[2], "MPI_DOUBLE", "MPI_LONG", 4, "local");
  BOTH(&count, "MPI_INT", "MPI_FLOAT", 1, "count");
  BOTH(one.x, "MPI_DOUBLE", "MPI_FLOAT", 3, "one");
  send_it(local, "MPI_DOUBLE", "MPI_INT", 6, "local");
  observe(&either, "MPI_DOUBLE", 1, "+either");
  observe(&either, "MPI_LONG", 1, "+either");
  observe(&either, "MPI_INT", 2, "+either");
  observe(text, "MPI_DOUBLE", 8, "+text");
  observe(text, "MPI_PACKED", 64, "+text");
  observe(local, "MPI_BYTE", 48, "+local");
  {
    long inner[3] = {n, n, n};
    BOTH(inner, "MPI_LONG", "MPI_DOUBLE", 3, "inner");
    USED(inner);
  }
  {
    float other[6] = {1, 2};
    BOTH(other, "MPI_FLOAT", "MPI_INT", 6, "other");
    USED(other);
  }
  USED(local);
  USED(&count);
  USED(&one);
  USED(text);
  USED(&either);
}

static void NOINLINE of_heap(int n) {
  double* p = malloc_observed((size_t)n * sizeof *p);
  struct field* field = malloc_observed(sizeof *field);
  struct particle* all = malloc_observed(4 * sizeof *all);
  field->data = malloc_observed(20 * sizeof(double));
  BOTH(p, "MPI_DOUBLE", "MPI_INT", n, "p");
  BOTH(p + 2, "MPI_DOUBLE", "MPI_INT", n - 2, "p");
  BOTH(field->data, "MPI_DOUBLE", "MPI_INT", 20, "field->data");
  BOTH(all[1].x, "MPI_DOUBLE", "MPI_INT", 3, "all");
  send_it(p, "MPI_DOUBLE", "MPI_FLOAT", n, "p");
  send_it(field->data, "MPI_DOUBLE", "MPI_FLOAT", 20, "field->data");
  observe(&p, "MPI_DOUBLE", 1, "-p");
  USED(p);
  USED(field);
  USED(all);
}

static void NOINLINE many(int a, int b, int c, int d, int e, int f, int g, const double* x) {
  int here[4] = {a, b, c, d + e + f + g};
  BOTH(here, "MPI_INT", "MPI_FLOAT", 4, "here");
  BOTH(x, "MPI_DOUBLE", "MPI_INT", 4, "x");
  USED(here);
  USED(x);
}

int main(int argc, char** argv) {
  double given[4] = {argc};
  (void)argv;
  of_static();
  of_stack(argc);
  of_heap(argc + 9);
  many(1, 2, 3, 4, 5, 6, 7, given);
  USED(given);
  return 0;
}
