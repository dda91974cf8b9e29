// The basic types that F90 calls stand for (MPI-4.1 19.1.9) where no library is there to ask.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "decoder/definition/definition.h"

namespace ddtscope {

/// Named as f90_name() has it, with the size of the smallest kind of gfortran on 64-bit machines that has the
/// precision and the range; empty where none has.
std::optional<PredefinedType> common_f90_type(const ConstructorCall& call);

/// Whoever knows what F90 calls stand for: common_f90_type(), or what knows of another machine.
using F90Types = std::function<std::optional<PredefinedType>(const ConstructorCall& call)>;

/// Named so, with the size and the extent that a library reports; 0 where it reports none.
PredefinedType observed_f90_type(const ConstructorCall& call, const ObservedBounds& observed);

/// The inverse of f90_name(): the call that "F90_REAL(15,307)" stands for; empty for any other text.
std::optional<ConstructorCall> f90_call_of_name(std::string_view name);

}  // namespace ddtscope
