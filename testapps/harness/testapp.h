// What the test programs share: a check of return codes, arguments, and a line that tells a type's bounds.
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                     \
  do {                                                                  \
    if ((call) != MPI_SUCCESS) {                                        \
      fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #call); \
      MPI_Abort(MPI_COMM_WORLD, 3);                                     \
    }                                                                   \
  } while (0)

/// An argument of the program.
static inline int integer_of(const char* text) { return (int)strtol(text, NULL, 10); }

static inline void print_bounds(const char* label, MPI_Datatype type) {
  MPI_Count size, lb, extent, true_lb, true_extent;
  CHECK(MPI_Type_size_x(type, &size));
  CHECK(MPI_Type_get_extent_x(type, &lb, &extent));
  CHECK(MPI_Type_get_true_extent_x(type, &true_lb, &true_extent));
  printf("%s: size %lld lb %lld extent %lld true_lb %lld true_extent %lld\n", label, (long long)size, (long long)lb,
         (long long)extent, (long long)true_lb, (long long)true_extent);
}

static inline void name_and_print(MPI_Datatype type, const char* name) {
  CHECK(MPI_Type_set_name(type, name));
  print_bounds(name, type);
}
