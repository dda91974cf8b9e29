// Counts what all ranks must come to, of the program and of what is preloaded before this: behind the plugin. Says it
// when MPI ends. What the library does for itself does not come by here.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int collectives;

#define COUNTED(name, parameters, arguments)  \
  int name parameters {                       \
    int(*next) parameters;                    \
    *(void**)&next = dlsym(RTLD_NEXT, #name); \
    ++collectives;                            \
    return next arguments;                    \
  }
// The program's, which shows that this counts.
COUNTED(MPI_Allreduce, (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (send, receive, count, type, op, comm))
// The plugin calls these.
COUNTED(PMPI_Barrier, (MPI_Comm comm), (comm))
COUNTED(PMPI_Bcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
        (buffer, count, type, root, comm))
COUNTED(PMPI_Allreduce, (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (send, receive, count, type, op, comm))
COUNTED(PMPI_Reduce,
        (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
        (send, receive, count, type, op, root, comm))
COUNTED(PMPI_Allgather,
        (const void* send, int count, MPI_Datatype type, void* receive, int of_each, MPI_Datatype as, MPI_Comm comm),
        (send, count, type, receive, of_each, as, comm))
COUNTED(PMPI_Gather,
        (const void* send, int count, MPI_Datatype type, void* receive, int of_each, MPI_Datatype as, int root,
         MPI_Comm comm),
        (send, count, type, receive, of_each, as, root, comm))
COUNTED(PMPI_Comm_dup, (MPI_Comm comm, MPI_Comm* copy), (comm, copy))
COUNTED(PMPI_Comm_idup, (MPI_Comm comm, MPI_Comm* copy, MPI_Request* request), (comm, copy, request))
COUNTED(PMPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* part), (comm, color, key, part))

// The plugin's wrapper calls the next function of this name before it does anything itself.
int MPI_Finalize(void) {
  fprintf(stderr, "%d collective operations\n", collectives);
  return PMPI_Finalize();
}
