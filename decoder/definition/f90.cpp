// Kinds of Fortran's numeric types, smallest first.
#include "decoder/definition/f90.h"

#include <charconv>

namespace ddtscope {
namespace {

struct Kind {
  std::int64_t precision, range, size;
};
// Decimal digits, decimal exponent, bytes in memory: IEEE single, double, x87 extended, quadruple.
constexpr Kind reals[] = {{6, 37, 4}, {15, 307, 8}, {18, 4931, 16}, {33, 4931, 16}};
constexpr Kind integers[] = {{0, 2, 1}, {0, 4, 2}, {0, 9, 4}, {0, 18, 8}, {0, 38, 16}};

template <std::size_t n>
std::int64_t size_of(const Kind (&kinds)[n], std::int64_t precision, std::int64_t range) {
  for (const Kind& kind : kinds) {
    if (precision <= kind.precision && range <= kind.range) return kind.size;
  }
  return 0;
}

}  // namespace

std::optional<PredefinedType> common_f90_type(const ConstructorCall& call) {
  // MPI_UNDEFINED is below every value that is asked for.
  const bool is_integer = call.combiner == Combiner::f90_integer;
  std::int64_t size =
      is_integer ? size_of(integers, 0, call.scalars[0]) : size_of(reals, call.scalars[0], call.scalars[1]);
  if (size == 0) return std::nullopt;
  if (call.combiner == Combiner::f90_complex) size *= 2;
  PredefinedType type;
  type.name = f90_name(call);
  type.size = type.extent = size;
  type.alignment = natural_alignment(type.name, size);
  return type;
}

PredefinedType observed_f90_type(const ConstructorCall& call, const ObservedBounds& observed) {
  PredefinedType type;
  type.name = f90_name(call);
  type.size = observed.size.value_or(0);
  type.extent = observed.extent.value_or(type.size);
  type.alignment = natural_alignment(type.name, type.size);
  return type;
}

std::optional<ConstructorCall> f90_call_of_name(std::string_view name) {
  for (const Combiner combiner : {Combiner::f90_real, Combiner::f90_complex, Combiner::f90_integer}) {
    ConstructorCall call;
    call.combiner = combiner;
    std::string_view rest = name.substr(std::min(name.find('('), name.size()));
    for (std::size_t i = 0; i < row_of(combiner).parameters.size() && !rest.empty(); ++i) {
      rest.remove_prefix(1);
      const std::string_view text = rest.substr(0, rest.find_first_of(",)"));
      std::int32_t value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value);
      call.scalars[i] = text == "MPI_UNDEFINED" ? mpi_undefined : value;
      rest.remove_prefix(text.size());
    }
    if (f90_name(call) == name) return call;
  }
  return std::nullopt;
}

}  // namespace ddtscope
