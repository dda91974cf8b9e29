// Calls that the library refuses under MPI_ERRORS_RETURN, among others that succeed: bad counts, handles that are null
// or were never made. Told "fatal", ends in one under the default error handler; told "kill", by SIGKILL.
#include <signal.h>
#include <string.h>

#include "testapp.h"

static void refused(const char* what, int status) {
  int class = MPI_SUCCESS;
  MPI_Error_class(status, &class);
  printf("%s: %s\n", what,
         class == MPI_SUCCESS     ? "taken"
         : class == MPI_ERR_TYPE  ? "MPI_ERR_TYPE"
         : class == MPI_ERR_COUNT ? "MPI_ERR_COUNT"
         : class == MPI_ERR_ARG   ? "MPI_ERR_ARG"
                                  : "another error");
}

static void negative_counts(void) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  for (int i = 0; i < 1000; ++i) {
    int status = MPI_Type_contiguous(-1 - i, MPI_INT, &type);
    if (i == 0) refused("MPI_Type_contiguous(-1)", status);
  }
  refused("MPI_Type_vector(-2)", MPI_Type_vector(-2, 1, 1, MPI_INT, &type));
  refused("MPI_Type_create_struct with blocklength -1",
          MPI_Type_create_struct(2, (int[]){1, -1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_INT}, &type));
}

static void null_handles(void) {
  MPI_Datatype null = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  int count, addresses, datatypes, combiner;
  refused("MPI_Type_contiguous of null", MPI_Type_contiguous(1, null, &type));
  refused("PMPI_Type_vector of null", PMPI_Type_vector(1, 1, 1, null, &type));
  refused("MPI_Type_create_struct of null",
          MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, null}, &type));
  refused("MPI_Type_dup of null", MPI_Type_dup(null, &type));
  refused("MPI_Type_commit of null", MPI_Type_commit(&null));
  refused("MPI_Type_free of null", MPI_Type_free(&null));
  refused("MPI_Type_set_name of null", MPI_Type_set_name(null, "nothing"));
  refused("MPI_Type_get_envelope of null", MPI_Type_get_envelope(null, &count, &addresses, &datatypes, &combiner));
  MPI_Aint address;
  refused("MPI_Type_get_contents of null", MPI_Type_get_contents(null, 1, 1, 1, &count, &address, &type));
  MPI_Datatype predefined = MPI_INT;
  refused("MPI_Type_free of MPI_INT", MPI_Type_free(&predefined));
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Datatype type;
  CHECK(MPI_Type_vector(3, 1, 2, MPI_INT, &type));
  negative_counts();
  null_handles();
  CHECK(MPI_Type_commit(&type));
  CHECK(MPI_Type_free(&type));
  fflush(stdout);
  if (argc > 1 && strcmp(argv[1], "kill") == 0) raise(SIGKILL);
  if (argc > 1 && strcmp(argv[1], "fatal") == 0) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Type_contiguous(-7, MPI_INT, &type);
  }
  CHECK(MPI_Finalize());
  return 0;
}
