// What debuggers are shown: buffers of all shapes, handles in all disguises, and a crash, or threads that make types.
#include <complex>
#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

#include "testapp.h"

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

/// As many values as memory was allocated for.
struct Message {
  int length;
  double values[1];
};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
struct OpenMessage {
  int length;
  int kind;
  double values[];
};
#pragma GCC diagnostic pop

struct Halves {
  double first[2], second[2];
  [[gnu::noinline]] void share();
};

using my_dt = MPI_Datatype;
using fftw_complex = double[2];

double matrix[4][4];
[[gnu::used]] double large[200][200];  // of more bytes than gdb fetches
[[gnu::used]] int limit = 7;
[[gnu::used]] Cell cells[3] = {{'a', 1.5, 1}, {'b', -2.25, 2}, {'c', 1e100, 3}};
[[gnu::used]] int numbers[8] = {10, 11, 12, 13, 14, 15, 16, 17};
[[gnu::used]] std::complex<double> waves[2] = {{1, -2}, {0.5, 4}};
[[gnu::used]] DoubleInt best[2] = {{3.25, 7}, {-1, 8}};
[[gnu::used]] fftw_complex in_pairs[4] = {{1, 2}, {3, 4}};
[[gnu::used]] const void* addresses_kept[2] = {numbers, matrix};
[[gnu::used]] double& first_of_matrix = matrix[0][0];
[[gnu::used]] Cell& first_cell = cells[0];
alignas(Message) char message_memory[64];
[[gnu::used]] Message* message = reinterpret_cast<Message*>(message_memory);
[[gnu::used]] OpenMessage* open_message = reinterpret_cast<OpenMessage*>(message_memory);
[[gnu::used]] Message last_message;
Halves halves;
int far_away = 77;
double further_away = 0.125;

MPI_Datatype triangle, cell, backward, absolute, wave, pair, slim, uncommitted, freed, nothing, garbage, overlapping,
    letter, headed, copied, holder, held;

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
  CHECK(MPI_Type_set_name(wave, "gr\u00f6\u00dfe"));
  CHECK(MPI_Type_contiguous(2, MPI_DOUBLE_INT, &pair));
  CHECK(MPI_Type_create_resized(MPI_INT, 0, 8, &slim));
  CHECK(MPI_Type_set_name(slim, "slim"));
  CHECK(MPI_Type_vector(2, 1, 3, MPI_FLOAT, &uncommitted));
  const int twos[2] = {2, 2};
  const int one_apart[2] = {0, 1};
  CHECK(MPI_Type_indexed(2, twos, one_apart, MPI_INT, &overlapping));
  const int lengths_of_letter[2] = {1, 5};
  const MPI_Aint places_of_letter[2] = {0, 8};
  const MPI_Datatype types_of_letter[2] = {MPI_INT, MPI_DOUBLE};
  CHECK(MPI_Type_create_struct(2, lengths_of_letter, places_of_letter, types_of_letter, &letter));
  const int lengths_of_headed[2] = {2, 5};
  CHECK(MPI_Type_create_struct(2, lengths_of_headed, places_of_letter, types_of_letter, &headed));
  for (MPI_Datatype* type : {&triangle, &cell, &backward, &absolute, &wave, &pair, &slim}) CHECK(MPI_Type_commit(type));
  CHECK(MPI_Type_contiguous(5, MPI_LONG, &freed));
  // Committed as what they are made of: the copy, and on MPICH what the contents give, which is the same handle again.
  CHECK(MPI_Type_dup(triangle, &copied));
  CHECK(MPI_Type_contiguous(1, cell, &holder));
  int one = 1;
  MPI_Aint none = 0;
  CHECK(MPI_Type_get_contents(holder, 1, 0, 1, &one, &none, &held));
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

/// What has a part for each rank, or for each neighbour: here two, on a ring of one process.
void exchange(int rank, int size) {
  std::vector<int> counts(static_cast<std::size_t>(size), 0), places(counts);
  std::vector<MPI_Datatype> types(counts.size(), MPI_DATATYPE_NULL), plain(counts.size(), MPI_INT);
  const auto partner = static_cast<std::size_t>(size - 1 - rank);
  counts[partner] = 1;
  places[partner] = 16;
  for (MPI_Datatype& type : types) type = slim;
  std::vector<int> received(64, 0);
  CHECK(MPI_Alltoallw(numbers, counts.data(), places.data(), types.data(), received.data(), counts.data(),
                      places.data(), plain.data(), MPI_COMM_WORLD));
  std::vector<int> shifts(counts.size(), 3);
  CHECK(MPI_Alltoallv(numbers, counts.data(), shifts.data(), slim, received.data(), counts.data(), shifts.data(),
                      MPI_INT, MPI_COMM_WORLD));
  for (int& count : counts) count = 2;
  CHECK(MPI_Gatherv(numbers, 2, MPI_INT, received.data(), counts.data(), places.data(), slim, 0, MPI_COMM_WORLD));
  CHECK(MPI_Allgather(numbers, 2, MPI_INT, received.data(), 2, MPI_INT, MPI_COMM_WORLD));
  CHECK(MPI_Reduce_scatter(numbers, received.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  MPI_Comm ring;
  const int one = 1;
  CHECK(MPI_Cart_create(MPI_COMM_SELF, 1, &one, &one, 0, &ring));
  const int halo_counts[2] = {1, 3};
  const MPI_Aint halo_places[2] = {16, 20};
  const MPI_Datatype halo_types[2] = {backward, MPI_INT};
  const MPI_Aint ghost_places[2] = {0, 64};
  const MPI_Datatype ghost_types[2] = {MPI_INT, MPI_INT};
  const int ghost_counts[2] = {3, 3};
  CHECK(MPI_Neighbor_alltoallw(numbers, halo_counts, halo_places, halo_types, received.data(), ghost_counts,
                               ghost_places, ghost_types, ring));
  CHECK(MPI_Comm_free(&ring));
}

/// From one member into the next one.
void Halves::share() { CHECK(MPI_Bcast(first, 4, MPI_DOUBLE, 0, MPI_COMM_SELF)); }

/// A buffer that is not what its datatype says, behind one that is.
void send_wrongly() {
  halves.share();
  CHECK(MPI_Bcast(&matrix[1][0], 4, MPI_DOUBLE, 0, MPI_COMM_SELF));
  CHECK(MPI_Bcast(numbers, 2, MPI_DOUBLE, 0, MPI_COMM_SELF));
}

extern "C" [[gnu::noinline]] void wait_within() { asm volatile(""); }

/// A large array, and a function that waits in a block of its own.
void send_from_elsewhere() {
  CHECK(MPI_Bcast(large, 1, triangle, 0, MPI_COMM_SELF));
  CHECK(MPI_Rsend(matrix, 1, triangle, 0, 0, MPI_COMM_WORLD));
}

/// Where one of several threads is stopped. The others never meet the breakpoint: in non-stop mode, who does has to be
/// sent on by the debugger, which may be asleep.
extern "C" [[gnu::noinline]] void stand_still() { asm volatile(""); }

[[noreturn]] void make_types_for_ever(int seed) {
  if (seed == 33) stand_still();
  for (int i = seed;; ++i) {
    MPI_Datatype type;
    CHECK(MPI_Type_vector(2 + i % 40, 1, 3 + i % 7, MPI_INT, &type));
    CHECK(MPI_Type_commit(&type));
    CHECK(MPI_Type_free(&type));
  }
}

}  // namespace

/// In place of the library's, as one with debugging information has it.
extern "C" int MPI_Rsend([[maybe_unused]] const void* buffer, int count, [[maybe_unused]] MPI_Datatype datatype,
                         [[maybe_unused]] int destination, [[maybe_unused]] int tag,
                         [[maybe_unused]] MPI_Comm communicator) {
  for (int sent = 0; sent < count; ++sent) {
    [[maybe_unused]] const int left = count - sent;
    wait_within();
  }
  return MPI_SUCCESS;
}

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
  if (std::strcmp(mode, "exchange") == 0) {
    int rank = 0;
    int size = 0;
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    exchange(rank, size);
    CHECK(MPI_Finalize());
    return 0;
  }
  if (std::strcmp(mode, "wrong") == 0) {
    send_wrongly();
    send_from_elsewhere();
    CHECK(MPI_Finalize());
    return 0;
  }
  send_to_self(triangle);
  send_to_self(copied);
  share();
  CHECK(MPI_Finalize());
  return 0;
}
