// A program that forks and starts other programs while MPI is up: the children must leave the trace alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testapp.h"

static int is_child;

/// Where the plugin is, debuggers find that this is a child (reporters/trace/format/debug_view.h).
static int is_said_to_be_forked(void) {
  const size_t offset_of_state = 88;
  const uint32_t forked = 4;
  const char* const view = dlsym(RTLD_DEFAULT, "ddtscope_debug_view");
  uint32_t state = forked;
  if (view) memcpy(&state, view + offset_of_state, sizeof state);
  return state == forked;
}

/// The child returns into the very call that its parent is in, too.
static int fork_when_deleted(MPI_Datatype type, int keyval, void* value, void* state) {
  (void)type, (void)keyval, (void)value, (void)state;
  const pid_t child = fork();
  if (child == 0) {
    is_child = 1;
  } else {
    waitpid(child, NULL, 0);
  }
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  MPI_Datatype type;
  CHECK(MPI_Type_contiguous(3, MPI_INT, &type));
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) exit(is_said_to_be_forked() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  printf("child %d\n", status);
  fflush(stdout);
  // As _Fork() of POSIX.1-2024 does: no handler of pthread_atfork() runs.
  child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) exit(0);
  waitpid(child, &status, 0);
  printf("clone %d\n", status);
  fflush(stdout);
  printf("shell %d\n", system("exit 4") >> 8);
  CHECK(MPI_Type_free(&type));
  CHECK(MPI_Type_contiguous(4, MPI_INT, &type));
  CHECK(MPI_Type_free(&type));
  int keyval = MPI_KEYVAL_INVALID;
  CHECK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, fork_when_deleted, &keyval, NULL));
  CHECK(MPI_Type_contiguous(5, MPI_INT, &type));
  CHECK(MPI_Type_set_attr(type, keyval, NULL));
  fflush(stdout);
  CHECK(MPI_Type_free(&type));
  if (is_child) _exit(0);
  CHECK(MPI_Finalize());
  return 0;
}
