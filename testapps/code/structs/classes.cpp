// The same as structs.c, for classes.
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace halo {

struct base {
  int first;
};

class particle : public base {
 public:
  particle() = default;
  double mass() const { return mass_; }
  static int count;
  std::complex<double> spin;

 private:
  double mass_ = 0;
  bool is_alive_ = true;
};
int particle::count = 0;

template <class T>
struct pair {
  T a;
  std::int64_t b;
};

template <class T, class U>
struct two {
  T a;
  U b;
};

/// A name of more than letters and commas.
template <class T, int N>
struct tagged {
  long n;
  double x;
};

}  // namespace halo

/// What has private members, many times.
class cell {
 public:
  explicit cell(int a = 0) : b(0), a_(a) {}
  int sum() const { return a_ + b; }
  int b;

 private:
  int a_;
};
struct grid {
  int id;
  cell cells[4];
};

/// Called as a variable of the functions, also as a template's argument.
struct types {
  char c;
  long l;
};

struct open {
  bool yes;
  std::complex<float> c;
  char32_t letter;
};

#ifdef GENERATED
#include "generated.h"

template <class S>
void attempt(const char* name, MPI_Datatype type, const unsigned char* gaps, std::size_t gap_count) {
  MPI_Aint lb = 0, extent = 0;
  MPI_Type_get_extent(type, &lb, &extent);
  unsigned char from[2 * sizeof(S)], to[2 * sizeof(S)] = {};
  for (std::size_t i = 0; i < sizeof from; ++i) from[i] = static_cast<unsigned char>(3 * i + 1);
  MPI_Sendrecv(from, 2, type, 0, 0, to, 2, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  bool fine = lb == 0 && extent == static_cast<MPI_Aint>(sizeof(S));
  for (std::size_t i = 0; i < sizeof from; ++i) {
    const bool is_gap = std::memchr(gaps, static_cast<int>(i % sizeof(S)), gap_count) != nullptr;
    fine = fine && to[i] == (is_gap ? 0 : from[i]);
  }
  std::printf("%s: %s\n", name, fine ? "fine" : "wrong");
  MPI_Type_free(&type);
}
#endif

int main(int argc, char** argv) {
  (void)argc;
  (void)argv;
#ifdef GENERATED
  MPI_Init(&argc, &argv);
  // int, 4 of padding, complex, double, bool, 7 of padding
  const unsigned char of_particle[] = {4, 5, 6, 7, 33, 34, 35, 36, 37, 38, 39};
  attempt<halo::particle>("particle", make_halo_particle(), of_particle, sizeof of_particle);
  // bool, 3 of padding, complex, char32_t
  const unsigned char of_open[] = {1, 2, 3};
  attempt<open>("open", make_open(), of_open, sizeof of_open);
  const unsigned char of_pair[] = {4, 5, 6, 7};
  attempt<halo::pair<int>>("pair", make_halo_pair_int_(), of_pair, sizeof of_pair);
  const unsigned char of_two[] = {4, 5, 6, 7};
  attempt<halo::two<int, double>>("two", make_halo_two_int_double_(), of_two, sizeof of_two);
  attempt<grid>("grid", make_grid(), of_two, 0);
  const unsigned char of_types[] = {1, 2, 3, 4, 5, 6, 7};
  attempt<types>("types", make_types(), of_types, sizeof of_types);
  attempt<halo::pair<types>>("pair of types", make_halo_pair_types_(), of_types, sizeof of_types);
  attempt<halo::tagged<int*, -1>>("tagged", make_halo_tagged_int_1_(), of_types, 0);
  MPI_Finalize();
#else
  halo::particle particle;
  halo::pair<int> pair = {1, 2};
  open opened = {};
  const halo::two<int, double> two = {1, 2};
  const grid grid = {};
  const types types_alone = {};
  const halo::pair<types> types_in_pair = {};
  const halo::tagged<int*, -1> tagged = {1, 2};
  std::printf("%ld\n", tagged.n);
  std::printf("%d %d\n", types_alone.c, types_in_pair.a.c);
  std::printf("%g %d\n", two.b, grid.cells[0].sum());
  std::printf("%g %d %lld\n", particle.mass(), opened.yes, static_cast<long long>(pair.b));
#endif
  return 0;
}
