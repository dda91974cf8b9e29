/* windows CASE: one-sided calls that stay within their targets' windows, and such that do not. What is reached beyond a
   window is memory of the program's own, so that nothing is harmed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { doubles = 100, margin = 64 };
static double memory[margin + 2 * doubles + margin];
static double* const base = memory + margin;
static double origin[doubles];
static int rank, size, right;
static const char* name;

static int is(const char* wanted) { return strcmp(name, wanted) == 0; }

static MPI_Win window_of(MPI_Comm comm, MPI_Aint bytes, int unit) {
  MPI_Win window;
  MPI_Win_create(base, bytes, unit, MPI_INFO_NULL, comm, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN); /* some libraries refuse what is beyond */
  MPI_Win_fence(0, window);
  return window;
}

static void close_window(MPI_Win window) {
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static void put_at(MPI_Win window, int target, MPI_Aint displacement) {
  MPI_Put(origin, 10, MPI_DOUBLE, target, displacement, 10, MPI_DOUBLE, window);
}

static void put_once(int unit, MPI_Aint displacement) {
  MPI_Win window = window_of(MPI_COMM_WORLD, doubles * 8, unit);
  put_at(window, right, displacement);
  close_window(window);
}

/* Rank 1 has half of what the others have. */
static void put_to_smaller(MPI_Aint displacement) {
  MPI_Win window = window_of(MPI_COMM_WORLD, rank == 1 ? doubles * 4 : doubles * 8, 8);
  put_at(window, right, displacement);
  close_window(window);
}

/* Each begins 8 bytes below its displacement. */
static void get_below(MPI_Aint displacement) {
  MPI_Datatype below;
  const MPI_Aint where = -8;
  MPI_Type_create_hindexed_block(1, 2, &where, MPI_DOUBLE, &below);
  MPI_Type_commit(&below);
  MPI_Win window = window_of(MPI_COMM_WORLD, doubles * 8, 8);
  MPI_Get(origin, 2, MPI_DOUBLE, right, displacement, 1, below, window);
  close_window(window);
  MPI_Type_free(&below);
}

/* Six copies, 16 bytes apart: 88 bytes. */
static void put_spread(MPI_Aint bytes) {
  MPI_Datatype spread;
  MPI_Type_create_resized(MPI_DOUBLE, 0, 16, &spread);
  MPI_Type_commit(&spread);
  MPI_Win window = window_of(MPI_COMM_WORLD, bytes, 8);
  MPI_Put(origin, 6, MPI_DOUBLE, right, 0, 6, spread, window);
  close_window(window);
  MPI_Type_free(&spread);
}

static void get_each(int number) {
  MPI_Win window = window_of(MPI_COMM_WORLD, doubles * 8, 8);
  for (int i = 0; i < number; ++i) MPI_Get(&origin[i % doubles], 1, MPI_DOUBLE, right, i, 1, MPI_DOUBLE, window);
  close_window(window);
}

static void add_at(MPI_Aint displacement) {
  MPI_Win window = window_of(MPI_COMM_WORLD, doubles * 8, 8);
  long one = 1, before = 0;
  MPI_Fetch_and_op(&one, &before, MPI_LONG, right, displacement, MPI_SUM, window);
  close_window(window);
}

/* In reverse order: the last rank there is process 0, whose window is small. */
static void put_in_reverse(int target) {
  MPI_Comm reverse;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reverse);
  MPI_Win window = window_of(reverse, rank == 0 ? 80 : doubles * 8, 8);
  if (rank == 1) put_at(window, target, 1);
  close_window(window);
  MPI_Comm_free(&reverse);
}

static void get_allocated(MPI_Aint displacement) {
  MPI_Win window;
  double* memory_of_library = NULL;
  MPI_Win_allocate(80, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory_of_library, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, window);
  MPI_Get(origin, 1, MPI_DOUBLE, right, displacement, 1, MPI_DOUBLE, window);
  close_window(window);
}

static void get_from_dynamic(void) {
  MPI_Win window;
  MPI_Aint own, target;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_attach(window, base, doubles * 8);
  MPI_Get_address(base, &own);
  MPI_Sendrecv(&own, 1, MPI_AINT, (rank + size - 1) % size, 0, &target, 1, MPI_AINT, right, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Win_fence(0, window);
  MPI_Get(origin, 10, MPI_DOUBLE, right, target, 10, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_detach(window, base);
  MPI_Win_free(&window);
}

static void reach_nobody(void) {
  MPI_Win window = window_of(MPI_COMM_WORLD, doubles * 8, 8);
  put_at(window, MPI_PROC_NULL, 100000);
  MPI_Put(origin, 0, MPI_DOUBLE, right, doubles, 0, MPI_DOUBLE, window);
  close_window(window);
}

/* The second window may have the handle of the first, which was smaller. */
static void put_to_next(void) {
  close_window(window_of(MPI_COMM_WORLD, 8, 1));
  put_once(8, 90);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size;
  name = argc > 1 ? argv[1] : "";
  if (is("put"))
    put_once(8, 90);
  else if (is("put_beyond"))
    put_once(8, 95);
  else if (is("unit_of_bytes"))
    put_once(1, 720);
  else if (is("unit_of_bytes_beyond"))
    put_once(1, 760);
  else if (is("smaller"))
    put_to_smaller(40);
  else if (is("smaller_beyond"))
    put_to_smaller(45);
  else if (is("below"))
    get_below(1);
  else if (is("below_beyond"))
    get_below(0);
  else if (is("spread"))
    put_spread(88);
  else if (is("spread_beyond"))
    put_spread(80);
  else if (is("each"))
    get_each(doubles);
  else if (is("each_beyond"))
    get_each(doubles + 1);
  else if (is("add"))
    add_at(doubles - 1);
  else if (is("add_beyond"))
    add_at(doubles);
  else if (is("reverse"))
    put_in_reverse(0);
  else if (is("reverse_beyond"))
    put_in_reverse(size - 1);
  else if (is("allocated"))
    get_allocated(9);
  else if (is("allocated_beyond"))
    get_allocated(10);
  else if (is("dynamic"))
    get_from_dynamic();
  else if (is("nobody"))
    reach_nobody();
  else if (is("next"))
    put_to_next();
  else {
    fprintf(stderr, "no such case: %s\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
