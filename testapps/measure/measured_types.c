/* Types of a known relation to a plain copy: one that is contiguous, a column, uneven blocks, a struct with an extent
   of its own. The column moves the most bytes. */
#include <mpi.h>

static void send_to_self(MPI_Datatype type, const char* name, int times) {
  static double buffer[4096], received[4096];
  MPI_Type_set_name(type, name);
  MPI_Type_commit(&type);
  for (int i = 0; i < times; ++i) {
    MPI_Sendrecv(buffer, 1, type, 0, 0, received, 1, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&type);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype type, part;
  MPI_Type_contiguous(6, MPI_DOUBLE, &type);
  send_to_self(type, "contiguous", 2);
  MPI_Type_vector(6, 1, 8, MPI_DOUBLE, &type);
  send_to_self(type, "column", 200);
  MPI_Type_indexed(4, (int[]){1, 3, 2, 1}, (int[]){20, 3, 9, 0}, MPI_INT, &type);
  send_to_self(type, "uneven", 8);
  MPI_Type_create_struct(3, (int[]){1, 2, 1}, (MPI_Aint[]){0, 8, 32},
                         (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE, MPI_LONG_DOUBLE}, &part);
  MPI_Type_create_resized(part, 0, 64, &type);
  MPI_Type_free(&part);
  send_to_self(type, "struct", 4);
  MPI_Finalize();
  return 0;
}
