// A program with children of its own, that looks whether anybody else's turn up at the end of MPI: as the first
// argument says, it counts SIGCHLD (handler), ignores it (ignore), or waits for whatever ends (wait).
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testapp.h"

static volatile sig_atomic_t told;

static void count(int signal) {
  (void)signal;
  ++told;
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  const char* way = argc > 1 ? argv[1] : "wait";
  MPI_Datatype type;
  CHECK(MPI_Type_vector(5, 1, 2, MPI_DOUBLE, &type));
  CHECK(MPI_Type_free(&type));
  if (strcmp(way, "handler") == 0) signal(SIGCHLD, count);
  if (strcmp(way, "ignore") == 0) signal(SIGCHLD, SIG_IGN);
  int end_of_child[2];
  if (pipe(end_of_child) != 0) return 1;
  const pid_t child = fork();  // lives on until MPI has ended
  if (child == 0) {
    char byte;
    close(end_of_child[1]);
    _exit(read(end_of_child[0], &byte, 1) == 0 ? 5 : 6);
  }
  CHECK(MPI_Finalize());
  printf("told %d\n", (int)told);
  errno = 0;
  const pid_t early = waitpid(-1, NULL, WNOHANG | __WALL);
  printf("ended early %d %d\n", (int)early, errno);
  close(end_of_child[1]);
  int status = 0;
  const pid_t ended = waitpid(child, &status, 0);
  printf("own child %d, status %d\n", ended == child, ended == child ? WEXITSTATUS(status) : -1);
  errno = 0;
  const pid_t none = waitpid(-1, NULL, __WALL);
  printf("no more %d %d\n", (int)none, errno == ECHILD);
  return 0;
}
