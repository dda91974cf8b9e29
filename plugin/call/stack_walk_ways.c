// A module for stack_walk_test.cpp, which is built by several compilers at each optimisation: the frames that programs
// have between main() and a call.
#define _GNU_SOURCE
#include <alloca.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

typedef void Act(void*);
#define NEEDED(value) __asm__ volatile("" : : "r"(value) : "memory")
#define EXPORTED __attribute__((visibility("default"), noinline))

void in_all_ways(Act* act, void* argument);
void in_signal_handler(Act* act, void* argument);

__attribute__((noinline)) static void plain(Act* act, void* argument) {
  act(argument);
  NEEDED(argument);
}

__attribute__((noinline)) static void with_room(Act* act, void* argument, size_t size) {
  char* const room = alloca(size);
  NEEDED(room);
  plain(act, argument);
  NEEDED(room);
}

/// Keeps numbers in all registers that a callee saves.
__attribute__((noinline)) static long with_registers(Act* act, void* argument, const long* n) {
  const long a = n[0] * 3, b = n[1] * 5, c = n[2] * 7, d = n[3] * 11, e = n[4] * 13, f = n[5] * 17;
  plain(act, argument);
  return a + b + c + d + e + f;
}

__attribute__((noinline)) static void recursive(Act* act, void* argument, int depth) {
  if (depth == 0) {
    plain(act, argument);
  } else {
    recursive(act, argument, depth - 1);
  }
  NEEDED(argument);
}

static Act* act_of_callback;
static void* argument_of_callback;

static int compare(const void* a, const void* b) {
  plain(act_of_callback, argument_of_callback);
  return *(const char*)a - *(const char*)b;
}

static void handle(int number) {
  NEEDED(number);
  plain(act_of_callback, argument_of_callback);
}

EXPORTED void in_all_ways(Act* act, void* argument) {
  long numbers[6] = {1, 2, 3, 4, 5, 6};
  NEEDED(numbers);
  plain(act, argument);
  with_room(act, argument, 16);
  with_room(act, argument, (size_t)numbers[5] * 500);
  NEEDED(with_registers(act, argument, numbers));
  recursive(act, argument, 5);
  act_of_callback = act;
  argument_of_callback = argument;
  char letters[2] = {'b', 'a'};
  qsort(letters, 2, 1, compare);
  NEEDED(letters);
}

EXPORTED void in_signal_handler(Act* act, void* argument) {
  act_of_callback = act;
  argument_of_callback = argument;
  struct sigaction ours = {.sa_handler = handle}, before;
  sigaction(SIGUSR1, &ours, &before);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &before, NULL);
}
