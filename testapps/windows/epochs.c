/* epochs CASE: calls about windows within epochs that allow them, in all modes of synchronisation, and such that are
   outside of any. Each function is one case; the wrong ones are named for what is wrong. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
// MPICH's MPI_STATUSES_IGNORE is an address at which gcc knows no array.
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

enum { doubles = 64 };
static double memory[doubles], origin[doubles], result[doubles];
static int rank, size, right, left;
static MPI_Group to_right, to_left;

static MPI_Win make(void) {
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN); /* some libraries refuse what is wrong */
  return window;
}

static void put(MPI_Win window, int target) { MPI_Put(origin, 4, MPI_DOUBLE, target, 0, 4, MPI_DOUBLE, window); }

/* What is wrong. All processes come here. */
static __attribute__((noinline)) void put_without_epoch(void) {
  MPI_Win window = make();
  MPI_Put(origin, 4, MPI_DOUBLE, right, 0, 4, MPI_DOUBLE, window);
  MPI_Win_free(&window);
}

static __attribute__((noinline)) void get_behind_nosucceed(void) {
  MPI_Win window = make();
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  put(window, right);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  MPI_Get(result, 4, MPI_DOUBLE, right, 0, 4, MPI_DOUBLE, window);
  MPI_Win_free(&window);
}

static __attribute__((noinline)) void accumulate_behind_unlock(void) {
  MPI_Win window = make();
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
  put(window, right);
  MPI_Win_unlock(right, window);
  MPI_Accumulate(origin, 4, MPI_DOUBLE, right, 0, 4, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_free(&window);
}

static __attribute__((noinline)) void get_not_locked(void) {
  MPI_Win window = make();
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
  MPI_Get(result, 4, MPI_DOUBLE, rank, 0, 4, MPI_DOUBLE, window);
  MPI_Win_unlock(right, window);
  MPI_Win_free(&window);
}

static __attribute__((noinline)) void put_beside_group(void) {
  MPI_Win window = make();
  MPI_Win_post(to_left, 0, window);
  MPI_Win_start(to_right, 0, window);
  MPI_Put(origin, 4, MPI_DOUBLE, rank, 0, 4, MPI_DOUBLE, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  MPI_Win_free(&window);
}

static __attribute__((noinline)) void complete_without_start(void) {
  MPI_Win window = make();
  MPI_Win_complete(window);
  MPI_Win_free(&window);
}

static __attribute__((noinline)) void unlock_without_lock(void) {
  MPI_Win window = make();
  MPI_Win_unlock(right, window);
  MPI_Win_free(&window);
}

static __attribute__((noinline)) void unlock_all_without_lock_all(void) {
  MPI_Win window = make();
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

static __attribute__((noinline)) void flush_without_lock(void) {
  MPI_Win window = make();
  MPI_Win_fence(0, window);
  MPI_Win_flush(right, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static __attribute__((noinline)) void flush_local_all_without_lock(void) {
  MPI_Win window = make();
  MPI_Win_flush_local_all(window);
  MPI_Win_free(&window);
}

static __attribute__((noinline)) void lock_twice(void) {
  MPI_Win window = make();
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
  const int error = MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
  MPI_Win_unlock(right, window);
  if (error == MPI_SUCCESS) MPI_Win_unlock(right, window);
  MPI_Win_free(&window);
}

static __attribute__((noinline)) void lock_within_fence(void) {
  MPI_Win window = make();
  MPI_Win_fence(0, window);
  put(window, right);
  if (MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window) == MPI_SUCCESS) MPI_Win_unlock(right, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static __attribute__((noinline)) void fence_within_lock(void) {
  MPI_Win window = make();
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
  MPI_Win_fence(0, window);
  MPI_Win_unlock(right, window);
  MPI_Win_free(&window);
}

static __attribute__((noinline)) void put_behind_fence_and_lock(void) {
  MPI_Win window = make();
  MPI_Win_fence(0, window); /* begins no epoch: another one is next */
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
  MPI_Win_unlock(right, window);
  MPI_Put(origin, 4, MPI_DOUBLE, right, 0, 4, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static __attribute__((noinline)) void rput_within_fence(void) {
  MPI_Win window = make();
  MPI_Request request;
  MPI_Win_fence(0, window);
  if (MPI_Rput(origin, 4, MPI_DOUBLE, right, 0, 4, MPI_DOUBLE, window, &request) == MPI_SUCCESS) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

/* What is right. */
static MPI_Win halos;
static void put_halos(void) {
  MPI_Put(origin, 4, MPI_DOUBLE, right, 0, 4, MPI_DOUBLE, halos);
  MPI_Put(origin + 4, 4, MPI_DOUBLE, left, 8, 4, MPI_DOUBLE, halos);
}

static void halos_by_fence(int times) {
  halos = make();
  MPI_Win_fence(MPI_MODE_NOPRECEDE, halos);
  for (int i = 0; i < times; ++i) {
    put_halos();
    MPI_Win_fence(i + 1 < times ? 0 : MPI_MODE_NOSUCCEED, halos);
  }
  MPI_Win_free(&halos);
}

static void halos_by_pscw(int times) {
  MPI_Group neighbours;
  MPI_Group_union(to_left, to_right, &neighbours);
  halos = make();
  for (int i = 0; i < times; ++i) {
    MPI_Win_post(neighbours, 0, halos);
    MPI_Win_start(neighbours, 0, halos);
    put_halos();
    MPI_Win_complete(halos);
    if (i % 2 == 0) {
      MPI_Win_wait(halos);
    } else {
      int is_done = 0;
      while (!is_done) MPI_Win_test(halos, &is_done);
    }
  }
  MPI_Win_free(&halos);
  MPI_Group_free(&neighbours);
}

static void halos_by_lock_all(int times) {
  halos = make();
  MPI_Win_lock_all(0, halos);
  for (int i = 0; i < times; ++i) {
    put_halos();
    MPI_Win_flush(right, halos);
    MPI_Win_flush_local(left, halos);
    MPI_Win_flush_all(halos);
    MPI_Win_sync(halos);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(halos);
  MPI_Win_free(&halos);
}

static void locks(void) {
  MPI_Win window = make();
  MPI_Win_fence(0, window); /* no accesses follow: it begins no epoch */
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
  put(window, right);
  MPI_Get(result, 4, MPI_DOUBLE, right, 8, 4, MPI_DOUBLE, window);
  MPI_Win_flush_local_all(window);
  MPI_Win_unlock(right, window);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
  MPI_Win_lock(MPI_LOCK_SHARED, left, MPI_MODE_NOCHECK, window); /* another target, of three or more */
  long one = 1, before, before_too;
  MPI_Fetch_and_op(&one, &before, MPI_LONG, right, 20, MPI_SUM, window);
  MPI_Fetch_and_op(&one, &before_too, MPI_LONG, left, 21, MPI_SUM, window);
  MPI_Win_unlock(left, window);
  MPI_Win_unlock(right, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  put(window, MPI_PROC_NULL); /* reaches nobody */
  MPI_Win_free(&window);
}

static void requests(void) {
  MPI_Win window = make();
  MPI_Request some[2];
  MPI_Win_lock_all(0, window);
  MPI_Rget(result, 4, MPI_DOUBLE, right, 0, 4, MPI_DOUBLE, window, &some[0]);
  MPI_Wait(&some[0], MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; ++i) MPI_Rput(origin + i, 1, MPI_DOUBLE, right, i, 1, MPI_DOUBLE, window, &some[i]);
  MPI_Waitall(2, some, MPI_STATUSES_IGNORE);
  MPI_Win_flush(right, window);
  MPI_Rget(result, 4, MPI_DOUBLE, right, 0, 4, MPI_DOUBLE, window, &some[0]);
  int is_done = 0;
  while (!is_done) MPI_Request_get_status(some[0], &is_done, MPI_STATUS_IGNORE);
  put(window, right); /* the data has come */
  MPI_Wait(&some[0], MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

/* An access that the library refuses begins no epoch. */
static void refused(void) {
  MPI_Win window = make();
  MPI_Win_fence(0, window);
  const int error = MPI_Put(origin, 4, MPI_DOUBLE, size + 3, 0, 4, MPI_DOUBLE, window);
  if (error == MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
  MPI_Win_unlock(right, window);
  MPI_Win_free(&window);
}

/* Each thread reads its own part and writes it when that has come, while the library gives the request to others. */
static MPI_Win shared_by_threads;
static void* read_and_write(void* which) {
  const MPI_Aint own = 8 * (MPI_Aint)(intptr_t)which;
  double read[4];
  for (int i = 0; i < 200; ++i) {
    MPI_Request request;
    MPI_Rget(read, 4, MPI_DOUBLE, right, own, 4, MPI_DOUBLE, shared_by_threads, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Put(origin, 4, MPI_DOUBLE, right, own, 4, MPI_DOUBLE, shared_by_threads);
    MPI_Win_flush(right, shared_by_threads);
  }
  return NULL;
}

static void threads(void) {
  pthread_t all[4];
  shared_by_threads = make();
  MPI_Win_lock_all(0, shared_by_threads);
  for (intptr_t i = 0; i < 4; ++i) pthread_create(&all[i], NULL, read_and_write, (void*)i);
  for (int i = 0; i < 4; ++i) pthread_join(all[i], NULL);
  MPI_Win_unlock_all(shared_by_threads);
  MPI_Win_free(&shared_by_threads);
}

/* 10^6 accesses in 10^4 epochs of one shape. */
static void many(void) {
  MPI_Win window;
  double* allocated;
  MPI_Win_allocate(sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &window);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  for (int epoch = 0; epoch < 10000; ++epoch) {
    for (int i = 0; i < 50; ++i) MPI_Put(origin, 1, MPI_DOUBLE, rank, i, 1, MPI_DOUBLE, window);
    for (int i = 0; i < 50; ++i) MPI_Put(origin, 1 + i % 3, MPI_DOUBLE, rank, i % 7, 1 + i % 3, MPI_DOUBLE, window);
    MPI_Win_flush(rank, window);
  }
  MPI_Win_unlock(rank, window);
  MPI_Win_free(&window);
}

static void dynamic(int reached) {
  MPI_Win window;
  MPI_Aint own, target;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Win_attach(window, memory, 32 * sizeof(double));
  MPI_Get_address(memory, &own);
  MPI_Sendrecv(&own, 1, MPI_AINT, left, 0, &target, 1, MPI_AINT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_fence(0, window);
  MPI_Get(result, reached, MPI_DOUBLE, right, target, reached, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_detach(window, memory);
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  const char* const name = argc > 1 ? argv[1] : "";
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, strcmp(name, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &right, &to_right);
  MPI_Group_incl(all, 1, &left, &to_left);
  if (strcmp(name, "wrong") == 0) {
    put_without_epoch();
    get_behind_nosucceed();
    accumulate_behind_unlock();
    get_not_locked();
    put_beside_group();
    complete_without_start();
    unlock_without_lock();
    unlock_all_without_lock_all();
    flush_without_lock();
    flush_local_all_without_lock();
    lock_twice();
    lock_within_fence();
    fence_within_lock();
    put_behind_fence_and_lock();
    rput_within_fence();
  } else if (strcmp(name, "right") == 0) {
    halos_by_fence(5);
    halos_by_pscw(6);
    halos_by_lock_all(5);
    if (size > 2) locks();
    requests();
    dynamic(32);
  } else if (strcmp(name, "refused") == 0) {
    refused();
  } else if (strcmp(name, "threads") == 0) {
    if (provided == MPI_THREAD_MULTIPLE) threads();
  } else if (strcmp(name, "many") == 0) {
    many();
  } else if (strcmp(name, "dynamic_beyond") == 0) {
    dynamic(33);
  } else {
    fprintf(stderr, "no such case: %s\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&to_right);
  MPI_Group_free(&to_left);
  MPI_Finalize();
  return 0;
}
