// Each parameter by itself, then what parameters owe each other.
#include "decoder/definition/arguments.h"

#include <limits>
#include <utility>

#include "decoder/base/exact.h"
#include "decoder/definition/named_values.h"

namespace ddtscope {
namespace {

using Problem = std::optional<ArgumentProblem>;

ArgumentProblem wrong(std::string text) { return {ErrorClass::argument, std::move(text)}; }

ErrorClass class_of(const Parameter& parameter) {
  if (parameter.name == "count") return ErrorClass::count;
  if (parameter.name == "ndims") return ErrorClass::dims;
  if (parameter.name == "rank") return ErrorClass::rank;
  return ErrorClass::argument;
}

/// The least value of a parameter, whatever the others are.
struct Least {
  std::int64_t accepted;  // by any library
  std::int64_t standard;
};

Least least_of(const Parameter& parameter) {
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::min();
  const auto is = [&](std::string_view name) { return parameter.name == name; };
  if (parameter.kind == ParameterKind::address || is("stride") || is("array_of_displacements")) return {any, any};
  if (is("order") || is("array_of_distribs") || is("array_of_dargs") || is("p") || is("r")) return {any, any};
  if (is("size") || is("array_of_psizes")) return {1, 1};
  if (is("ndims") || is("array_of_sizes") || is("array_of_subsizes") || is("array_of_gsizes")) return {0, 1};
  return {0, 0};
}

/// "stride (5)", "array_of_blocklengths[3] (-1)".
std::string text_of(const Parameter& parameter, std::size_t i, std::int64_t value) {
  std::string text(parameter.name);
  if (parameter.shape != ParameterShape::scalar) text += "[" + std::to_string(i) + "]";
  return text + " (" + std::to_string(value) + ")";
}

Problem too_small(const Parameter& parameter, const IntegerArray& values, std::int64_t least) {
  for (std::size_t i = 0; i < values.length; ++i) {
    const std::int64_t value = values[i];
    if (value < least) {
      return ArgumentProblem{class_of(parameter),
                             text_of(parameter, i, value) + (least > 0 ? " is not positive" : " is negative")};
    }
  }
  return std::nullopt;
}

Problem too_large_for_int(const Parameter& parameter, const IntegerArray& values) {
  for (std::size_t i = 0; i < values.length; ++i) {
    const std::int64_t value = values[i];
    if (value != static_cast<std::int32_t>(value)) {
      return ArgumentProblem{class_of(parameter), text_of(parameter, i, value) + " does not fit an int"};
    }
  }
  return std::nullopt;
}

/// A state that is none of its constants.
Problem no_constant(const Parameter& parameter, const IntegerArray& values, const LibraryConstants& constants) {
  const NamedValues names = named_values(parameter, constants);
  for (std::size_t i = 0; i < values.length; ++i) {
    if (names.find(values[i]) != nullptr) continue;
    std::string text = text_of(parameter, i, values[i]) + " is none of";
    for (const NamedValue& name : names) {
      text += &name == names.begin() ? " " : ", ";
      text += name.mpi_name;
    }
    return wrong(std::move(text));
  }
  return std::nullopt;
}

/// Calls check(parameter, values) for every parameter until one returns a problem; a scalar is an array of one.
template <class Check>
Problem first_problem(const ConstructorCall& call, Check check) {
  std::size_t scalars = 0;
  std::size_t arrays = 0;
  for (const Parameter& parameter : row_of(call.combiner).parameters) {
    const IntegerArray values = parameter.shape == ParameterShape::scalar
                                    ? IntegerArray(std::span(&call.scalars[scalars++], 1))
                                    : call.arrays[arrays++];
    if (Problem problem = check(parameter, values)) return problem;
  }
  return std::nullopt;
}

/// An element of an array in a sentence about several: "array_of_starts[1] (7)".
std::string element(const ConstructorCall& call, std::string_view array, std::size_t i) {
  return std::string(array) + "[" + std::to_string(i) + "] (" + std::to_string(call.array(array)[i]) + ")";
}

// MPI-4.1 5.1.3.
Problem subarray_problem(const ConstructorCall& call) {
  const IntegerArray& sizes = call.arrays[0];
  const IntegerArray& subsizes = call.arrays[1];
  const IntegerArray& starts = call.arrays[2];
  for (std::size_t i = 0; i < sizes.length; ++i) {
    if (subsizes[i] > sizes[i]) {
      return wrong(element(call, "array_of_subsizes", i) + " is more than " + element(call, "array_of_sizes", i));
    }
    if (starts[i] > sizes[i] - subsizes[i]) {
      return wrong(element(call, "array_of_starts", i) + " and " + element(call, "array_of_subsizes", i) +
                   " go beyond " + element(call, "array_of_sizes", i));
    }
  }
  return std::nullopt;
}

// MPI-4.1 5.1.4.
Problem darray_problem(const ConstructorCall& call, const LibraryConstants& constants) {
  const IntegerArray& gsizes = call.arrays[0];
  const IntegerArray& distribs = call.arrays[1];
  const IntegerArray& dargs = call.arrays[2];
  const IntegerArray& psizes = call.arrays[3];
  Exact processes = 1;
  for (std::size_t i = 0; i < gsizes.length; ++i) {
    processes = processes * Exact(psizes[i]);
    // Its argument is ignored. Its number of processes "should be set to 1", but what another one means is defined, and
    // both libraries take it.
    if (distribs[i] == constants.distribute_none) continue;
    if (dargs[i] == constants.distribute_dflt_darg) continue;
    if (dargs[i] <= 0) return wrong(element(call, "array_of_dargs", i) + " is not positive");
    if (distribs[i] == constants.distribute_block && Exact(dargs[i]) * Exact(psizes[i]) < Exact(gsizes[i])) {
      return wrong(element(call, "array_of_dargs", i) + " times " + element(call, "array_of_psizes", i) +
                   " is less than " + element(call, "array_of_gsizes", i));
    }
  }
  if (processes == Exact(call.scalars[0])) return std::nullopt;
  return wrong("the product of array_of_psizes (" + processes.to_string() + ") is not size (" +
               std::to_string(call.scalars[0]) + ")");
}

// MPI-4.1 19.1.9: p or r may be left out, not both.
Problem f90_problem(const ConstructorCall& call) {
  bool any_given = false;
  for (std::size_t i = 0; i < row_of(call.combiner).parameters.size(); ++i) {
    any_given |= call.scalars[i] != mpi_undefined;
  }
  if (!any_given) return wrong("neither a precision nor a range is given");
  return first_problem(call, [](const Parameter& parameter, const IntegerArray& values) {
    return values[0] == mpi_undefined ? std::nullopt : too_small(parameter, values, 0);
  });
}

// MPI-4.1 6.9.4: both are predefined, neither a pair.
Problem value_index_problem(const DefinitionStore& store, const ConstructorCall& call) {
  for (const DefinitionId id : call.datatypes) {
    const Definition& type = store[id];
    if (is_f90(type.call.combiner)) continue;
    if (type.call.combiner != Combiner::named || store.predefined()[type.predefined].kind != PredefinedKind::basic) {
      return ArgumentProblem{ErrorClass::type, "a value or index type is not a basic datatype"};
    }
  }
  return std::nullopt;
}

/// What the standard demands of several arguments together.
Problem joint_problem(const DefinitionStore& store, const ConstructorCall& call) {
  switch (call.combiner) {
    case Combiner::subarray:
      return subarray_problem(call);
    case Combiner::darray:
      return darray_problem(call, store.constants());
    case Combiner::f90_real:
    case Combiner::f90_complex:
    case Combiner::f90_integer:
      return f90_problem(call);
    case Combiner::value_index:
      return value_index_problem(store, call);
    case Combiner::named:
    case Combiner::dup:
    case Combiner::contiguous:
    case Combiner::vector:
    case Combiner::hvector:
    case Combiner::indexed:
    case Combiner::hindexed:
    case Combiner::indexed_block:
    case Combiner::hindexed_block:
    case Combiner::structure:
    case Combiner::resized:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ArgumentProblem> impossible_values(const Parameter& parameter, Form form, const IntegerArray& values) {
  const bool is_int =
      parameter.kind == ParameterKind::integer || (parameter.kind == ParameterKind::count && form == Form::int_counts);
  if (Problem problem = is_int && values.width > 4 ? too_large_for_int(parameter, values) : std::nullopt) {
    return problem;
  }
  return too_small(parameter, values, least_of(parameter).accepted);
}

std::optional<ArgumentProblem> impossible_argument(const ConstructorCall& call) {
  Problem problem = first_problem(call, [&](const Parameter& parameter, const IntegerArray& values) {
    return impossible_values(parameter, call.form, values);
  });
  if (!problem && call.combiner == Combiner::darray && call.scalars[1] >= call.scalars[0]) {
    problem = {ErrorClass::rank, "rank (" + std::to_string(call.scalars[1]) + ") is not below size (" +
                                     std::to_string(call.scalars[0]) + ")"};
  }
  return problem;
}

std::optional<ArgumentProblem> erroneous_argument(const DefinitionStore& store, const ConstructorCall& call) {
  if (Problem problem = impossible_argument(call)) return problem;
  Problem problem = first_problem(call, [&](const Parameter& parameter, const IntegerArray& values) {
    const bool is_state = parameter.name == "order" || parameter.name == "array_of_distribs";
    return is_state ? no_constant(parameter, values, store.constants())
                    : too_small(parameter, values, least_of(parameter).standard);
  });
  if (problem) return problem;
  for (std::size_t i = 0; i < call.datatypes.size(); ++i) {
    if (!call.datatypes[i].valid() || call.datatypes[i].value >= store.size()) {
      return ArgumentProblem{ErrorClass::type, "datatype " + std::to_string(i) + " is none"};
    }
  }
  return joint_problem(store, call);
}

}  // namespace ddtscope
