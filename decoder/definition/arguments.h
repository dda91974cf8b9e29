// What MPI asks of a constructor's arguments (MPI-4.1 5.1.2 to 5.1.4 and 5.1.7, 19.1.9).
#pragma once

#include <optional>
#include <string>

#include "decoder/definition/definition.h"
#include "decoder/definition/error_class.h"

namespace ddtscope {

struct ArgumentProblem {
  ErrorClass error;
  std::string text;  // "blocklength is negative (-3)"
};

/// The first argument that no library takes, and that cannot be laid out. What a job has made, or a trace
/// holds, is measured by this.
std::optional<ArgumentProblem> impossible_argument(const ConstructorCall& call);
/// What no library takes among one parameter's values, as long as there is no call yet.
std::optional<ArgumentProblem> impossible_values(const Parameter& parameter, Form form, const IntegerArray& values);

/// The first argument that is erroneous by the standard, though a library may let it pass: also arrays that
/// do not fit each other, such as a grid of processes that is not the group's size. The constants are the
/// store's; datatypes must be its definitions.
std::optional<ArgumentProblem> erroneous_argument(const DefinitionStore& store, const ConstructorCall& call);

}  // namespace ddtscope
