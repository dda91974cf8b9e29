// Uses a type in each function that uses types, by each of its names in C: MPI_ and PMPI_, with large counts where the
// library has them. run_every_use.py knows how much of it each one uses. One process, which talks to itself.
#include "testapp.h"

enum { count = 2 };

static int from[64], to[64];
static const MPI_Comm self = MPI_COMM_SELF;

#define F(X) MPI_##X
#define G(X) MPI_##X
#define COUNT int
#define DISPLACEMENT int
#define POSITION int
#define EXTERNAL_POSITION MPI_Aint
#define NAMING(X) mpi_##X
#include "every_use_calls.h"

#define F(X) PMPI_##X
#define G(X) PMPI_##X
#define COUNT int
#define DISPLACEMENT int
#define POSITION int
#define EXTERNAL_POSITION MPI_Aint
#define NAMING(X) pmpi_##X
#include "every_use_calls.h"

#if MPI_VERSION >= 4
#define F(X) MPI_##X##_c
#define G(X) MPI_##X
#define COUNT MPI_Count
#define DISPLACEMENT MPI_Aint
#define POSITION MPI_Count
#define EXTERNAL_POSITION MPI_Count
#define NAMING(X) mpi_large_##X
#include "every_use_calls.h"

#define F(X) PMPI_##X##_c
#define G(X) PMPI_##X
#define COUNT MPI_Count
#define DISPLACEMENT MPI_Aint
#define POSITION MPI_Count
#define EXTERNAL_POSITION MPI_Count
#define NAMING(X) pmpi_large_##X
#include "every_use_calls.h"
#endif

int main(int argc, char** argv) {
  static char buffer[1024];
  void* detached;
  int size;
  CHECK(MPI_Init(&argc, &argv));
  CHECK(MPI_Buffer_attach(buffer, sizeof buffer));
  mpi_each();
  pmpi_each();
#if MPI_VERSION >= 4
  printf("MPI-4\n");
  mpi_large_each();
  pmpi_large_each();
#endif
  CHECK(MPI_Buffer_detach(&detached, &size));
  CHECK(MPI_Finalize());
  return 0;
}
