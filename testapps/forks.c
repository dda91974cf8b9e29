// A program that forks and starts other programs while MPI is up: the children must leave the trace alone.
#include <sys/wait.h>
#include <unistd.h>

#include "testapp.h"

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  MPI_Datatype type;
  CHECK(MPI_Type_contiguous(3, MPI_INT, &type));
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) exit(0);
  int status = -1;
  waitpid(child, &status, 0);
  printf("child %d\n", status);
  fflush(stdout);
  printf("shell %d\n", system("exit 4") >> 8);
  CHECK(MPI_Type_free(&type));
  CHECK(MPI_Type_contiguous(4, MPI_INT, &type));
  CHECK(MPI_Type_free(&type));
  CHECK(MPI_Finalize());
  return 0;
}
