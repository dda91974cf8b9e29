// Times datatype calls from inside: nanoseconds per operation, the smallest of several rounds.
//
//   bench_types vector|vector-cold|vector-threads|vector-mpif|vector-f08|exchange|exchange-waitall|
//               apart|indexed-same|indexed-new-step|indexed-new-irregular OPERATIONS [CALL_DEPTH [BLOCKS]]
//
// vector-cold: the program touches 1 MiB between two calls, outside of the measured time.
// apart: each call in a function of its own, with 1 MiB touched before it, for ci/bench to count lines of cache.
// vector-threads: in each of eight threads at once, under MPI_THREAD_MULTIPLE; the time of all operations together.
// CALL_DEPTH adds that many frames below main, so that a stack of that depth is really there to be recorded.
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "testapp.h"

enum { MOST_BLOCKS = 100000, ROUNDS = 5, THREADS = 8 };

static int blocks = MOST_BLOCKS;
static int* blocklengths;
static int* displacements;
static unsigned long long state = 88172645463325252ull;

static void make_vector(void) {
  MPI_Datatype type;
  CHECK(MPI_Type_vector(8, 2, 5, MPI_DOUBLE, &type));
  CHECK(MPI_Type_commit(&type));
  CHECK(MPI_Type_free(&type));
}

static void* make_vectors(void* operations) {
  for (int i = 0; i < *(const int*)operations; ++i) make_vector();
  return NULL;
}

/// Seconds for an operation of one of the threads.
static double measure_threads(int operations) {
  double smallest = 1e9;
  for (int round = 0; round < ROUNDS; ++round) {
    pthread_t threads[THREADS];
    double begin = MPI_Wtime();
    for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, make_vectors, &operations);
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    double taken = MPI_Wtime() - begin;
    if (taken < smallest) smallest = taken;
  }
  return smallest / operations / (int)THREADS;
}

/// What a program's own work leaves of the caches.
static void touch_memory(void) {
  enum { BYTES = 1 << 20, LINE = 64 };
  static volatile char memory[BYTES];
  for (int i = 0; i < BYTES; i += LINE) ++memory[i];
}

/// Seconds.
static double make_cold_vector(void) {
  MPI_Datatype type;
  touch_memory();
  double begin = MPI_Wtime();
  CHECK(MPI_Type_vector(8, 2, 5, MPI_DOUBLE, &type));
  double taken = MPI_Wtime() - begin;
  touch_memory();
  begin = MPI_Wtime();
  CHECK(MPI_Type_commit(&type));
  taken += MPI_Wtime() - begin;
  touch_memory();
  begin = MPI_Wtime();
  CHECK(MPI_Type_free(&type));
  return taken + (MPI_Wtime() - begin);
}

static double measure_cold(int operations) {
  double smallest = 1e9;
  for (int round = 0; round < ROUNDS; ++round) {
    double taken = 0;
    for (int i = 0; i < operations; ++i) taken += make_cold_vector();
    if (taken < smallest) smallest = taken;
  }
  return smallest / operations;
}

// Each call by itself.
#define APART __attribute__((noinline)) static void
APART apart_create(MPI_Datatype* type) { CHECK(MPI_Type_vector(8, 2, 5, MPI_DOUBLE, type)); }
APART apart_commit(MPI_Datatype* type) { CHECK(MPI_Type_commit(type)); }
APART apart_free(MPI_Datatype* type) { CHECK(MPI_Type_free(type)); }
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): the requests begin in the one function and end in the other
APART apart_irecv(double* to, MPI_Request* request) {
  CHECK(MPI_Irecv(to, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, request));
}
APART apart_isend(const double* from, MPI_Request* request) {
  CHECK(MPI_Isend(from, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, request));
}
APART apart_waitall(MPI_Request requests[2]) {
  MPI_Status statuses[2];
  CHECK(MPI_Waitall(2, requests, statuses));
}
static void call_apart(void) {
  static double from, to;
  MPI_Datatype type;
  MPI_Request requests[2];
  touch_memory();
  apart_create(&type);
  touch_memory();
  apart_commit(&type);
  touch_memory();
  apart_free(&type);
  touch_memory();
  apart_irecv(&to, &requests[0]);
  touch_memory();
  apart_isend(&from, &requests[1]);
  touch_memory();
  apart_waitall(requests);
}
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)

#ifdef HAS_FORTRAN
// The same by Fortran's names, as a Fortran program calls them: all arguments are addresses.
static struct {
  void (*vector)(const int* count, const int* blocklength, const int* stride, const MPI_Fint* oldtype,
                 MPI_Fint* newtype, MPI_Fint* ierror);
  void (*commit)(MPI_Fint* type, MPI_Fint* ierror);
  void (*free)(MPI_Fint* type, MPI_Fint* ierror);
  MPI_Fint real;
} fortran;

static void* fortran_name(const char* function, const char* ending) {
  char name[64];
  snprintf(name, sizeof name, "%s%s", function, ending);
  void* found = dlsym(RTLD_DEFAULT, name);
  if (!found) {
    fprintf(stderr, "the library has no %s\n", name);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  return found;
}

static void find_fortran_names(const char* ending) {
  void* vector = fortran_name("mpi_type_vector_", ending);
  void* commit = fortran_name("mpi_type_commit_", ending);
  void* release = fortran_name("mpi_type_free_", ending);
  memcpy(&fortran.vector, &vector, sizeof vector);
  memcpy(&fortran.commit, &commit, sizeof commit);
  memcpy(&fortran.free, &release, sizeof release);
  fortran.real = MPI_Type_c2f(MPI_DOUBLE);
}

static void make_fortran_vector(void) {
  static const int count = 8, blocklength = 2, stride = 5;
  MPI_Fint type, ierror;
  fortran.vector(&count, &blocklength, &stride, &fortran.real, &type, &ierror);
  fortran.commit(&type, &ierror);
  fortran.free(&type, &ierror);
  CHECK(ierror);
}
#endif

/// Eight bytes to the process itself.
static void start_exchange(MPI_Request requests[2]) {
  static double from, to;
  CHECK(MPI_Irecv(&to, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[0]));
  CHECK(MPI_Isend(&from, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[1]));
}
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): the requests begin in the function above
static void exchange_waitall(void) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  start_exchange(requests);
  CHECK(MPI_Waitall(2, requests, statuses));
}
static void exchange(void) {
  MPI_Request requests[2];
  MPI_Status status;
  start_exchange(requests);
  CHECK(MPI_Wait(&requests[0], &status));
  CHECK(MPI_Wait(&requests[1], &status));
}
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)

static void make_indexed(void) {
  MPI_Datatype type;
  CHECK(MPI_Type_indexed(blocks, blocklengths, displacements, MPI_INT, &type));
  CHECK(MPI_Type_commit(&type));
  CHECK(MPI_Type_free(&type));
}

// New arguments are made outside of the measured time.
static void constant_step(int start) {
  for (int i = 0; i < blocks; ++i) {
    blocklengths[i] = 2;
    displacements[i] = start + 5 * i;
  }
}

static void irregular(void) {
  int at = 0;
  for (int i = 0; i < blocks; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    blocklengths[i] = 1 + (int)(state % 3);
    displacements[i] = at;
    at += blocklengths[i] + 1 + (int)((state >> 20) % 7);
  }
}

static double measure(const char* what, int operations) {
  static int start = 0;
  double smallest = 1e9;
  const int exchanges = strncmp(what, "exchange", 8) == 0;
  if (strcmp(what, "apart") == 0) {
    for (int i = 0; i < operations; ++i) call_apart();
    return 0;
  }
  if (strcmp(what, "vector-cold") == 0) return measure_cold(operations);
  if (strcmp(what, "vector-threads") == 0) return measure_threads(operations);
  if (strncmp(what, "vector", 6) == 0 || exchanges) {
    void (*make)(void) = make_vector;
    if (exchanges) make = strcmp(what, "exchange") == 0 ? exchange : exchange_waitall;
#ifdef HAS_FORTRAN
    if (strcmp(what, "vector-mpif") == 0) find_fortran_names("");
    if (strcmp(what, "vector-f08") == 0) find_fortran_names("f08_");
    if (!exchanges && strcmp(what, "vector") != 0) make = make_fortran_vector;
#endif
    for (int round = 0; round < ROUNDS; ++round) {
      double begin = MPI_Wtime();
      for (int i = 0; i < operations; ++i) make();
      double taken = MPI_Wtime() - begin;
      if (taken < smallest) smallest = taken;
    }
    return smallest / operations;
  }
  const int same = strcmp(what, "indexed-same") == 0;
  const int step = strcmp(what, "indexed-new-step") == 0;
  constant_step(0);
  make_indexed();  // the first one's line is written here
  double sum = 0;
  for (int i = 0; i < operations; ++i) {
    if (step) constant_step(++start);
    if (!same && !step) irregular();
    double begin = MPI_Wtime();
    make_indexed();
    sum += MPI_Wtime() - begin;
  }
  return sum / operations;
}

__attribute__((noinline)) static double deeper(const char* what, int operations, int depth) {
  if (depth <= 0) return measure(what, operations);
  double result = deeper(what, operations, depth - 1);
  __asm__ volatile("" ::: "memory");  // no tail call
  return result;
}

int main(int argc, char** argv) {
  const int has_threads = argc > 1 && strcmp(argv[1], "vector-threads") == 0;
  int provided = MPI_THREAD_SINGLE;
  if (has_threads) {
    CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
  } else {
    CHECK(MPI_Init(&argc, &argv));
  }
  if (argc > 4) blocks = integer_of(argv[4]);
  const int is_impossible = has_threads && provided < MPI_THREAD_MULTIPLE;
  if (argc < 3 || is_impossible || blocks < 1 || blocks > MOST_BLOCKS) MPI_Abort(MPI_COMM_WORLD, 2);
  blocklengths = malloc(MOST_BLOCKS * sizeof(int));
  displacements = malloc(MOST_BLOCKS * sizeof(int));
  double seconds = deeper(argv[1], integer_of(argv[2]), argc > 3 ? integer_of(argv[3]) : 0);
  int rank;
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  if (rank == 0) printf("ns_per_operation %.2f\n", seconds * 1e9);
  free(blocklengths);
  free(displacements);
  CHECK(MPI_Finalize());
  return 0;
}
