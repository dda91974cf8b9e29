// Contiguous blocks per second: the library's MPI_Pack moving blocks of 8 bytes, and the decoder streaming the same
// blocks, in turn. Prints nanoseconds per block, the smallest of several rounds.
#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "decoder/layout/typemap.h"
#include "decoder/testing/test_store.h"

namespace {

using namespace ddtscope;

constexpr int blocks = 1 << 16;
constexpr int inner_blocks = 8;
constexpr int rounds = 60;

void check(int result) {
  if (result != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 3);
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Increasing, with gaps of no pattern: no two blocks adjoin.
std::vector<int> irregular_displacements() {
  std::vector<int> displacements;
  std::uint64_t state = 88172645463325252U;
  for (int i = 0, at = 0; i < blocks; ++i) {
    displacements.push_back(at);
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    at += 2 + static_cast<int>(state % 3);
  }
  return displacements;
}

/// The same type on both sides.
void compare(const char* name, MPI_Datatype type, test::TestStore& types, DefinitionId definition) {
  check(MPI_Type_commit(&type));
  MPI_Aint lb = 0;
  MPI_Aint extent = 0;
  check(MPI_Type_get_true_extent(type, &lb, &extent));
  std::vector<char> memory(static_cast<std::size_t>(extent), 1);
  std::vector<char> packed(std::size_t{blocks} * 8);
  const auto pack = [&] {
    int position = 0;
    check(MPI_Pack(memory.data(), 1, type, packed.data(), static_cast<int>(packed.size()), &position, MPI_COMM_WORLD));
    if (position != static_cast<int>(packed.size())) MPI_Abort(MPI_COMM_WORLD, 4);
  };
  std::vector<NarrowBlock> batch(1024);
  const auto stream = [&] {
    BlockCursor cursor(types.layouts(), types.layouts().root(definition));
    std::size_t count = 0;
    for (std::size_t n = batch.size(); n == batch.size(); count += n) n = cursor.next(std::span(batch));
    if (count != blocks) MPI_Abort(MPI_COMM_WORLD, 5);
  };
  double pack_seconds = 1e9;
  double stream_seconds = 1e9;
  for (int round = 0; round < rounds; ++round) {
    pack_seconds = std::min(pack_seconds, seconds_of(pack));
    stream_seconds = std::min(stream_seconds, seconds_of(stream));
  }
  std::printf("%s_pack_ns %.3f\n%s_stream_ns %.3f\n", name, pack_seconds / blocks * 1e9, name,
              stream_seconds / blocks * 1e9);
  check(MPI_Type_free(&type));
}

}  // namespace

int main(int argc, char** argv) {
  check(MPI_Init(&argc, &argv));
  test::TestStore types;
  const DefinitionId mpi_double = types.named("MPI_DOUBLE");
  MPI_Datatype type = MPI_DATATYPE_NULL;

  check(MPI_Type_vector(blocks, 1, 2, MPI_DOUBLE, &type));
  compare("vector", type, types, types.vector(blocks, 1, 2, mpi_double));

  MPI_Datatype inner = MPI_DATATYPE_NULL;
  check(MPI_Type_vector(inner_blocks, 1, 2, MPI_DOUBLE, &inner));
  check(MPI_Type_create_hvector(blocks / inner_blocks, 1, 24 * inner_blocks, inner, &type));
  check(MPI_Type_free(&inner));
  compare("nest", type, types,
          types.hvector(blocks / inner_blocks, 1, 24 * inner_blocks, types.vector(inner_blocks, 1, 2, mpi_double)));

  const std::vector<int> displacements = irregular_displacements();
  const std::vector<int> blocklengths(displacements.size(), 1);
  check(MPI_Type_indexed(blocks, blocklengths.data(), displacements.data(), MPI_DOUBLE, &type));
  compare("indexed", type, types,
          types.indexed({blocklengths.begin(), blocklengths.end()}, {displacements.begin(), displacements.end()},
                        mpi_double));

  check(MPI_Finalize());
  return EXIT_SUCCESS;
}
