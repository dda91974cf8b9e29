// The table of combiners (MPI-4.1 5.1.13).
#include "decoder/definition/combiner.h"

#include <array>

namespace ddtscope {
namespace {

using enum ParameterKind;
using enum ParameterShape;

constexpr Parameter contiguous_parameters[] = {{"count", count, scalar}};
constexpr Parameter vector_parameters[] = {
    {"count", count, scalar}, {"blocklength", count, scalar}, {"stride", count, scalar}};
constexpr Parameter hvector_parameters[] = {
    {"count", count, scalar}, {"blocklength", count, scalar}, {"stride", address, scalar}};
constexpr Parameter indexed_parameters[] = {{"count", count, scalar},
                                            {"array_of_blocklengths", count, per_count},
                                            {"array_of_displacements", count, per_count}};
constexpr Parameter hindexed_parameters[] = {{"count", count, scalar},
                                             {"array_of_blocklengths", count, per_count},
                                             {"array_of_displacements", address, per_count}};
constexpr Parameter indexed_block_parameters[] = {
    {"count", count, scalar}, {"blocklength", count, scalar}, {"array_of_displacements", count, per_count}};
constexpr Parameter hindexed_block_parameters[] = {
    {"count", count, scalar}, {"blocklength", count, scalar}, {"array_of_displacements", address, per_count}};
constexpr Parameter subarray_parameters[] = {{"ndims", integer, scalar},
                                             {"array_of_sizes", count, per_dimension},
                                             {"array_of_subsizes", count, per_dimension},
                                             {"array_of_starts", count, per_dimension},
                                             {"order", integer, scalar}};
constexpr Parameter darray_parameters[] = {{"size", integer, scalar},
                                           {"rank", integer, scalar},
                                           {"ndims", integer, scalar},
                                           {"array_of_gsizes", count, per_dimension},
                                           {"array_of_distribs", integer, per_dimension},
                                           {"array_of_dargs", integer, per_dimension},
                                           {"array_of_psizes", integer, per_dimension},
                                           {"order", integer, scalar}};
constexpr Parameter f90_parameters[] = {{"p", integer, scalar}, {"r", integer, scalar}};
constexpr Parameter f90_integer_parameters[] = {{"r", integer, scalar}};
constexpr Parameter resized_parameters[] = {{"lb", address, scalar}, {"extent", address, scalar}};

// clang-format off
constexpr std::array<CombinerRow, combiner_count> rows = {{
    {Combiner::named, "MPI_COMBINER_NAMED", "", false, DatatypeArguments::none, {}},
    {Combiner::dup, "MPI_COMBINER_DUP", "MPI_Type_dup", false, DatatypeArguments::one, {}},
    {Combiner::contiguous, "MPI_COMBINER_CONTIGUOUS", "MPI_Type_contiguous", true, DatatypeArguments::one, contiguous_parameters},
    {Combiner::vector, "MPI_COMBINER_VECTOR", "MPI_Type_vector", true, DatatypeArguments::one, vector_parameters},
    {Combiner::hvector, "MPI_COMBINER_HVECTOR", "MPI_Type_create_hvector", true, DatatypeArguments::one, hvector_parameters},
    {Combiner::indexed, "MPI_COMBINER_INDEXED", "MPI_Type_indexed", true, DatatypeArguments::one, indexed_parameters},
    {Combiner::hindexed, "MPI_COMBINER_HINDEXED", "MPI_Type_create_hindexed", true, DatatypeArguments::one, hindexed_parameters},
    {Combiner::indexed_block, "MPI_COMBINER_INDEXED_BLOCK", "MPI_Type_create_indexed_block", true, DatatypeArguments::one, indexed_block_parameters},
    {Combiner::hindexed_block, "MPI_COMBINER_HINDEXED_BLOCK", "MPI_Type_create_hindexed_block", true, DatatypeArguments::one, hindexed_block_parameters},
    {Combiner::structure, "MPI_COMBINER_STRUCT", "MPI_Type_create_struct", true, DatatypeArguments::per_count, hindexed_parameters},
    {Combiner::subarray, "MPI_COMBINER_SUBARRAY", "MPI_Type_create_subarray", true, DatatypeArguments::one, subarray_parameters},
    {Combiner::darray, "MPI_COMBINER_DARRAY", "MPI_Type_create_darray", true, DatatypeArguments::one, darray_parameters},
    {Combiner::f90_real, "MPI_COMBINER_F90_REAL", "MPI_Type_create_f90_real", false, DatatypeArguments::none, f90_parameters},
    {Combiner::f90_complex, "MPI_COMBINER_F90_COMPLEX", "MPI_Type_create_f90_complex", false, DatatypeArguments::none, f90_parameters},
    {Combiner::f90_integer, "MPI_COMBINER_F90_INTEGER", "MPI_Type_create_f90_integer", false, DatatypeArguments::none, f90_integer_parameters},
    {Combiner::resized, "MPI_COMBINER_RESIZED", "MPI_Type_create_resized", true, DatatypeArguments::one, resized_parameters},
    {Combiner::value_index, "MPI_COMBINER_VALUE_INDEX", "MPI_Type_get_value_index", false, DatatypeArguments::two, {}},
}};
// clang-format on

constexpr bool rows_stand_in_enum_order() {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<std::size_t>(rows[i].combiner) != i) return false;
  }
  return true;
}
static_assert(rows_stand_in_enum_order());

}  // namespace

const CombinerRow& row_of(Combiner combiner) { return rows[static_cast<std::size_t>(combiner)]; }

std::optional<Combiner> combiner_of_name(std::string_view mpi_name) {
  if (mpi_name == "MPI_COMBINER_HVECTOR_INTEGER") return Combiner::hvector;
  if (mpi_name == "MPI_COMBINER_HINDEXED_INTEGER") return Combiner::hindexed;
  if (mpi_name == "MPI_COMBINER_STRUCT_INTEGER") return Combiner::structure;
  for (const CombinerRow& row : rows) {
    if (row.mpi_name == mpi_name) return row.combiner;
  }
  return std::nullopt;
}

std::string constructor_name(Combiner combiner, Form form) {
  const CombinerRow& row = row_of(combiner);
  std::string name(row.constructor);
  if (form == Form::large_counts && row.has_large_form) name += "_c";
  return name;
}

int parameter_slot(Combiner combiner, std::string_view name) {
  int scalars = 0;
  int arrays = 0;
  for (const Parameter& parameter : row_of(combiner).parameters) {
    int& slot = parameter.shape == ParameterShape::scalar ? scalars : arrays;
    if (parameter.name == name) return slot;
    ++slot;
  }
  return -1;
}

}  // namespace ddtscope
