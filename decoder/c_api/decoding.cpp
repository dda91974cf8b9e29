// The decoding calls (MPI-4.1 5.1.13), and the way back from what they return.
#include <algorithm>
#include <limits>
#include <vector>

#include "decoder/c_api/context.h"
#include "decoder/definition/envelope.h"

using namespace ddtscope;
using namespace ddtscope::c_api;

namespace {

constexpr int public_combiner(Combiner combiner) { return combiner_code(combiner); }
static_assert(public_combiner(Combiner::named) == DDTSCOPE_COMBINER_NAMED);
static_assert(public_combiner(Combiner::dup) == DDTSCOPE_COMBINER_DUP);
static_assert(public_combiner(Combiner::contiguous) == DDTSCOPE_COMBINER_CONTIGUOUS);
static_assert(public_combiner(Combiner::vector) == DDTSCOPE_COMBINER_VECTOR);
static_assert(public_combiner(Combiner::hvector) == DDTSCOPE_COMBINER_HVECTOR);
static_assert(public_combiner(Combiner::indexed) == DDTSCOPE_COMBINER_INDEXED);
static_assert(public_combiner(Combiner::hindexed) == DDTSCOPE_COMBINER_HINDEXED);
static_assert(public_combiner(Combiner::indexed_block) == DDTSCOPE_COMBINER_INDEXED_BLOCK);
static_assert(public_combiner(Combiner::hindexed_block) == DDTSCOPE_COMBINER_HINDEXED_BLOCK);
static_assert(public_combiner(Combiner::structure) == DDTSCOPE_COMBINER_STRUCT);
static_assert(public_combiner(Combiner::subarray) == DDTSCOPE_COMBINER_SUBARRAY);
static_assert(public_combiner(Combiner::darray) == DDTSCOPE_COMBINER_DARRAY);
static_assert(public_combiner(Combiner::f90_real) == DDTSCOPE_COMBINER_F90_REAL);
static_assert(public_combiner(Combiner::f90_complex) == DDTSCOPE_COMBINER_F90_COMPLEX);
static_assert(public_combiner(Combiner::f90_integer) == DDTSCOPE_COMBINER_F90_INTEGER);
static_assert(public_combiner(Combiner::resized) == DDTSCOPE_COMBINER_RESIZED);
static_assert(public_combiner(Combiner::value_index) == DDTSCOPE_COMBINER_VALUE_INDEX);
static_assert(combiner_count == DDTSCOPE_COMBINER_VALUE_INDEX, "the last one");

Status decoding_status(ErrorClass error, Combiner combiner) {
  switch (error) {
    case ErrorClass::success:
      return {};
    case ErrorClass::type:
      return {error, combiner == Combiner::named ? "the type is a named predefined one, which has no contents"
                                                 : "the type was made with large counts and needs the large form"};
    default:
      return {error, "a max_ argument is smaller than the envelope's number"};
  }
}

Status envelope(ddtscope_context& context, ddtscope_datatype datatype, Getter getter, Envelope& result) {
  DefinitionId id;
  if (Status status = context.resolve(datatype, "datatype", id); status.failed()) return status;
  return decoding_status(get_envelope(context.store(), id, getter, result), context.store()[id].call.combiner);
}

/// The arrays of a decoding call and their lengths.
struct Arrays {
  std::int64_t max_integers, max_addresses, max_large_counts, max_datatypes;
  int* integers;
  std::int64_t* addresses;
  std::int64_t* large_counts;
  ddtscope_datatype* datatypes;
};

Status room(std::int64_t max, const void* array, const char* name, std::int64_t number) {
  if (max < 0) return {DDTSCOPE_ERR_ARG, std::string("max_") + name + " (" + std::to_string(max) + ") is negative"};
  if (max >= number && number > 0 && array == nullptr) {
    return {DDTSCOPE_ERR_ARG, std::string("array_of_") + name + " is NULL"};
  }
  return {};
}

Status contents(ddtscope_context& context, ddtscope_datatype datatype, Getter getter, const Arrays& out) {
  DefinitionId id;
  if (Status status = context.resolve(datatype, "datatype", id); status.failed()) return status;
  const Envelope needed = envelope_of(context.store()[id].call);
  for (const Status& status : {room(out.max_integers, out.integers, "integers", needed.num_integers),
                               room(out.max_addresses, out.addresses, "addresses", needed.num_addresses),
                               room(out.max_large_counts, out.large_counts, "large_counts", needed.num_large_counts),
                               room(out.max_datatypes, out.datatypes, "datatypes", needed.num_datatypes)}) {
    if (status.failed()) return status;
  }
  const auto length = [](std::int64_t max, std::int64_t number) {
    return static_cast<std::size_t>(std::min(max, number));
  };
  Contents result;
  result.integers.resize(length(out.max_integers, needed.num_integers));
  result.addresses.resize(length(out.max_addresses, needed.num_addresses));
  result.large_counts.resize(length(out.max_large_counts, needed.num_large_counts));
  result.datatypes.resize(length(out.max_datatypes, needed.num_datatypes));
  const ErrorClass error = get_contents(context.store(), id, getter,
                                        {result.integers, result.addresses, result.large_counts, result.datatypes});
  if (Status status = decoding_status(error, needed.combiner); status.failed()) return status;
  std::transform(result.integers.begin(), result.integers.end(), out.integers,
                 [](std::int64_t value) { return static_cast<int>(value); });
  std::copy(result.addresses.begin(), result.addresses.end(), out.addresses);
  std::copy(result.large_counts.begin(), result.large_counts.end(), out.large_counts);
  std::transform(result.datatypes.begin(), result.datatypes.end(), out.datatypes,
                 [&](DefinitionId type) { return context.handle(type); });
  return {};
}

/// "MPI_COMBINER_VECTOR"; empty for a number that is no combiner. Views of literals.
std::string_view combiner_name(int combiner) {
  switch (combiner) {
    case DDTSCOPE_COMBINER_HVECTOR_INTEGER:
      return "MPI_COMBINER_HVECTOR_INTEGER";
    case DDTSCOPE_COMBINER_HINDEXED_INTEGER:
      return "MPI_COMBINER_HINDEXED_INTEGER";
    case DDTSCOPE_COMBINER_STRUCT_INTEGER:
      return "MPI_COMBINER_STRUCT_INTEGER";
    default:
      if (combiner < 1 || combiner > combiner_count) return "";
      return row_of(static_cast<Combiner>(combiner - 1)).mpi_name;
  }
}

/// Not read yet: a number may be wrong.
template <class Value>
Status view_of(std::int64_t number, const Value* array, const char* name, IntegerArray& values) {
  if (number < 0) {
    return {DDTSCOPE_ERR_ARG, std::string("num_") + name + " (" + std::to_string(number) + ") is negative"};
  }
  if (number > 0 && array == nullptr) return {DDTSCOPE_ERR_ARG, std::string("array_of_") + name + " is NULL"};
  values = IntegerArray(std::span<const Value>(array, static_cast<std::size_t>(number)));
  return {};
}

std::vector<std::int64_t> copied(const IntegerArray& array) {
  std::vector<std::int64_t> values(array.length);
  for (std::size_t i = 0; i < array.length; ++i) values[i] = array[i];
  return values;
}

}  // namespace

const char* ddtscope_combiner_name(int combiner) { return combiner_name(combiner).data(); }

int ddtscope_type_get_envelope(ddtscope_context* context, ddtscope_datatype datatype, int* num_integers,
                               int* num_addresses, int* num_datatypes, int* combiner) {
  return call(__func__, context, [&](ddtscope_context& c) -> Status {
    if (!num_integers || !num_addresses || !num_datatypes || !combiner) {
      return {DDTSCOPE_ERR_ARG, "a pointer to a result is NULL"};
    }
    Envelope result;
    if (Status status = envelope(c, datatype, Getter::int_counts, result); status.failed()) return status;
    for (const std::int64_t number : {result.num_integers, result.num_addresses, result.num_datatypes}) {
      if (number > std::numeric_limits<int>::max()) {
        return {DDTSCOPE_ERR_VALUE_TOO_LARGE, "a number of arguments does not fit an int"};
      }
    }
    *num_integers = static_cast<int>(result.num_integers);
    *num_addresses = static_cast<int>(result.num_addresses);
    *num_datatypes = static_cast<int>(result.num_datatypes);
    *combiner = public_combiner(result.combiner);
    return {};
  });
}

int ddtscope_type_get_envelope_c(ddtscope_context* context, ddtscope_datatype datatype, int64_t* num_integers,
                                 int64_t* num_addresses, int64_t* num_large_counts, int64_t* num_datatypes,
                                 int* combiner) {
  return call(__func__, context, [&](ddtscope_context& c) -> Status {
    if (!num_integers || !num_addresses || !num_large_counts || !num_datatypes || !combiner) {
      return {DDTSCOPE_ERR_ARG, "a pointer to a result is NULL"};
    }
    Envelope result;
    if (Status status = envelope(c, datatype, Getter::large_counts, result); status.failed()) return status;
    *num_integers = result.num_integers;
    *num_addresses = result.num_addresses;
    *num_large_counts = result.num_large_counts;
    *num_datatypes = result.num_datatypes;
    *combiner = public_combiner(result.combiner);
    return {};
  });
}

int ddtscope_type_get_contents(ddtscope_context* context, ddtscope_datatype datatype, int max_integers,
                               int max_addresses, int max_datatypes, int array_of_integers[],
                               int64_t array_of_addresses[], ddtscope_datatype array_of_datatypes[]) {
  return call(__func__, context, [&](ddtscope_context& c) {
    return contents(c, datatype, Getter::int_counts,
                    {max_integers, max_addresses, 0, max_datatypes, array_of_integers, array_of_addresses, nullptr,
                     array_of_datatypes});
  });
}

int ddtscope_type_get_contents_c(ddtscope_context* context, ddtscope_datatype datatype, int64_t max_integers,
                                 int64_t max_addresses, int64_t max_large_counts, int64_t max_datatypes,
                                 int array_of_integers[], int64_t array_of_addresses[], int64_t array_of_large_counts[],
                                 ddtscope_datatype array_of_datatypes[]) {
  return call(__func__, context, [&](ddtscope_context& c) {
    return contents(c, datatype, Getter::large_counts,
                    {max_integers, max_addresses, max_large_counts, max_datatypes, array_of_integers,
                     array_of_addresses, array_of_large_counts, array_of_datatypes});
  });
}

int ddtscope_type_from_contents(ddtscope_context* context, int combiner, int64_t num_integers, int64_t num_addresses,
                                int64_t num_large_counts, int64_t num_datatypes, const int array_of_integers[],
                                const int64_t array_of_addresses[], const int64_t array_of_large_counts[],
                                const ddtscope_datatype array_of_datatypes[], ddtscope_datatype* newtype) {
  return call(__func__, context, [&](ddtscope_context& c) -> Status {
    const std::optional<Combiner> known = combiner_of_name(combiner_name(combiner));
    if (!known) return {DDTSCOPE_ERR_ARG, "combiner (" + std::to_string(combiner) + ") is none"};
    if (Status status = require(newtype, "newtype"); status.failed()) return status;
    ContentsView view;
    for (const Status& status : {view_of(num_integers, array_of_integers, "integers", view.integers),
                                 view_of(num_addresses, array_of_addresses, "addresses", view.addresses),
                                 view_of(num_large_counts, array_of_large_counts, "large_counts", view.large_counts)}) {
      if (status.failed()) return status;
    }
    if (num_datatypes < 0) return {DDTSCOPE_ERR_ARG, "num_datatypes is negative"};
    if (num_datatypes > 0 && array_of_datatypes == nullptr) return {DDTSCOPE_ERR_ARG, "array_of_datatypes is NULL"};
    view.num_datatypes = static_cast<std::size_t>(num_datatypes);
    const Form form = num_large_counts > 0 ? Form::large_counts : Form::int_counts;
    if (const auto problem = impossible_lengths(*known, form, view)) return {problem->error, problem->text};
    Contents contents = {copied(view.integers), copied(view.addresses), copied(view.large_counts), {}};
    contents.datatypes.resize(static_cast<std::size_t>(num_datatypes));
    for (std::size_t i = 0; i < contents.datatypes.size(); ++i) {
      const std::string name = "array_of_datatypes[" + std::to_string(i) + "]";
      if (Status status = c.resolve(array_of_datatypes[i], name.c_str(), contents.datatypes[i]); status.failed()) {
        return status;
      }
    }
    CallFromContents rebuilt;
    if (!rebuilt.build(*known, form, contents)) {
      return {rebuilt.error(), rebuilt.problem()};
    }
    DefinitionId id;
    if (Status status = c.intern(rebuilt.call(), id); status.failed()) return status;
    *newtype = c.handle(id);
    return {};
  });
}
