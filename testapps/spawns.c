// Spawns one process of its own program; each makes types of its own.
#include "testapp.h"

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  MPI_Comm parent, both;
  CHECK(MPI_Comm_get_parent(&parent));
  MPI_Datatype common, own;
  CHECK(MPI_Type_vector(3, 1, 2, MPI_INT, &common));
  CHECK(MPI_Type_commit(&common));
  int number = 0;
  if (parent == MPI_COMM_NULL) {
    CHECK(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &both, MPI_ERRCODES_IGNORE));
    CHECK(MPI_Type_contiguous(11, MPI_INT, &own));
    CHECK(MPI_Recv(&number, 1, MPI_INT, 0, 7, both, MPI_STATUS_IGNORE));
    printf("the child sent %d\n", number);
  } else {
    both = parent;
    CHECK(MPI_Type_contiguous(12, MPI_INT, &own));
    number = 42;
    CHECK(MPI_Send(&number, 1, MPI_INT, 0, 7, both));
  }
  CHECK(MPI_Type_free(&common));
  CHECK(MPI_Comm_disconnect(&both));
  CHECK(MPI_Finalize());
  return 0;
}
