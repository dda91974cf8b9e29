/* What a program notices if a guest is careless: errno that changes in calls that succeed, and a page in the program's
   own frame that nobody may read while it calls MPI. */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEEPS_ERRNO(call)                                            \
  do {                                                               \
    errno = 77;                                                      \
    call;                                                            \
    if (errno != 77) printf("errno is %d after %s\n", errno, #call); \
  } while (0)

static void calls(void) {
  int sent[15] = {0};
  int received[20];
  int all[2];
  int one = 1;
  MPI_Datatype type;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Comm twin;
  KEEPS_ERRNO(MPI_Type_vector(3, 2, 5, MPI_INT, &type));
  KEEPS_ERRNO(MPI_Type_commit(&type));
  KEEPS_ERRNO(MPI_Irecv(received, 20, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_SELF, requests));
  KEEPS_ERRNO(MPI_Isend(sent, 1, type, 0, 0, MPI_COMM_SELF, requests + 1));
  KEEPS_ERRNO(MPI_Waitall(2, requests, statuses));
  KEEPS_ERRNO(MPI_Bcast(sent, 1, type, 0, MPI_COMM_SELF));
  KEEPS_ERRNO(MPI_Comm_dup(MPI_COMM_SELF, &twin));
  KEEPS_ERRNO(MPI_Allreduce(&one, all, 1, MPI_INT, MPI_SUM, twin));
  KEEPS_ERRNO(MPI_Comm_free(&twin));
  KEEPS_ERRNO(MPI_Type_free(&type));
}

/* Of three pages of a local array the one at `place` is protected. */
static void __attribute__((noinline)) beside_a_guard_page(int* buffers, long page, int place) {
  char array[4 * page];
  char* const first =
      (char*)(((unsigned long)array + (unsigned long)page - 1) / (unsigned long)page * (unsigned long)page);
  if (mprotect(first + place * page, (size_t)page, PROT_NONE) != 0) perror("mprotect");
  MPI_Sendrecv(buffers, 5, MPI_INT, 0, 0, buffers + 50, 5, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  if (mprotect(first + place * page, (size_t)page, PROT_READ | PROT_WRITE) != 0) perror("mprotect");
  __asm__ volatile("" : : "r"(array) : "memory");
}

int main(int argc, char** argv) {
  const long page = sysconf(_SC_PAGESIZE);
  int* const buffers = calloc(1000, sizeof *buffers);
  MPI_Init(&argc, &argv);
  calls();
  /* What lies below may be needed to protect it. */
  for (int place = 0; place < 3; ++place) beside_a_guard_page(buffers, page, place);
  puts("done");
  MPI_Finalize();
  free(buffers);
  return 0;
}
