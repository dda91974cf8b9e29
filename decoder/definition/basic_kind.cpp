#include "decoder/definition/basic_kind.h"

#include <initializer_list>

#include "decoder/definition/f90.h"

namespace ddtscope {
namespace {

bool has_any(std::string_view name, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (name.find(word) != std::string_view::npos) return true;
  }
  return false;
}

/// Of a real of 16 bytes, or a complex number of two: x87's extended format, which has 18 decimal digits, not the
/// quadruple one. On machines without x87 long double may be quadruple; that no trace tells.
bool is_extended(std::string_view name) {
  constexpr std::int64_t extended_precision = 18;
  const std::optional<ConstructorCall> f90 = f90_call_of_name(name);
  return f90 ? f90->scalars[0] <= extended_precision : has_any(name, {"LONG_DOUBLE"});
}

}  // namespace

BasicKind basic_kind(std::string_view name) {
  if (!name.starts_with("MPI_") && !name.starts_with("F90_")) return BasicKind::other;
  if (name == "MPI_BYTE") return BasicKind::byte;
  if (name == "MPI_PACKED") return BasicKind::packed;
  if (name == "MPI_WCHAR") return BasicKind::wide_character;
  if (has_any(name, {"COMPLEX"})) return BasicKind::complex;
  if (has_any(name, {"FLOAT", "DOUBLE", "REAL"})) return BasicKind::floating;
  if (has_any(name, {"BOOL", "LOGICAL"})) return BasicKind::boolean;
  if (has_any(name, {"UNSIGNED", "UINT"})) return BasicKind::unsigned_integer;
  if (has_any(name, {"INT", "LONG", "SHORT", "CHAR", "AINT", "COUNT", "OFFSET"})) return BasicKind::signed_integer;
  return BasicKind::other;
}

std::string representation_of(const PredefinedType& type) {
  const BasicKind kind = basic_kind(type.name);
  if (kind == BasicKind::other) return type.name;
  constexpr std::int64_t real_bytes = 16;
  const bool has_two_formats = (kind == BasicKind::floating && type.size == real_bytes) ||
                               (kind == BasicKind::complex && type.size == 2 * real_bytes);
  return std::to_string(static_cast<int>(kind)) + ' ' + std::to_string(type.size) +
         (has_two_formats && is_extended(type.name) ? " extended" : "");
}

}  // namespace ddtscope
