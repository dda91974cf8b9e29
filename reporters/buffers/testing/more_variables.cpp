// Variables of C++ that lie deeper: in lambdas, containers of containers, structured bindings, base classes.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <valarray>
#include <vector>

#include "reporters/buffers/testing/observer.h"

void* operator new(std::size_t size) { return malloc_observed(size); }
void operator delete(void*) noexcept {}
void operator delete(void*, std::size_t) noexcept {}

namespace {

NOINLINE void both(const void* buffer, const char* right, const char* wrong, long elements, const char* name) {
  char marked[40];
  std::snprintf(marked, sizeof marked, "+%s", name);
  observe(buffer, right, elements, marked);
  std::snprintf(marked, sizeof marked, "-%s", name);
  observe(buffer, wrong, elements, marked);
}
/// What is not known must not be told as something else.
NOINLINE void right(const void* buffer, const char* type, long elements, const char* name) {
  char marked[40];
  std::snprintf(marked, sizeof marked, "+%s", name);
  observe(buffer, type, elements, marked);
}

struct Named {
  virtual ~Named() = default;
  long number = 3;
};
struct Halo : Named {
  double values[6] = {};
  std::array<float, 4> weights{};
};
struct Owner {
  std::vector<double> outgoing;
  std::vector<std::vector<int>> lists;
};
template <class Number>
class Buffer {
 public:
  explicit Buffer(std::size_t n) : data_(new Number[n]()) {}
  Number* begin() { return data_; }

 private:
  Number* data_;
};

NOINLINE void of_lambdas(int n) {
  double local[5] = {1.0 * n};
  std::vector<float> list(static_cast<std::size_t>(n) + 6);
  const auto by_reference = [&] { both(local, "MPI_DOUBLE", "MPI_INT", 5, "local"); };
  by_reference();
  const auto of_list = [&list] { right(list.data(), "MPI_FLOAT", 7, "list"); };
  of_list();
  std::array<int, 6> copied{n};
  const auto by_value = [copied](int m) { right(copied.data(), "MPI_INT", m, "copied"); };
  by_value(6);
  const std::function<void()> kept = [&local] { right(local, "MPI_DOUBLE", 5, "local"); };
  kept();
  USED(local);
  USED(&list);
  USED(&copied);
}

NOINLINE void of_reference(double (&array)[5], Halo& halo, const std::array<float, 4>& weights) {
  both(array, "MPI_DOUBLE", "MPI_INT", 5, "given");
  both(halo.values, "MPI_DOUBLE", "MPI_INT", 6, "halo");
  both(&halo.number, "MPI_LONG", "MPI_DOUBLE", 1, "halo");
  both(weights.data(), "MPI_FLOAT", "MPI_INT", 4, "halo");
  USED(array);
  USED(&halo);
}

NOINLINE void of_containers(std::size_t n) {
  Owner owner{std::vector<double>(n), {std::vector<int>(n), std::vector<int>(n)}};
  Buffer<double> buffer(n);
  auto shared = std::make_unique<double[]>(n);
  std::optional<std::array<double, 3>> maybe(std::array<double, 3>{1, 2, 3});
  std::tuple<int, double, float> mixed(1, 2.0, 3.0F);
  std::valarray<float> numbers(n);
  auto& by_rank = *new std::map<int, std::vector<float>>;  // never freed: operator delete does nothing
  by_rank[2].resize(n);
  std::string text(64, 'x');
  both(owner.outgoing.data(), "MPI_DOUBLE", "MPI_INT", 9, "owner.outgoing");
  both(buffer.begin(), "MPI_DOUBLE", "MPI_INT", 9, "buffer.data_");
  both(shared.get(), "MPI_DOUBLE", "MPI_INT", 9, "shared");
  both(&numbers[0], "MPI_FLOAT", "MPI_INT", 9, "numbers");
  both(&std::get<1>(mixed), "MPI_DOUBLE", "MPI_LONG", 1, "mixed");
  right(owner.lists[1].data(), "MPI_INT", 9, "lists");
  right(maybe->data(), "MPI_DOUBLE", 3, "maybe");
  right(by_rank[2].data(), "MPI_FLOAT", 9, "by_rank");
  right(text.data(), "MPI_INT", 16, "text");
  USED(&owner);
  USED(&buffer);
  USED(&shared);
  USED(&maybe);
  USED(&mixed);
  USED(&numbers);
  USED(&by_rank);
  USED(&text);
}

NOINLINE void of_bindings() {
  struct Pair {
    int counts[4];
    double values[3];
  } pair = {};
  auto& [counts, values] = pair;
  both(counts, "MPI_INT", "MPI_FLOAT", 4, "pair");
  both(values, "MPI_DOUBLE", "MPI_LONG", 3, "pair");
  USED(&pair);
}

}  // namespace

int main(int argc, char**) {
  double given[5] = {1.0 * argc};
  Halo halo;
  of_lambdas(argc);
  of_reference(given, halo, halo.weights);
  of_containers(static_cast<std::size_t>(argc) + 8);
  of_bindings();
  USED(given);
  USED(&halo);
  return 0;
}
