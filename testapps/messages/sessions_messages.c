/* Messages and collective operations of processes that use sessions and never the world model. */
#include <mpi.h>
#include <stdio.h>

int main(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm all;
  if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) != MPI_SUCCESS) return 1;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "a tag", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
  int rank, size, sum;
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  double got, sent = rank;
  MPI_Sendrecv(&sent, 1, MPI_DOUBLE, (rank + 1) % size, 3, &got, 1, MPI_DOUBLE, (rank + size - 1) % size, 3, all,
               MPI_STATUS_IGNORE);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
  MPI_Comm_free(&all);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  printf("%d\n", sum);
  return 0;
}
