/* conflicts: one-sided calls of one epoch that touch the same bytes, of which one writes, in functions called
   ..._wrong; and their twins that do not, ..._right. All in one job, each in a window of its own. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ints = 64 };
static int rank, size;
static int* memory;
static int origin[ints], result[ints];

static MPI_Win open_window(void) {
  MPI_Win window;
  MPI_Win_create(memory, ints * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  return window;
}

#define CASE(name) __attribute__((noinline)) static void name(MPI_Win w)

/* Fences. */
CASE(two_origins_wrong) {
  MPI_Win_fence(0, w);
  if (rank < 2) MPI_Put(origin, 1, MPI_INT, 2, 3, 1, MPI_INT, w);
  MPI_Win_fence(0, w);
}
CASE(two_origins_right) {
  MPI_Win_fence(0, w);
  if (rank < 2) MPI_Put(origin, 1, MPI_INT, 2, rank, 1, MPI_INT, w);
  MPI_Win_fence(0, w);
}
CASE(many_epochs_wrong) {
  MPI_Win_fence(0, w);
  for (int i = 0; i < 100; ++i) {
    if (rank < 2) MPI_Put(origin, 1, MPI_INT, 2, 3, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
  }
}
CASE(many_epochs_right) {
  MPI_Win_fence(0, w);
  for (int i = 0; i < 100; ++i) {
    if (rank == i % 2) MPI_Put(origin, 1, MPI_INT, 2, 3, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
  }
}
CASE(put_and_get_wrong) {
  MPI_Win_set_name(w, "pair");
  MPI_Win_fence(0, w);
  if (rank == 0) {
    MPI_Put(origin, 4, MPI_INT, 1, 0, 4, MPI_INT, w);
    MPI_Get(result, 4, MPI_INT, 1, 3, 4, MPI_INT, w);
  }
  MPI_Win_fence(0, w);
}
CASE(put_and_get_right) {
  MPI_Win_fence(0, w);
  if (rank == 0) {
    MPI_Put(origin, 4, MPI_INT, 1, 0, 4, MPI_INT, w);
    MPI_Get(result, 4, MPI_INT, 1, 4, 4, MPI_INT, w);
  }
  MPI_Win_fence(0, w);
}
__attribute__((noinline)) static void put_columns(MPI_Win w, MPI_Datatype column, int distance) {
  MPI_Win_fence(0, w);
  if (rank == 0) MPI_Put(origin, 8, MPI_INT, 1, 0, 1, column, w);
  if (rank == 2) MPI_Put(origin, 8, MPI_INT, 1, distance, 1, column, w);
  MPI_Win_fence(0, w);
}
CASE(columns_wrong) {
  MPI_Datatype column;
  MPI_Type_vector(8, 1, 7, MPI_INT, &column);
  MPI_Type_commit(&column);
  put_columns(w, column, 7);
  MPI_Type_free(&column);
}
CASE(columns_right) {
  MPI_Datatype column;
  MPI_Type_vector(8, 1, 7, MPI_INT, &column);
  MPI_Type_commit(&column);
  put_columns(w, column, 1);
  MPI_Type_free(&column);
}
CASE(ops_wrong) {
  MPI_Win_fence(0, w);
  MPI_Accumulate(origin, 1, MPI_INT, 0, 0, 1, MPI_INT, rank == 0 ? MPI_SUM : MPI_PROD, w);
  MPI_Win_fence(0, w);
}
CASE(ops_right) {
  MPI_Win_fence(0, w);
  MPI_Accumulate(origin, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, w);
  MPI_Get_accumulate(origin, 1, MPI_INT, result, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, w);
  MPI_Win_fence(0, w);
}
/* Accumulates of one process have an order, unless an info key takes it from them (MPI-4.1 12.7.2). */
static void order(MPI_Win w, const char* pairs) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "accumulate_ordering", pairs);
  MPI_Win_set_info(w, info);
  MPI_Info_free(&info);
}
static void accumulate(MPI_Win w, MPI_Op second) {
  MPI_Win_fence(0, w);
  if (rank == 0) {
    MPI_Accumulate(origin, 1, MPI_INT, 1, 5, 1, MPI_INT, MPI_SUM, w);
    MPI_Accumulate(origin, 1, MPI_INT, 1, 5, 1, MPI_INT, second, w);
  }
  MPI_Win_fence(0, w);
}
CASE(unordered_wrong) {
  order(w, "rar,raw,war");
  MPI_Win_fence(0, w);
  if (rank == 0) {
    MPI_Accumulate(origin, 1, MPI_INT, 1, 5, 1, MPI_INT, MPI_SUM, w);
    MPI_Accumulate(origin, 1, MPI_INT, 1, 5, 1, MPI_INT, MPI_PROD, w);
  }
  MPI_Win_fence(0, w);
}
CASE(unordered_right) {
  order(w, "none");
  accumulate(w, MPI_SUM);
  order(w, "waw");
  accumulate(w, MPI_PROD);
}
CASE(made_unordered_wrong) {
  MPI_Info info;
  MPI_Win made;
  (void)w;
  MPI_Info_create(&info);
  MPI_Info_set(info, "accumulate_ordering", "none");
  MPI_Win_create(memory, ints * sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &made);
  MPI_Info_free(&info);
  MPI_Win_fence(0, made);
  if (rank == 0) {
    MPI_Accumulate(origin, 1, MPI_INT, 1, 5, 1, MPI_INT, MPI_SUM, made);
    MPI_Accumulate(origin, 1, MPI_INT, 1, 5, 1, MPI_INT, MPI_REPLACE, made);
  }
  MPI_Win_fence(0, made);
  MPI_Win_free(&made);
}
CASE(made_unordered_right) { accumulate(w, MPI_PROD); }
CASE(kinds_wrong) {
  float number = 0;
  MPI_Win_fence(0, w);
  if (rank == 0) MPI_Accumulate(origin, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, w);
  if (rank == 1) MPI_Accumulate(&number, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_SUM, w);
  MPI_Win_fence(0, w);
}
CASE(kinds_right) {
  float number = 0;
  MPI_Win_fence(0, w);
  if (rank == 0) MPI_Accumulate(origin, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, w);
  if (rank == 1) MPI_Accumulate(&number, 1, MPI_FLOAT, 0, 1, 1, MPI_FLOAT, MPI_SUM, w);
  MPI_Win_fence(0, w);
}

/* Exposures: rank 0 is the target of the others. */
static MPI_Group others_than_target(void) {
  MPI_Group all, some;
  const int target = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  if (rank == 0) {
    MPI_Group_excl(all, 1, &target, &some);
  } else {
    MPI_Group_incl(all, 1, &target, &some);
  }
  MPI_Group_free(&all);
  return some;
}
CASE(exposure_wrong) {
  MPI_Group some = others_than_target();
  if (rank == 0) {
    MPI_Win_post(some, 0, w);
    MPI_Win_wait(w);
  } else {
    MPI_Win_start(some, 0, w);
    MPI_Put(origin, 2, MPI_INT, 0, rank, 2, MPI_INT, w); /* the next one's, too */
    MPI_Win_complete(w);
  }
  MPI_Group_free(&some);
}
CASE(exposure_right) {
  MPI_Group some = others_than_target();
  if (rank == 0) {
    MPI_Win_post(some, 0, w);
    MPI_Win_wait(w);
  } else {
    MPI_Win_start(some, 0, w);
    MPI_Put(origin, 2, MPI_INT, 0, 2 * rank, 2, MPI_INT, w);
    MPI_Win_complete(w);
  }
  MPI_Group_free(&some);
}

/* Locks. */
CASE(lock_wrong) {
  const int target = (rank + 1) % size;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w);
  MPI_Put(origin, 2, MPI_INT, target, 0, 2, MPI_INT, w);
  MPI_Get(result, 2, MPI_INT, target, 1, 2, MPI_INT, w);
  MPI_Win_unlock(target, w);
}
CASE(lock_right) {
  const int target = (rank + 1) % size;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w);
  MPI_Put(origin, 2, MPI_INT, target, 0, 2, MPI_INT, w);
  MPI_Win_flush(target, w);
  MPI_Get(result, 2, MPI_INT, target, 1, 2, MPI_INT, w);
  MPI_Win_unlock(target, w);
}
CASE(lock_all_wrong) {
  const int target = (rank + 1) % size;
  MPI_Win_lock_all(0, w);
  MPI_Put(origin, 1, MPI_INT, target, 0, 1, MPI_INT, w);
  MPI_Win_flush_local(target, w); /* which completes nothing at the target */
  MPI_Put(origin, 1, MPI_INT, target, 0, 1, MPI_INT, w);
  MPI_Win_unlock_all(w);
}
CASE(lock_all_right) {
  const int target = (rank + 1) % size;
  MPI_Win_lock_all(0, w);
  MPI_Put(origin, 1, MPI_INT, target, 0, 1, MPI_INT, w);
  MPI_Win_flush_all(w);
  MPI_Put(origin, 1, MPI_INT, target, 0, 1, MPI_INT, w);
  MPI_Win_unlock_all(w);
}
CASE(request_wrong) {
  const int target = (rank + 1) % size;
  MPI_Request request;
  MPI_Win_lock_all(0, w);
  MPI_Rget(result, 1, MPI_INT, target, 0, 1, MPI_INT, w, &request);
  MPI_Put(origin, 1, MPI_INT, target, 0, 1, MPI_INT, w);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(w);
}
CASE(request_right) {
  const int target = (rank + 1) % size;
  MPI_Request request;
  MPI_Win_lock_all(0, w);
  MPI_Rget(result, 1, MPI_INT, target, 0, 1, MPI_INT, w, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Put(origin, 1, MPI_INT, target, 0, 1, MPI_INT, w);
  MPI_Win_unlock_all(w);
}
CASE(swap_wrong) {
  const int target = (rank + 1) % size, nobody = -1;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w);
  MPI_Compare_and_swap(origin, &nobody, result, MPI_INT, target, 0, w);
  MPI_Get(result + 1, 1, MPI_INT, target, 0, 1, MPI_INT, w);
  MPI_Win_unlock(target, w);
}
CASE(swap_right) {
  const int target = (rank + 1) % size, nobody = -1;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w);
  MPI_Compare_and_swap(origin, &nobody, result, MPI_INT, target, 0, w);
  MPI_Fetch_and_op(origin, result + 1, MPI_INT, target, 0, MPI_NO_OP, w);
  MPI_Win_unlock(target, w);
}

/* Halos: each has a column for either neighbour. */
CASE(halo_by_fence_right) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Win_fence(0, w);
  for (int step = 0; step < 10; ++step) {
    MPI_Put(origin, 8, MPI_INT, left, 0, 8, MPI_INT, w);
    MPI_Put(origin, 8, MPI_INT, right, 8, 8, MPI_INT, w);
    MPI_Win_fence(0, w);
  }
}
CASE(halo_by_exposures_right) {
  const int neighbours[2] = {(rank + size - 1) % size, (rank + 1) % size};
  MPI_Group all, both;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, neighbours[0] == neighbours[1] ? 1 : 2, neighbours, &both);
  for (int step = 0; step < 10; ++step) {
    MPI_Win_post(both, 0, w);
    MPI_Win_start(both, 0, w);
    MPI_Put(origin, 8, MPI_INT, neighbours[0], 0, 8, MPI_INT, w);
    MPI_Put(origin, 8, MPI_INT, neighbours[1], 8, 8, MPI_INT, w);
    MPI_Win_complete(w);
    MPI_Win_wait(w);
  }
  MPI_Group_free(&both);
  MPI_Group_free(&all);
}
CASE(halo_by_lock_all_right) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Win_lock_all(0, w);
  for (int step = 0; step < 10; ++step) {
    MPI_Put(origin, 8, MPI_INT, left, 0, 8, MPI_INT, w);
    MPI_Put(origin, 8, MPI_INT, right, 8, 8, MPI_INT, w);
    MPI_Win_flush_all(w);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(w);
}

int main(int argc, char** argv) {
  void (*const cases[])(MPI_Win) = {two_origins_wrong,
                                    two_origins_right,
                                    many_epochs_wrong,
                                    many_epochs_right,
                                    put_and_get_wrong,
                                    put_and_get_right,
                                    columns_wrong,
                                    columns_right,
                                    ops_wrong,
                                    ops_right,
                                    unordered_wrong,
                                    unordered_right,
                                    made_unordered_wrong,
                                    made_unordered_right,
                                    kinds_wrong,
                                    kinds_right,
                                    exposure_wrong,
                                    exposure_right,
                                    lock_wrong,
                                    lock_right,
                                    lock_all_wrong,
                                    lock_all_right,
                                    request_wrong,
                                    request_right,
                                    swap_wrong,
                                    swap_right,
                                    halo_by_fence_right,
                                    halo_by_exposures_right,
                                    halo_by_lock_all_right};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  memory = calloc(ints, sizeof(int));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    MPI_Win window = open_window();
    cases[i](window);
    MPI_Win_free(&window);
  }
  free(memory);
  MPI_Finalize();
  return 0;
}
