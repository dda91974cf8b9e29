// Says by MPI_Pcontrol what is to be recorded of what it does with types.
#include "testapp.h"

__attribute__((noinline)) static void stop(void) { CHECK(MPI_Pcontrol(0)); }

static MPI_Datatype vector(int blocks) {
  MPI_Datatype type;
  CHECK(MPI_Type_vector(blocks, 1, 2, MPI_INT, &type));
  CHECK(MPI_Type_commit(&type));
  return type;
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  int buffer[100] = {0};
  MPI_Datatype used = vector(2), used_unseen = vector(3), never_used = vector(4);
  CHECK(MPI_Bcast(buffer, 1, used, 0, MPI_COMM_WORLD));
  MPI_Request persistent, forgotten;
  CHECK(MPI_Recv_init(buffer, 1, used, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &persistent));
  CHECK(MPI_Recv_init(buffer, 1, used, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &forgotten));
  const volatile int first = 0;  // else some compilers have two calls of what follows it
  for (int i = 0; i < 3; ++i) {
    stop();
    stop();  // it is stopped already
    CHECK(MPI_Bcast(buffer, 1, used, 0, MPI_COMM_WORLD));
    CHECK(MPI_Bcast(buffer, 1, used_unseen, 0, MPI_COMM_WORLD));
    if (i == first) CHECK(MPI_Request_free(&forgotten));
    // What follows the level is between the program and another tool.
    CHECK(MPI_Pcontrol(2, "words", 3.5, 7, 1.5, 11L, 12, 13, 14, 15L));
  }
  CHECK(MPI_Pcontrol(1));   // it runs already
  CHECK(MPI_Pcontrol(-1));  // means nothing
  CHECK(MPI_Start(&persistent));
  CHECK(MPI_Wait(&persistent, MPI_STATUS_IGNORE));
  CHECK(MPI_Request_free(&persistent));
  CHECK(MPI_Allreduce(MPI_IN_PLACE, buffer, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  if (argc > 1) stop();
  CHECK(MPI_Bcast(buffer, 1, used, 0, MPI_COMM_WORLD));
  CHECK(MPI_Type_free(&used));
  CHECK(MPI_Type_free(&used_unseen));
  CHECK(MPI_Type_free(&never_used));
  fputs("done\n", stdout);  // one write also where a library takes the buffer from stdout, which puts would not make
  CHECK(MPI_Finalize());
  return 0;
}
