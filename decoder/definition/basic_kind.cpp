#include "decoder/definition/basic_kind.h"

#include <initializer_list>

namespace ddtscope {
namespace {

bool has_any(std::string_view name, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (name.find(word) != std::string_view::npos) return true;
  }
  return false;
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

}  // namespace ddtscope
