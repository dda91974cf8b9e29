// Types that are freed in the delete callback of an attribute of MPI_COMM_SELF, which runs inside MPI_Finalize.
#include "testapp.h"

static MPI_Datatype cached = MPI_DATATYPE_NULL;

static int free_cached(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)keyval, (void)value, (void)extra;
  printf("freed in the callback: %d\n", MPI_Type_free(&cached) == MPI_SUCCESS);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  CHECK(MPI_Type_contiguous(6, MPI_DOUBLE, &cached));
  CHECK(MPI_Type_commit(&cached));
  int keyval;
  CHECK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_cached, &keyval, NULL));
  CHECK(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL));
  CHECK(MPI_Finalize());
  return 0;
}
