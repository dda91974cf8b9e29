// What debuggers are shown: buffers of all shapes, handles in all disguises, and a crash, or threads that make types.
#include <complex>
#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

#include "../testapp.h"

namespace {

struct Cell {
  char tag;
  double value;
  short flags;
};

struct DoubleInt {
  double value;
  int index;
};

using my_dt = MPI_Datatype;

double matrix[4][4];
[[gnu::used]] Cell cells[3] = {{'a', 1.5, 1}, {'b', -2.25, 2}, {'c', 1e100, 3}};
[[gnu::used]] int numbers[8] = {10, 11, 12, 13, 14, 15, 16, 17};
[[gnu::used]] std::complex<double> waves[2] = {{1, -2}, {0.5, 4}};
[[gnu::used]] DoubleInt best[2] = {{3.25, 7}, {-1, 8}};
int far_away = 77;
double further_away = 0.125;

MPI_Datatype triangle, cell, backward, absolute, wave, pair, slim, uncommitted, freed, nothing, garbage;

void make_types() {
  for (int i = 0; i < 16; ++i) matrix[i / 4][i % 4] = i;
  int lengths[4] = {4, 3, 2, 1};
  int places[4] = {0, 5, 10, 15};
  CHECK(MPI_Type_indexed(4, lengths, places, MPI_DOUBLE, &triangle));
  CHECK(MPI_Type_set_name(triangle, "upper triangle"));
  int ones[3] = {1, 1, 1};
  MPI_Aint members[3] = {offsetof(Cell, tag), offsetof(Cell, value), offsetof(Cell, flags)};
  MPI_Datatype basic[3] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
  CHECK(MPI_Type_create_struct(3, ones, members, basic, &cell));
  CHECK(MPI_Type_vector(3, 1, -2, MPI_INT, &backward));
  MPI_Aint addresses[2];
  CHECK(MPI_Get_address(&far_away, &addresses[0]));
  CHECK(MPI_Get_address(&further_away, &addresses[1]));
  MPI_Datatype both[2] = {MPI_INT, MPI_DOUBLE};
  CHECK(MPI_Type_create_struct(2, ones, addresses, both, &absolute));
  CHECK(MPI_Type_contiguous(2, MPI_C_DOUBLE_COMPLEX, &wave));
  CHECK(MPI_Type_contiguous(2, MPI_DOUBLE_INT, &pair));
  CHECK(MPI_Type_create_resized(MPI_INT, 0, 8, &slim));
  CHECK(MPI_Type_set_name(slim, "slim"));
  CHECK(MPI_Type_vector(2, 1, 3, MPI_FLOAT, &uncommitted));
  for (MPI_Datatype* type : {&triangle, &cell, &backward, &absolute, &wave, &pair, &slim}) CHECK(MPI_Type_commit(type));
  CHECK(MPI_Type_contiguous(5, MPI_LONG, &freed));
  MPI_Datatype copy = freed;
  CHECK(MPI_Type_free(&copy));
  nothing = MPI_DATATYPE_NULL;
  const std::size_t bits = 0x12345678;
  std::memcpy(&garbage, &bits, sizeof garbage);
}

/// Where the debugger looks.
__attribute__((noinline)) void here(const MPI_Datatype& by_reference, my_dt renamed, const MPI_Datatype constant,
                                    const char* mode) {
  if (std::strcmp(mode, "crash") == 0) *const_cast<volatile char*>(mode - reinterpret_cast<std::size_t>(mode)) = 1;
  __asm__ volatile("" : : "r"(&by_reference), "r"(&renamed), "r"(&constant));
}

void send_to_self(MPI_Datatype type) {
  MPI_Request request;
  double received[4][4];
  CHECK(MPI_Irecv(received, 1, triangle, 0, 0, MPI_COMM_WORLD, &request));
  CHECK(MPI_Send(matrix, 1, type, 0, 0, MPI_COMM_WORLD));
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

MPI_Datatype MPI_TRIANGLE;  // as a program may call it
int total = 1;
#define SHARE(buffer, type) MPI_Bcast(buffer, 1, type, 0, MPI_COMM_WORLD)

/// What the source says of calls: clang-format would take some of it apart.
// clang-format off
void share() {
  MPI_TRIANGLE = triangle;
  SHARE(cells, cell);  // by_macro
  MPI_Bcast(matrix, 1, MPI_TRIANGLE, 0, MPI_COMM_WORLD);  // MPI_Bcast(by_name)
  if (total == 2) MPI_Bcast(cells, 1, cell, 0, MPI_COMM_WORLD); else MPI_Bcast(matrix, 1, triangle, 0, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
// clang-format on

[[noreturn]] void make_types_for_ever(int seed) {
  for (int i = seed;; ++i) {
    MPI_Datatype type;
    CHECK(MPI_Type_vector(2 + i % 40, 1, 3 + i % 7, MPI_INT, &type));
    CHECK(MPI_Type_commit(&type));
    CHECK(MPI_Type_free(&type));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "stop";
  int level = 0;
  CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level));
  make_types();
  if (std::strcmp(mode, "threads") == 0) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(make_types_for_ever, i * 11);
    for (std::thread& thread : threads) thread.join();
  }
  here(triangle, cell, backward, mode);
  send_to_self(triangle);
  share();
  CHECK(MPI_Finalize());
  return 0;
}
