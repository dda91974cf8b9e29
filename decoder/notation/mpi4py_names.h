// What mpi4py calls MPI's constructors, constants and predefined datatypes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "decoder/definition/combiner.h"

namespace ddtscope {

/// "Create_vector", "Dup": a method of the oldtype, or of MPI.Datatype where there is none or there are several.
/// Empty for NAMED.
std::string mpi4py_method(Combiner combiner);
std::optional<Combiner> combiner_of_mpi4py_method(std::string_view method);

/// The standard's name of what mpi4py calls MPI.<name>, which may be no name at all: "MPI_" and the name but for a few.
std::string standard_name_of_mpi4py(std::string_view name);
/// Whether mpi4py has another name than the standard for a parameter, and it is this one: "blocklengths" for
/// "array_of_blocklengths".
bool is_mpi4py_parameter(std::string_view name, std::string_view standard_name);
/// "TWOINT" for MPI_2INT; empty where mpi4py has no name for a predefined datatype.
std::optional<std::string> mpi4py_type(std::string_view canonical_name);

}  // namespace ddtscope
