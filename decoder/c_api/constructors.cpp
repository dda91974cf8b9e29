// The constructors (MPI-4.1 5.1.2 to 5.1.4, 5.1.7, 5.1.10, 6.9.4, 19.1.9): arguments only change their form here.
#include "decoder/c_api/context.h"

using namespace ddtscope;
using namespace ddtscope::c_api;

namespace {

constexpr Form large = Form::large_counts;
constexpr Form small = Form::int_counts;

/// An argument array; how long it is, another argument says.
template <class Integer>
IntegerArray values(const Integer* data) {
  static_assert(sizeof(Integer) == 4 || sizeof(Integer) == 8);
  IntegerArray array;
  array.data = data;
  array.width = sizeof(Integer);
  return array;
}

int construct(const char* function, ddtscope_context* context, const Construction& construction) {
  return call(function, context, [&](ddtscope_context& c) { return c.construct(construction); });
}

}  // namespace

int ddtscope_type_dup(ddtscope_context* context, ddtscope_datatype oldtype, ddtscope_datatype* newtype) {
  return construct(__func__, context, {Combiner::dup, small, {}, {}, &oldtype, newtype});
}

int ddtscope_type_contiguous(ddtscope_context* context, int count, ddtscope_datatype oldtype,
                             ddtscope_datatype* newtype) {
  return construct(__func__, context, {Combiner::contiguous, small, {count}, {}, &oldtype, newtype});
}

int ddtscope_type_contiguous_c(ddtscope_context* context, int64_t count, ddtscope_datatype oldtype,
                               ddtscope_datatype* newtype) {
  return construct(__func__, context, {Combiner::contiguous, large, {count}, {}, &oldtype, newtype});
}

int ddtscope_type_vector(ddtscope_context* context, int count, int blocklength, int stride, ddtscope_datatype oldtype,
                         ddtscope_datatype* newtype) {
  return construct(__func__, context, {Combiner::vector, small, {count, blocklength, stride}, {}, &oldtype, newtype});
}

int ddtscope_type_vector_c(ddtscope_context* context, int64_t count, int64_t blocklength, int64_t stride,
                           ddtscope_datatype oldtype, ddtscope_datatype* newtype) {
  return construct(__func__, context, {Combiner::vector, large, {count, blocklength, stride}, {}, &oldtype, newtype});
}

int ddtscope_type_create_hvector(ddtscope_context* context, int count, int blocklength, int64_t stride,
                                 ddtscope_datatype oldtype, ddtscope_datatype* newtype) {
  return construct(__func__, context, {Combiner::hvector, small, {count, blocklength, stride}, {}, &oldtype, newtype});
}

int ddtscope_type_create_hvector_c(ddtscope_context* context, int64_t count, int64_t blocklength, int64_t stride,
                                   ddtscope_datatype oldtype, ddtscope_datatype* newtype) {
  return construct(__func__, context, {Combiner::hvector, large, {count, blocklength, stride}, {}, &oldtype, newtype});
}

int ddtscope_type_indexed(ddtscope_context* context, int count, const int array_of_blocklengths[],
                          const int array_of_displacements[], ddtscope_datatype oldtype, ddtscope_datatype* newtype) {
  return construct(__func__, context,
                   {Combiner::indexed,
                    small,
                    {count},
                    {values(array_of_blocklengths), values(array_of_displacements)},
                    &oldtype,
                    newtype});
}

int ddtscope_type_indexed_c(ddtscope_context* context, int64_t count, const int64_t array_of_blocklengths[],
                            const int64_t array_of_displacements[], ddtscope_datatype oldtype,
                            ddtscope_datatype* newtype) {
  return construct(__func__, context,
                   {Combiner::indexed,
                    large,
                    {count},
                    {values(array_of_blocklengths), values(array_of_displacements)},
                    &oldtype,
                    newtype});
}

int ddtscope_type_create_hindexed(ddtscope_context* context, int count, const int array_of_blocklengths[],
                                  const int64_t array_of_displacements[], ddtscope_datatype oldtype,
                                  ddtscope_datatype* newtype) {
  return construct(__func__, context,
                   {Combiner::hindexed,
                    small,
                    {count},
                    {values(array_of_blocklengths), values(array_of_displacements)},
                    &oldtype,
                    newtype});
}

int ddtscope_type_create_hindexed_c(ddtscope_context* context, int64_t count, const int64_t array_of_blocklengths[],
                                    const int64_t array_of_displacements[], ddtscope_datatype oldtype,
                                    ddtscope_datatype* newtype) {
  return construct(__func__, context,
                   {Combiner::hindexed,
                    large,
                    {count},
                    {values(array_of_blocklengths), values(array_of_displacements)},
                    &oldtype,
                    newtype});
}

int ddtscope_type_create_indexed_block(ddtscope_context* context, int count, int blocklength,
                                       const int array_of_displacements[], ddtscope_datatype oldtype,
                                       ddtscope_datatype* newtype) {
  return construct(
      __func__, context,
      {Combiner::indexed_block, small, {count, blocklength}, {values(array_of_displacements)}, &oldtype, newtype});
}

int ddtscope_type_create_indexed_block_c(ddtscope_context* context, int64_t count, int64_t blocklength,
                                         const int64_t array_of_displacements[], ddtscope_datatype oldtype,
                                         ddtscope_datatype* newtype) {
  return construct(
      __func__, context,
      {Combiner::indexed_block, large, {count, blocklength}, {values(array_of_displacements)}, &oldtype, newtype});
}

int ddtscope_type_create_hindexed_block(ddtscope_context* context, int count, int blocklength,
                                        const int64_t array_of_displacements[], ddtscope_datatype oldtype,
                                        ddtscope_datatype* newtype) {
  return construct(
      __func__, context,
      {Combiner::hindexed_block, small, {count, blocklength}, {values(array_of_displacements)}, &oldtype, newtype});
}

int ddtscope_type_create_hindexed_block_c(ddtscope_context* context, int64_t count, int64_t blocklength,
                                          const int64_t array_of_displacements[], ddtscope_datatype oldtype,
                                          ddtscope_datatype* newtype) {
  return construct(
      __func__, context,
      {Combiner::hindexed_block, large, {count, blocklength}, {values(array_of_displacements)}, &oldtype, newtype});
}

int ddtscope_type_create_struct(ddtscope_context* context, int count, const int array_of_blocklengths[],
                                const int64_t array_of_displacements[], const ddtscope_datatype array_of_types[],
                                ddtscope_datatype* newtype) {
  return construct(__func__, context,
                   {Combiner::structure,
                    small,
                    {count},
                    {values(array_of_blocklengths), values(array_of_displacements)},
                    array_of_types,
                    newtype});
}

int ddtscope_type_create_struct_c(ddtscope_context* context, int64_t count, const int64_t array_of_blocklengths[],
                                  const int64_t array_of_displacements[], const ddtscope_datatype array_of_types[],
                                  ddtscope_datatype* newtype) {
  return construct(__func__, context,
                   {Combiner::structure,
                    large,
                    {count},
                    {values(array_of_blocklengths), values(array_of_displacements)},
                    array_of_types,
                    newtype});
}

int ddtscope_type_create_subarray(ddtscope_context* context, int ndims, const int array_of_sizes[],
                                  const int array_of_subsizes[], const int array_of_starts[], int order,
                                  ddtscope_datatype oldtype, ddtscope_datatype* newtype) {
  return construct(__func__, context,
                   {Combiner::subarray,
                    small,
                    {ndims, order},
                    {values(array_of_sizes), values(array_of_subsizes), values(array_of_starts)},
                    &oldtype,
                    newtype});
}

int ddtscope_type_create_subarray_c(ddtscope_context* context, int ndims, const int64_t array_of_sizes[],
                                    const int64_t array_of_subsizes[], const int64_t array_of_starts[], int order,
                                    ddtscope_datatype oldtype, ddtscope_datatype* newtype) {
  return construct(__func__, context,
                   {Combiner::subarray,
                    large,
                    {ndims, order},
                    {values(array_of_sizes), values(array_of_subsizes), values(array_of_starts)},
                    &oldtype,
                    newtype});
}

int ddtscope_type_create_darray(ddtscope_context* context, int size, int rank, int ndims, const int array_of_gsizes[],
                                const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[],
                                int order, ddtscope_datatype oldtype, ddtscope_datatype* newtype) {
  return construct(
      __func__, context,
      {Combiner::darray,
       small,
       {size, rank, ndims, order},
       {values(array_of_gsizes), values(array_of_distribs), values(array_of_dargs), values(array_of_psizes)},
       &oldtype,
       newtype});
}

int ddtscope_type_create_darray_c(ddtscope_context* context, int size, int rank, int ndims,
                                  const int64_t array_of_gsizes[], const int array_of_distribs[],
                                  const int array_of_dargs[], const int array_of_psizes[], int order,
                                  ddtscope_datatype oldtype, ddtscope_datatype* newtype) {
  return construct(
      __func__, context,
      {Combiner::darray,
       large,
       {size, rank, ndims, order},
       {values(array_of_gsizes), values(array_of_distribs), values(array_of_dargs), values(array_of_psizes)},
       &oldtype,
       newtype});
}

int ddtscope_type_create_resized(ddtscope_context* context, ddtscope_datatype oldtype, int64_t lb, int64_t extent,
                                 ddtscope_datatype* newtype) {
  return construct(__func__, context, {Combiner::resized, small, {lb, extent}, {}, &oldtype, newtype});
}

int ddtscope_type_create_resized_c(ddtscope_context* context, ddtscope_datatype oldtype, int64_t lb, int64_t extent,
                                   ddtscope_datatype* newtype) {
  return construct(__func__, context, {Combiner::resized, large, {lb, extent}, {}, &oldtype, newtype});
}

int ddtscope_type_create_f90_real(ddtscope_context* context, int p, int r, ddtscope_datatype* newtype) {
  return construct(__func__, context, {Combiner::f90_real, small, {p, r}, {}, nullptr, newtype});
}

int ddtscope_type_create_f90_complex(ddtscope_context* context, int p, int r, ddtscope_datatype* newtype) {
  return construct(__func__, context, {Combiner::f90_complex, small, {p, r}, {}, nullptr, newtype});
}

int ddtscope_type_create_f90_integer(ddtscope_context* context, int r, ddtscope_datatype* newtype) {
  return construct(__func__, context, {Combiner::f90_integer, small, {r}, {}, nullptr, newtype});
}
