// The C and C++ types as this compiler has them; the Fortran types as gfortran has them without options.
#include "decoder/definition/this_machine.h"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <string>

#include "decoder/definition/basic_type.h"

namespace ddtscope {
namespace {

/// As a member of a struct, which on some machines is less than alignof says.
template <class T>
constexpr SizeAndAlignment of() {
  struct Probe {
    char before;
    T member;
  };
  return {sizeof(T), offsetof(Probe, member)};
}

struct Known {
  std::string_view name;
  SizeAndAlignment value;
};

constexpr Known c_types[] = {
    {"MPI_CHAR", of<char>()},
    {"MPI_SHORT", of<short>()},
    {"MPI_INT", of<int>()},
    {"MPI_LONG", of<long>()},
    {"MPI_LONG_LONG_INT", of<long long>()},
    {"MPI_SIGNED_CHAR", of<signed char>()},
    {"MPI_UNSIGNED_CHAR", of<unsigned char>()},
    {"MPI_UNSIGNED_SHORT", of<unsigned short>()},
    {"MPI_UNSIGNED", of<unsigned>()},
    {"MPI_UNSIGNED_LONG", of<unsigned long>()},
    {"MPI_UNSIGNED_LONG_LONG", of<unsigned long long>()},
    {"MPI_FLOAT", of<float>()},
    {"MPI_DOUBLE", of<double>()},
    {"MPI_LONG_DOUBLE", of<long double>()},
    {"MPI_WCHAR", of<wchar_t>()},
    {"MPI_C_BOOL", of<bool>()},
    {"MPI_INT8_T", of<std::int8_t>()},
    {"MPI_INT16_T", of<std::int16_t>()},
    {"MPI_INT32_T", of<std::int32_t>()},
    {"MPI_INT64_T", of<std::int64_t>()},
    {"MPI_UINT8_T", of<std::uint8_t>()},
    {"MPI_UINT16_T", of<std::uint16_t>()},
    {"MPI_UINT32_T", of<std::uint32_t>()},
    {"MPI_UINT64_T", of<std::uint64_t>()},
    {"MPI_AINT", of<std::ptrdiff_t>()},
    {"MPI_COUNT", of<std::int64_t>()},
    {"MPI_OFFSET", of<std::int64_t>()},
    {"MPI_C_COMPLEX", of<std::complex<float>>()},
    {"MPI_C_DOUBLE_COMPLEX", of<std::complex<double>>()},
    {"MPI_C_LONG_DOUBLE_COMPLEX", of<std::complex<long double>>()},
    {"MPI_BYTE", {1, 1}},
    {"MPI_PACKED", {1, 1}},
    {"MPI_CXX_BOOL", of<bool>()},
    {"MPI_CXX_FLOAT_COMPLEX", of<std::complex<float>>()},
    {"MPI_CXX_DOUBLE_COMPLEX", of<std::complex<double>>()},
    {"MPI_CXX_LONG_DOUBLE_COMPLEX", of<std::complex<long double>>()},
};

struct KnownSize {
  std::string_view name;
  std::int64_t size;
};

constexpr KnownSize fortran_types[] = {
    {"MPI_INTEGER", 4},         {"MPI_REAL", 4},       {"MPI_DOUBLE_PRECISION", 8},
    {"MPI_COMPLEX", 8},         {"MPI_LOGICAL", 4},    {"MPI_CHARACTER", 1},
    {"MPI_DOUBLE_COMPLEX", 16}, {"MPI_INTEGER1", 1},   {"MPI_INTEGER2", 2},
    {"MPI_INTEGER4", 4},        {"MPI_INTEGER8", 8},   {"MPI_INTEGER16", 16},
    {"MPI_REAL2", 2},           {"MPI_REAL4", 4},      {"MPI_REAL8", 8},
    {"MPI_REAL16", 16},         {"MPI_COMPLEX4", 4},   {"MPI_COMPLEX8", 8},
    {"MPI_COMPLEX16", 16},      {"MPI_COMPLEX32", 32}, {"MPI_LOGICAL1", 1},
    {"MPI_LOGICAL2", 2},        {"MPI_LOGICAL4", 4},   {"MPI_LOGICAL8", 8},
    {"MPI_LOGICAL16", 16},
};

std::int64_t rounded_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

PredefinedType pair_of(const PredefinedName& name, const PredefinedType& first, const PredefinedType& second) {
  PredefinedType type;
  type.kind = PredefinedKind::pair;
  type.name = name.canonical;
  type.first = name.first;
  type.second = name.second;
  type.size = first.size + second.size;
  type.alignment = std::max(first.alignment, second.alignment);
  type.second_displacement = rounded_up(first.size, second.alignment);
  type.extent = rounded_up(type.second_displacement + second.size, type.alignment);
  return type;
}

}  // namespace

std::optional<SizeAndAlignment> on_this_machine(std::string_view canonical_name) {
  for (const Known& known : c_types) {
    if (known.name == canonical_name) return known.value;
  }
  for (const KnownSize& known : fortran_types) {
    if (known.name == canonical_name) return SizeAndAlignment{known.size, natural_alignment(known.name, known.size)};
  }
  return std::nullopt;
}

std::optional<DefinitionId> add_predefined_type(DefinitionStore& store, std::string_view name,
                                                const SizesOfBasicTypes& sizes) {
  if (const std::optional<DefinitionId> known = store.find_predefined(name)) return known;
  const PredefinedName* row = find_predefined_name(name);
  PredefinedType type;
  type.name = row != nullptr ? row->canonical : name;
  if (const std::optional<SizeAndAlignment> size = sizes(type.name)) {
    type.size = type.extent = size->size;
    type.alignment = size->alignment;
    return store.add_predefined(type);
  }
  if (row == nullptr) return std::nullopt;
  if (row->kind == PredefinedKind::pair) {
    const auto part = [&](std::string_view of_part) {
      return store.predefined()[store[*add_predefined_type(store, of_part, sizes)].predefined];
    };
    const PredefinedType first = part(row->first);
    return store.add_predefined(pair_of(*row, first, part(row->second)));
  }
  type.kind = row->kind;  // a marker
  return store.add_predefined(type);
}

}  // namespace ddtscope
