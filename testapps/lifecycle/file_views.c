// Types in MPI-IO: the library makes many for itself, and hands two out with MPI_File_get_view.
#include <string.h>

#include "testapp.h"

#ifdef HAS_FORTRAN
void mpi_file_get_view_(MPI_Fint* file, MPI_Offset* displacement, MPI_Fint* etype, MPI_Fint* filetype, char* datarep,
                        MPI_Fint* ierror, size_t length);
#endif

static void describe(const char* label, MPI_Datatype type) {
  print_bounds(label, type);
  CHECK(MPI_Type_free(&type));
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  MPI_Datatype pair, every_other, memory;
  CHECK(MPI_Type_contiguous(2, MPI_INT, &pair));
  CHECK(MPI_Type_commit(&pair));
  CHECK(MPI_Type_vector(3, 1, 2, pair, &every_other));
  CHECK(MPI_Type_commit(&every_other));
  CHECK(MPI_Type_indexed(2, (int[]){2, 4}, (int[]){0, 5}, MPI_INT, &memory));
  CHECK(MPI_Type_commit(&memory));

  MPI_File file;
  int buffer[10];
  for (int i = 0; i < 10; ++i) buffer[i] = i;
  CHECK(MPI_File_open(MPI_COMM_WORLD, "views.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  CHECK(MPI_File_set_view(file, 0, pair, every_other, "native", MPI_INFO_NULL));
  CHECK(MPI_File_write_all(file, buffer, 1, memory, MPI_STATUS_IGNORE));
  memset(buffer, 0, sizeof buffer);
  CHECK(MPI_File_seek(file, 0, MPI_SEEK_SET));
  CHECK(MPI_File_read_all(file, buffer, 1, memory, MPI_STATUS_IGNORE));
  for (int i = 0; i < 10; ++i) printf("%d ", buffer[i]);
  printf("\n");

  MPI_Offset displacement;
  MPI_Datatype etype, filetype;
  char representation[MPI_MAX_DATAREP_STRING];
  CHECK(MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
  describe("etype", etype);
  describe("filetype", filetype);
#ifdef HAS_FORTRAN
  MPI_Fint fortran_file = MPI_File_c2f(file), fortran_etype, fortran_filetype, ierror;
  char answer[8];
  memset(answer, ' ', sizeof answer);
  mpi_file_get_view_(&fortran_file, &displacement, &fortran_etype, &fortran_filetype, answer, &ierror, sizeof answer);
  CHECK(ierror);
  printf("%.8s\n", answer);
  describe("etype", MPI_Type_f2c(fortran_etype));
  describe("filetype", MPI_Type_f2c(fortran_filetype));
#endif
  CHECK(MPI_File_close(&file));
  CHECK(MPI_Type_free(&memory));
  CHECK(MPI_Type_free(&every_other));
  CHECK(MPI_Type_free(&pair));
  CHECK(MPI_Finalize());
  return 0;
}
