// Another tool behind the plugin: prints what it is told by MPI_Pcontrol, all of it.
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>

int MPI_Pcontrol(const int level, ...) {
  if (level != 2) {
    printf("level %d\n", level);
    return MPI_SUCCESS;
  }
  va_list rest;
  va_start(rest, level);
  const char* words = va_arg(rest, const char*);
  const double first = va_arg(rest, double);
  const int seven = va_arg(rest, int);
  const double second = va_arg(rest, double);
  const long eleven = va_arg(rest, long);
  const int a = va_arg(rest, int), b = va_arg(rest, int), c = va_arg(rest, int);
  const long last = va_arg(rest, long);
  va_end(rest);
  printf("level 2 %s %g %d %g %ld %d %d %d %ld\n", words, first, seven, second, eleven, a, b, c, last);
  return MPI_SUCCESS;
}
