// The last step of every parser: from arguments that were read to a definition.
#pragma once

#include <variant>

#include "decoder/definition/arguments.h"
#include "decoder/definition/envelope.h"

namespace ddtscope {

/// Interns the call where its arguments are correct by the standard, or says what is wrong with them. The basic type
/// that an F90 call stands for is added with the size that gfortran gives it.
std::variant<DefinitionId, ArgumentProblem> make_call(DefinitionStore& store, Combiner combiner, Form form,
                                                      const CallArguments& arguments);

}  // namespace ddtscope
