// A program that knows nothing of MPI: with a plugin preloaded it must behave as it does without.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  printf("no MPI here\n");
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) _exit(3);
  int status = 0;
  waitpid(child, &status, 0);
  printf("child left with %d\n", WEXITSTATUS(status));
  return 7;
}
