// A communicator is used in an attribute's delete function, while it is being freed. Who gets its handle next has one
// process: what lies behind its only count is not to be read.
#include <sys/mman.h>
#include <unistd.h>

#include "testapp.h"

static int deleted;

static int use_once_more(MPI_Comm communicator, int key, void* value, void* state) {
  int size;
  int own = 1;
  int all[64];
  (void)key;
  (void)value;
  (void)state;
  CHECK(MPI_Comm_size(communicator, &size));
  if (size > 64) return MPI_ERR_OTHER;
  CHECK(MPI_Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, communicator));
  CHECK(MPI_Bcast(&own, 1, MPI_INT, size - 1, communicator));
  ++deleted;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  const long page = sysconf(_SC_PAGESIZE);
  CHECK(MPI_Init(&argc, &argv));
  int rank;
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  char* const pages = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + page, (size_t)page, PROT_NONE) != 0) MPI_Abort(MPI_COMM_WORLD, 4);
  int* const last = (int*)(pages + page) - 1;  // in its page
  int key;
  CHECK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, use_once_more, &key, NULL));
  for (int i = 0; i < 3; ++i) {
    MPI_Comm all;
    MPI_Comm alone;
    MPI_Request request;
    const int zero = 0;
    int received = -1;
    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &all));
    CHECK(MPI_Comm_set_attr(all, key, NULL));
    CHECK(MPI_Irecv(&received, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request));  // so that buffers are compared
    CHECK(MPI_Comm_free(&all));
    CHECK(MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone));
    *last = 1;
    int gathered = -1;
    CHECK(MPI_Allgatherv(&rank, 1, MPI_INT, &gathered, last, &zero, MPI_INT, alone));
    if (gathered != rank) MPI_Abort(MPI_COMM_WORLD, 5);
    CHECK(MPI_Send(&rank, 1, MPI_INT, rank, 1, MPI_COMM_WORLD));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(MPI_Comm_free(&alone));
  }
  CHECK(MPI_Comm_free_keyval(&key));
  if (deleted != 3) MPI_Abort(MPI_COMM_WORLD, 6);
  CHECK(MPI_Finalize());
  return 0;
}
