/* Asks how many basic elements of a distributed array of structs came. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Datatype element, array;
  MPI_Status status;
  struct {
    int i;
    double d;
  } sent[4] = {{1, 1.0}}, received[4];
  int elements = 0;
  MPI_Init(&argc, &argv);
  MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &element);
  MPI_Type_create_darray(1, 0, 1, (int[]){4}, (int[]){MPI_DISTRIBUTE_BLOCK}, (int[]){MPI_DISTRIBUTE_DFLT_DARG},
                         (int[]){1}, MPI_ORDER_C, element, &array);
  MPI_Type_commit(&array);
  MPI_Sendrecv(sent, 1, array, 0, 0, received, 1, array, 0, 0, MPI_COMM_SELF, &status);
  MPI_Get_elements(&status, array, &elements);
  printf("%d elements\n", elements);
  MPI_Finalize();
  return 0;
}
