// Which of MPI's basic types a language's own types are (MPI-4.1 3.2.2).
#pragma once

#include <cstdint>
#include <string_view>

#include "reporters/source/source_type.h"

namespace ddtscope::reporters {

/// What debugging information says of a type that is built in.
struct BuiltIn {
  std::string_view name;  // "long int", "integer(kind=4)"
  std::int64_t size = 0;  // bytes
  ScalarKind kind = ScalarKind::unknown;
};

/// Whether they are part of such a name: "long" of "long int".
inline bool has_words(std::string_view name, std::string_view words) { return name.find(words) != name.npos; }

/// MPI's name for it; empty where MPI has none.
std::string_view basic_of_built_in(const BuiltIn& type, SourceLanguage language);

/// Of C's type names that have a basic type of their own: "int32_t", "MPI_Aint"; empty for others.
std::string_view basic_of_type_name(std::string_view name);

}  // namespace ddtscope::reporters
