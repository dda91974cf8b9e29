// The last step of every parser: from arguments that were read to a definition.
#pragma once

#include <variant>

#include "decoder/definition/arguments.h"
#include "decoder/definition/envelope.h"
#include "decoder/definition/f90.h"

namespace ddtscope {

/// Interns the call where its arguments are correct by the standard, or says what is wrong with them. The basic type
/// that an F90 call stands for is added where it is new.
std::variant<DefinitionId, ArgumentProblem> make_call(DefinitionStore& store, Combiner combiner, Form form,
                                                      const CallArguments& arguments,
                                                      const F90Types& f90_type = common_f90_type);

}  // namespace ddtscope
