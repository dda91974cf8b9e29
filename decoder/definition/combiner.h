// The combiners of MPI (MPI-4.1 5.1.13): one table says each one's constructor and arguments, and where
// the decoding calls put every argument. Everything that must tell combiners apart starts here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ddtscope {

/// New ones go to the end: the keys of traces are made of these numbers.
enum class Combiner : std::uint8_t {
  named,
  dup,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  structure,
  subarray,
  darray,
  f90_real,
  f90_complex,
  f90_integer,
  resized,
  value_index,
};
inline constexpr int combiner_count = 17;

/// A combiner as a number in hashes and in records: from 1 on, so that 0 is none.
constexpr std::uint8_t combiner_code(Combiner combiner) { return static_cast<std::uint8_t>(combiner) + 1; }
constexpr std::optional<Combiner> combiner_of_code(std::uint8_t code) {
  if (code < 1 || code > combiner_count) return std::nullopt;
  return static_cast<Combiner>(code - 1);
}

/// Whether the constructor was the one with int counts or the large-count one (suffix `_c`, MPI-4.0).
enum class Form : std::uint8_t { int_counts, large_counts };

/// Where the decoding calls return an argument. In the int form a count is in array_of_integers and an
/// address in array_of_addresses; in the large form both are in array_of_large_counts. An integer
/// (order, rank, a distribution) stays in array_of_integers in both.
enum class ParameterKind : std::uint8_t { count, address, integer };

/// How many values a parameter holds: one, as many as `count`, or as many as `ndims`.
enum class ParameterShape : std::uint8_t { scalar, per_count, per_dimension };

struct Parameter {
  std::string_view name;  // the standard's lower-case argument name
  ParameterKind kind;
  ParameterShape shape;

  /// How many elements the call's arrays have.
  constexpr bool is_length() const { return name == "count" || name == "ndims"; }
};

enum class DatatypeArguments : std::uint8_t { none, one, two, per_count };

struct CombinerRow {
  Combiner combiner;
  std::string_view mpi_name;     // "MPI_COMBINER_VECTOR"
  std::string_view constructor;  // current C name of the int form, "MPI_Type_vector"; empty for NAMED
  bool has_large_form;
  DatatypeArguments datatypes;
  std::span<const Parameter> parameters;  // in the order of the C argument list, datatypes left out
};

/// The row of a combiner.
const CombinerRow& row_of(Combiner combiner);

/// What stands for a basic type of Fortran (MPI-4.1 19.1.9).
constexpr bool is_f90(Combiner combiner) {
  return combiner == Combiner::f90_real || combiner == Combiner::f90_complex || combiner == Combiner::f90_integer;
}
/// The unnamed predefined datatypes (MPI-4.1 19.1.9, 6.9.4): decoded, but never committed or freed.
constexpr bool is_unnamed_predefined(Combiner combiner) {
  return is_f90(combiner) || combiner == Combiner::value_index;
}

/// The combiner of a standard name such as "MPI_COMBINER_VECTOR". The removed Fortran names
/// (..._HVECTOR_INTEGER and so on) give the combiner that they decode like (MPI-4.1 5.1.13).
std::optional<Combiner> combiner_of_name(std::string_view mpi_name);

/// "MPI_Type_vector", "MPI_Type_vector_c".
std::string constructor_name(Combiner combiner, Form form);

/// The position among the scalar parameters, or among the array parameters, of the parameter with this
/// name; -1 where the combiner has none.
int parameter_slot(Combiner combiner, std::string_view name);

}  // namespace ddtscope
