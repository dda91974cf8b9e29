// Reads constructor calls as programs have them: in C, in Fortran, and as mpi4py spells them.
//
//   type      = predefined | call {"." method "(" arguments ")"}
//   call      = constructor "(" arguments [", &newtype"] ")"         (C's and MPI-1's names, in any case)
//             | ["MPI." predefined | "MPI.Datatype"] "." method "(" arguments ")"      (mpi4py; without counts)
//   arguments = in the order of the standard's parameters, or name "=" argument
//   array     = "{" values "}" | "[" values "]" | "(/" values "/)" | "(int[])" "{" values "}"
//   value     = sums and products of numbers, or a constant such as MPI_ORDER_C
//
// Oldtypes are types: calls are nested. A `call`, a semicolon, and Fortran's ierror may stand where programs have them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "decoder/definition/definition.h"

namespace ddtscope {

struct CallTextError {
  std::size_t position = 0;  // bytes from the text's beginning
  std::string sentence;      // "blocklength (-1) is negative"; without the place
};

/// Interns the type that the text describes, and those that it is made of, with this machine's predefined types.
/// Arguments must be correct by the standard. Time and memory grow with the text's length.
std::variant<DefinitionId, CallTextError> parse_constructor_call(DefinitionStore& store, std::string_view text);

}  // namespace ddtscope
