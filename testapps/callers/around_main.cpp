// MPI begins in the constructor of a static object and ends in its destructor, after main. Linked with -z now, and with
// an fmt of its own, whose functions are called as the plugin's could be.
#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void check(int status) {
  if (status != MPI_SUCCESS) std::abort();
}

struct Mpi {
  Mpi() { check(MPI_Init(nullptr, nullptr)); }
  ~Mpi() {
    check(MPI_Type_free(&column));
    check(MPI_Finalize());
    std::puts("ended after main");
  }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
  MPI_Datatype column = MPI_DATATYPE_NULL;
};

Mpi mpi;

}  // namespace

struct Cells {
  int rows, columns;
};
template <>
struct fmt::formatter<Cells> : fmt::formatter<std::string> {
  auto format(const Cells& cells, fmt::format_context& context) const {
    return fmt::formatter<std::string>::format(fmt::format("{} x {}", cells.rows, cells.columns), context);
  }
};

int main() {
  check(MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &mpi.column));
  check(MPI_Type_commit(&mpi.column));
  std::puts(fmt::format("{:>10}|{:08.3f}", Cells{3, 2}, 3.25).c_str());
  return 0;
}
