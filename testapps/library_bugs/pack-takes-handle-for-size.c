/* Packs a contiguous type again and again, each time by a new handle, until bytes are missing. In a release that has
   the bug no more, it says so where none are. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { length = 20, most_types = 5000 };

int main(int argc, char** argv) {
  unsigned char data[length];
  unsigned char packed[length];
  for (int i = 0; i < length; ++i) data[i] = (unsigned char)(i + 1);
  int missing = 0;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < most_types; ++i) {
    MPI_Datatype type;
    int position = 0;
    memset(packed, 0, length);
    MPI_Type_contiguous(5, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Pack(data, 1, type, packed, length, &position, MPI_COMM_SELF);
    missing = position != length || memcmp(data, packed, length) != 0;
    if (missing) {
      printf("%d of %d bytes packed by handle 0x%x\n", position, length, (unsigned)type);
      break;
    }
  }
#if MPICH_NUMVERSION >= 40201300
  if (!missing) printf("mended: all bytes packed by %d handles\n", most_types);
#endif
  MPI_Finalize();
  return 0;
}
