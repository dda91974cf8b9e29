// Keeps many types alive at once, of few definitions: says what memory they take.
#include <unistd.h>

#include "testapp.h"

static double resident_bytes(void) {
  char line[256] = "";
  FILE* file = fopen("/proc/self/statm", "r");
  if (file && !fgets(line, sizeof line, file)) line[0] = '\0';
  if (file) fclose(file);
  char* behind_size = line;
  strtoul(line, &behind_size, 10);
  const unsigned long pages = strtoul(behind_size, NULL, 10);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/// Where a debugger finds them all alive.
__attribute__((noinline)) void all_are_alive(void) { __asm__ volatile(""); }

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  const int count = argc > 1 ? integer_of(argv[1]) : 100000;
  MPI_Datatype* types = malloc((size_t)count * sizeof *types);
  if (!types) return 1;
  for (int i = 0; i < count; ++i) types[i] = MPI_DATATYPE_NULL;
  const double before = resident_bytes();
  for (int i = 0; i < count; ++i) {
    CHECK(MPI_Type_vector(2 + i % 100, 1, 3, MPI_INT, &types[i]));
    CHECK(MPI_Type_commit(&types[i]));
  }
  const double grown = resident_bytes() - before;
  all_are_alive();
  printf("made %d types\nbytes %.0f\n", count, grown);
  for (int i = 0; i < count; ++i) CHECK(MPI_Type_free(&types[i]));
  free(types);
  CHECK(MPI_Finalize());
  return 0;
}
