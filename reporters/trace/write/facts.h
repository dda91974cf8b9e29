// What is worked out of a definition for those who read the trace without the decoder, as members of a line
// (FORMAT.md, Derived facts). Never while the program makes types: it takes longer than all that a new definition
// costs.
#pragma once

#include <cstddef>

#include "decoder/layout/layout.h"
#include "reporters/trace/write/json_line.h"

namespace ddtscope::trace {

inline constexpr std::size_t signature_limit = 64;
inline constexpr std::size_t typemap_limit = 64;

/// Appends the members, "alignment" to "diagnosis", to the object that is open. `id` is a derived datatype.
void append_facts(JsonLine& line, const Layouts& layouts, DefinitionId id);

}  // namespace ddtscope::trace
