/* local_side too_early|in_time: what a one-sided operation writes at its origin is sent by another call, before or
   behind the call that completes the operation there. All is of one process. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static double result[4], one[4], other[4];
static MPI_Win window;
static int is_too_early;
static MPI_Group own;

static __attribute__((noinline)) void use(void) {
  MPI_Sendrecv(result, 1, MPI_DOUBLE, 0, 0, other, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
#define CASE(name, begin, operation, completion, rest) \
  static __attribute__((noinline)) void name(void) {   \
    begin;                                             \
    operation;                                         \
    if (is_too_early) use();                           \
    completion;                                        \
    if (!is_too_early) use();                          \
    rest;                                              \
  }
#define GET MPI_Get(result, 4, MPI_DOUBLE, 0, 0, 4, MPI_DOUBLE, window)
#define LOCK MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window)
#define UNLOCK MPI_Win_unlock(0, window)

CASE(by_fence, MPI_Win_fence(0, window), GET, MPI_Win_fence(MPI_MODE_NOSUCCEED, window), )
CASE(by_complete, MPI_Win_post(own, 0, window);
     MPI_Win_start(own, 0, window), GET, MPI_Win_complete(window), MPI_Win_wait(window))
CASE(by_unlock, LOCK, GET, UNLOCK, )
CASE(by_unlock_all, MPI_Win_lock_all(0, window), GET, MPI_Win_unlock_all(window), )
CASE(by_flush, LOCK, GET, MPI_Win_flush(0, window), UNLOCK)
CASE(by_flush_local, LOCK, GET, MPI_Win_flush_local(0, window), UNLOCK)
CASE(by_flush_all, MPI_Win_lock_all(0, window), GET, MPI_Win_flush_all(window), MPI_Win_unlock_all(window))
CASE(by_flush_local_all, MPI_Win_lock_all(0, window), GET, MPI_Win_flush_local_all(window), MPI_Win_unlock_all(window))

static MPI_Request request;
#define RGET MPI_Rget(result, 4, MPI_DOUBLE, 0, 0, 4, MPI_DOUBLE, window, &request)
CASE(by_wait, LOCK, RGET, MPI_Wait(&request, MPI_STATUS_IGNORE), UNLOCK)
CASE(by_test, LOCK, RGET, int is_done = 0; while (!is_done) MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), UNLOCK)
CASE(of_request_by_flush, LOCK, RGET, MPI_Win_flush_local(0, window), MPI_Wait(&request, MPI_STATUS_IGNORE); UNLOCK)
CASE(of_get_accumulate, LOCK,
     MPI_Get_accumulate(one, 4, MPI_DOUBLE, result, 4, MPI_DOUBLE, 0, 0, 4, MPI_DOUBLE, MPI_SUM, window),
     MPI_Win_flush_local(0, window), UNLOCK)
CASE(of_rget_accumulate, LOCK,
     MPI_Rget_accumulate(one, 4, MPI_DOUBLE, result, 4, MPI_DOUBLE, 0, 0, 4, MPI_DOUBLE, MPI_NO_OP, window, &request),
     MPI_Wait(&request, MPI_STATUS_IGNORE), UNLOCK)
CASE(of_fetch_and_op, LOCK, MPI_Fetch_and_op(one, result, MPI_LONG, 0, 0, MPI_SUM, window), MPI_Win_flush(0, window),
     UNLOCK)
CASE(of_compare_and_swap, LOCK, MPI_Compare_and_swap(one, other + 2, result, MPI_LONG, 0, 0, window),
     MPI_Win_flush_local(0, window), UNLOCK)

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  is_too_early = argc > 1 && strcmp(argv[1], "too_early") == 0;
  MPI_Comm_group(MPI_COMM_SELF, &own);
  double* memory;
  MPI_Win_allocate(64 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  by_fence();
  by_complete();
  by_unlock();
  by_unlock_all();
  by_flush();
  by_flush_local();
  by_flush_all();
  by_flush_local_all();
  by_wait();
  by_test();
  of_request_by_flush();
  of_get_accumulate();
  of_rget_accumulate();
  of_fetch_and_op();
  of_compare_and_swap();
  MPI_Win_free(&window);
  MPI_Group_free(&own);
  MPI_Finalize();
  return 0;
}
