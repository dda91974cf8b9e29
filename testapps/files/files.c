/* files CASE: files that are opened, viewed, read and written in every way, with amounts that run_files.py knows; and
   accesses that the mode of a file forbids, or their twins that it does not. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double from[16], to[16];
static int rank, size;

static void check(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(status, text, &length);
  fprintf(stderr, "%s: %s\n", call, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CHECK(...) check(__VA_ARGS__, #__VA_ARGS__)

static MPI_File opened(MPI_Comm comm, const char* name, int mode) {
  MPI_File file;
  CHECK(MPI_File_open(comm, name, mode, MPI_INFO_NULL, &file));
  return file;
}

/* Each process has every size-th element. */
static void share(MPI_Comm comm, const char* name) {
  MPI_Datatype every, five;
  MPI_Request request;
  MPI_Type_vector(5, 1, size, MPI_DOUBLE, &every);
  MPI_Type_set_name(every, "every");
  MPI_Type_commit(&every);
  MPI_Type_contiguous(5, MPI_DOUBLE, &five);
  MPI_Type_set_name(five, "five");
  MPI_Type_commit(&five);
  MPI_File file = opened(comm, name, MPI_MODE_RDWR | MPI_MODE_CREATE);
  CHECK(MPI_File_set_view(file, 8 * rank, MPI_DOUBLE, every, "native", MPI_INFO_NULL));
  for (int i = 0; i < 3; ++i) CHECK(MPI_File_write_at_all(file, 0, from, 5, MPI_DOUBLE, MPI_STATUS_IGNORE));
  CHECK(MPI_File_read_all(file, to, 1, five, MPI_STATUS_IGNORE));
  CHECK(MPI_File_iwrite_at(file, 0, from, 2, MPI_DOUBLE, &request));
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(MPI_File_read_at_all_begin(file, 0, to, 5, MPI_DOUBLE));
  CHECK(MPI_File_read_at_all_end(file, to, MPI_STATUS_IGNORE));
  CHECK(MPI_File_close(&file));
  MPI_Type_free(&five);
  MPI_Type_free(&every);
}

static void amounts(void) {
  share(MPI_COMM_WORLD, "shared.data");
  char own[32];
  snprintf(own, sizeof own, "own.%d.data", rank);
  const int ints[3] = {1, 2, 3};
  for (int i = 0; i < 2; ++i) {
    MPI_File file = opened(MPI_COMM_SELF, own, MPI_MODE_WRONLY | MPI_MODE_CREATE);
    CHECK(MPI_File_write(file, ints, 3, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(MPI_File_close(&file));
  }
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_File file = opened(copy, "copy.data", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
  CHECK(MPI_File_close(&file));
  MPI_Comm_free(&copy);
}

/* One of each: what it may not do, or in the twin what it may. Libraries may refuse either. A loop that the compiler
   might unroll counts by a volatile: it is to be one call site. */
static void writes(int is_right) {
  MPI_File file = opened(MPI_COMM_SELF, "judged.data", is_right ? MPI_MODE_RDWR : MPI_MODE_RDONLY);
  MPI_File_write_at(file, 0, from, 4, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}
static void reads(int is_right) {
  MPI_File file = opened(MPI_COMM_SELF, "judged.data", is_right ? MPI_MODE_RDONLY : MPI_MODE_WRONLY);
  for (volatile int i = 0; i < 3; ++i) MPI_File_read(file, to, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}
static void at_offset(int is_right) {
  MPI_File file = opened(MPI_COMM_SELF, "judged.data", MPI_MODE_RDONLY | (is_right ? 0 : MPI_MODE_SEQUENTIAL));
  MPI_File_read_at(file, 0, to, 2, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}
static void at_own_pointer(int is_right) {
  MPI_File file = opened(MPI_COMM_SELF, "judged.data", MPI_MODE_RDONLY | (is_right ? 0 : MPI_MODE_SEQUENTIAL));
  MPI_File_read_all(file, to, 2, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}
static void writes_nothing(int is_right) {
  MPI_File file = opened(MPI_COMM_SELF, "judged.data", is_right ? MPI_MODE_WRONLY : MPI_MODE_RDONLY);
  MPI_File_write(file, from, 0, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

static void judged(int is_right) {
  MPI_File file = opened(MPI_COMM_SELF, "judged.data", MPI_MODE_WRONLY | MPI_MODE_CREATE);
  CHECK(MPI_File_write(file, from, 16, MPI_DOUBLE, MPI_STATUS_IGNORE));
  CHECK(MPI_File_close(&file));
  writes(is_right);
  reads(is_right);
  at_offset(is_right);
  at_own_pointer(is_right);
  writes_nothing(is_right);
  /* The shared pointer is what such a file is for; a library may have none. */
  if (MPI_File_open(MPI_COMM_SELF, "judged.data", MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &file) ==
      MPI_SUCCESS) {
    MPI_File_read_shared(file, to, 2, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_read_ordered(file, to, 2, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "amounts") == 0) amounts();
  if (strcmp(name, "wrong") == 0) judged(0);
  if (strcmp(name, "right") == 0) judged(1);
  MPI_Finalize();
  return 0;
}
