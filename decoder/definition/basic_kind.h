// What a basic type holds, whatever its name and language: MPI_LONG and MPI_INT64_T are alike where both have 8 bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "decoder/definition/basic_type.h"

namespace ddtscope {

enum class BasicKind : std::uint8_t {
  signed_integer,  // MPI_CHAR and MPI_CHARACTER, too
  unsigned_integer,
  floating,
  complex,
  boolean,
  wide_character,
  byte,    // MPI_BYTE
  packed,  // MPI_PACKED
  other,   // of no standard
};

/// By its name in MPI-4.1's Annex A, or as "F90_REAL(15,307)".
BasicKind basic_kind(std::string_view name);

/// The same text for two basic types exactly where the same bytes mean the same as either: kind and size agree, and of
/// reals of 16 bytes the format. What is of no standard means the same only under its own name.
std::string representation_of(const PredefinedType& type);

}  // namespace ddtscope
