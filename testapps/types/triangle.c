// The upper triangle of a matrix, sent to oneself as the transpose's lower one would be read.
#include "testapp.h"

enum { N = 8 };

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  int blocklengths[N], displacements[N];
  for (int row = 0; row < N; ++row) {
    blocklengths[row] = N - row;
    displacements[row] = row * N + row;
  }
  MPI_Datatype triangle;
  CHECK(MPI_Type_indexed(N, blocklengths, displacements, MPI_DOUBLE, &triangle));
  name_and_print(triangle, "upper triangle");
  CHECK(MPI_Type_commit(&triangle));

  double from[N][N], to[N][N];
  for (int i = 0; i < N * N; ++i) {
    from[i / N][i % N] = i;
    to[i / N][i % N] = 0;
  }
  CHECK(MPI_Sendrecv(from, 1, triangle, 0, 0, to, 1, triangle, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  double sum = 0;
  for (int i = 0; i < N * N; ++i) sum += to[i / N][i % N];
  printf("sum of the triangle %g\n", sum);
  CHECK(MPI_Type_free(&triangle));
  CHECK(MPI_Finalize());
  return 0;
}
