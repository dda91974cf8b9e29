/* MPI_DISTRIBUTE_NONE over two processes is distributed in blocks. */
#include <mpi.h>
#include <stdio.h>

static int packed_by(int rank) {
  const int gsize = 6, distribution = MPI_DISTRIBUTE_NONE, argument = MPI_DISTRIBUTE_DFLT_DARG, processes = 2;
  const int array[6] = {0};
  char packed[sizeof array];
  int position = 0;
  MPI_Datatype type;
  MPI_Type_create_darray(processes, rank, 1, &gsize, &distribution, &argument, &processes, MPI_ORDER_C, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Pack(array, 1, type, packed, (int)sizeof packed, &position, MPI_COMM_SELF);
  MPI_Type_free(&type);
  return position;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int first = packed_by(0);
  const int second = packed_by(1);
  // By the standard 24 and 0.
  printf("process 0 of 2 packs %d of 24 bytes, process 1 packs %d\n", first, second);
  MPI_Finalize();
  return 0;
}
