// Runs a program and appends the largest resident set that it had, in KiB, to the file that MAX_RSS_FILE names.
// Small itself: a process inherits its starter's figure across exec.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* file = getenv("MAX_RSS_FILE");
  if (argc < 2 || !file) return 2;
  pid_t child = fork();
  if (child == 0) {
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  int status = 0;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) < 0) return 126;
  char line[32];
  int length = snprintf(line, sizeof line, "%ld\n", usage.ru_maxrss);
  int out = open(file, O_WRONLY | O_APPEND | O_CREAT, 0666);
  if (out < 0 || write(out, line, (size_t)length) != length) return 125;
  close(out);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
