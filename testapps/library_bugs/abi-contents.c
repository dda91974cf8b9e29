/* What MPI_Type_get_contents says of a darray: the constants that it was made with, or others. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int gsize = 8, distribution = MPI_DISTRIBUTE_BLOCK, argument = MPI_DISTRIBUTE_DFLT_DARG, processes = 1;
  MPI_Datatype type, oldtype;
  MPI_Aint no_address;
  int integers[8];
  MPI_Type_create_darray(processes, 0, 1, &gsize, &distribution, &argument, &processes, MPI_ORDER_FORTRAN, MPI_INT,
                         &type);
  MPI_Type_get_contents(type, 8, 0, 1, integers, &no_address, &oldtype);
  MPI_Type_free(&type);
  printf("distribution %d, argument %d, order %d; made with %d, %d, %d\n", integers[4], integers[5], integers[7],
         distribution, argument, MPI_ORDER_FORTRAN);
  MPI_Finalize();
  return 0;
}
