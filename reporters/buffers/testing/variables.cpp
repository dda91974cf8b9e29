// Variables as C++ has them: containers, references, members of this, smart pointers.
#include <array>
#include <complex>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "reporters/buffers/testing/observer.h"

// Memory of containers, too, is known to the observer.
void* operator new(std::size_t size) { return malloc_observed(size); }
void operator delete(void*) noexcept {}
void operator delete(void*, std::size_t) noexcept {}

namespace {

void both(const void* buffer, const char* right, const char* wrong, long elements, const char* name) {
  observe(buffer, right, elements, (std::string("+") + name).c_str());
  observe(buffer, wrong, elements, (std::string("-") + name).c_str());
}

namespace grid {
template <class Number>
struct Cell {
  Number value[3];
  int level;
};
class Field {
 public:
  explicit Field(std::size_t n) : values_(n), owned_(new float[n]) {}
  NOINLINE void send() {
    both(values_.data(), "MPI_DOUBLE", "MPI_INT", 8, "this->values_");
    both(owned_.get(), "MPI_FLOAT", "MPI_INT", 8, "this->owned_");
    both(&steps_, "MPI_LONG", "MPI_DOUBLE", 1, "field");
    USED(this);
  }

 private:
  std::vector<double> values_;
  std::unique_ptr<float[]> owned_;
  long steps_ = 0;
};
}  // namespace grid

NOINLINE void of_reference(const std::vector<int>& numbers, grid::Cell<float>& cell) {
  both(numbers.data(), "MPI_INT", "MPI_DOUBLE", 4, "numbers");
  both(cell.value, "MPI_FLOAT", "MPI_INT", 3, "cell");
  USED(&numbers);
  USED(&cell);
}

/// Whoever has called this has no name for it.
NOINLINE void of_reference_to_elsewhere(const std::vector<long>& elsewhere) {
  both(elsewhere.data(), "MPI_LONG", "MPI_DOUBLE", 4, "elsewhere");
  USED(&elsewhere);
}

std::array<double, 5> fixed{};

}  // namespace

int main(int argc, char**) {
  std::vector<int> numbers(static_cast<std::size_t>(argc) + 7);
  grid::Cell<float> cell{{1, 2, 3}, argc};
  grid::Field field(static_cast<std::size_t>(argc) + 7);
  std::complex<double> waves[4] = {};
  bool flags[4] = {};
  both(fixed.data(), "MPI_DOUBLE", "MPI_LONG", 5, "fixed");
  both(waves, "MPI_CXX_DOUBLE_COMPLEX", "MPI_LONG", 4, "waves");
  observe(waves, "MPI_DOUBLE", 8, "+waves");
  observe(flags, "MPI_CXX_BOOL", 4, "+flags");
  both(&numbers[2], "MPI_INT", "MPI_FLOAT", 2, "numbers");
  of_reference(numbers, cell);
  of_reference_to_elsewhere(*new std::vector<long>(static_cast<std::size_t>(argc) + 7));
  field.send();
  USED(numbers.data());
  USED(&cell);
  USED(&field);
  USED(waves);
  USED(flags);
  return 0;
}
