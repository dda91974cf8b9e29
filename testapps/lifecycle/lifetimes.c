// How types live and die: reuse of handles, copies that outlive their originals, types never committed or freed.
#include "testapp.h"

static void reuse_handles(void) {
  for (int i = 0; i < 1000; ++i) {
    MPI_Datatype type;
    CHECK(MPI_Type_vector(4, 1, 3, MPI_INT, &type));
    CHECK(MPI_Type_commit(&type));
    CHECK(MPI_Type_free(&type));
    if (type != MPI_DATATYPE_NULL) printf("free left the handle\n");
  }
}

// The same call, so the same handle in most libraries, but another definition each time.
static void reuse_handles_for_others(void) {
  for (int i = 0; i < 1000; ++i) {
    MPI_Datatype type;
    CHECK(MPI_Type_contiguous(1 + i % 2, MPI_SHORT, &type));
    CHECK(MPI_Type_free(&type));
  }
}

static void original_dies_first(void) {
  MPI_Datatype original, copy;
  CHECK(MPI_Type_contiguous(7, MPI_FLOAT, &original));
  CHECK(MPI_Type_dup(original, &copy));
  CHECK(MPI_Type_free(&original));
  CHECK(MPI_Type_commit(&copy));
  print_bounds("copy", copy);
  CHECK(MPI_Type_free(&copy));
}

static void commit_twice(void) {
  MPI_Datatype type;
  CHECK(MPI_Type_contiguous(9, MPI_INT, &type));
  CHECK(MPI_Type_commit(&type));
  CHECK(MPI_Type_commit(&type));
  CHECK(MPI_Type_free(&type));
}

static void never_committed(void) {
  MPI_Datatype type;
  CHECK(MPI_Type_contiguous(11, MPI_INT, &type));
  CHECK(MPI_Type_free(&type));
}

static void never_freed(void) {
  for (int i = 0; i < 3; ++i) {
    MPI_Datatype type;
    CHECK(MPI_Type_contiguous(13, MPI_INT, &type));
    CHECK(MPI_Type_commit(&type));
    CHECK(MPI_Type_set_name(type, i < 2 ? "leaked" : "leaked, last"));
  }
}

static void commit_predefined(void) {
  MPI_Datatype type = MPI_INT;
  CHECK(MPI_Type_commit(&type));
}

// A constructor that fails makes no type. The library's handler must return, and so must ours not have been called.
static void failing_calls(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  printf("negative count refused: %d\n", MPI_Type_contiguous(-1, MPI_INT, &type) != MPI_SUCCESS);
  printf("null oldtype refused: %d\n", MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type) != MPI_SUCCESS);
  MPI_Datatype predefined = MPI_INT;
  printf("free of a predefined type refused: %d\n", MPI_Type_free(&predefined) != MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  reuse_handles();
  reuse_handles_for_others();
  original_dies_first();
  commit_twice();
  never_committed();
  never_freed();
  commit_predefined();
  failing_calls();
  CHECK(MPI_Finalize());
  return 0;
}
