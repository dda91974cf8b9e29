// Constructor calls with arguments from the input: mostly right, so that types get deep, and wrong in every way.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "decoder/definition/combiner.h"
#include "decoder/fuzz/session.h"

namespace ddtscope::fuzz {
namespace {

/// How many elements an array has, and what the call says: the same, or what may not be looked at.
struct Length {
  std::int64_t count = 0;
  std::size_t elements = 0;
  bool is_null = false;
};

constexpr std::size_t few_dimensions = 4;

Length length(Input& input, std::size_t most) {
  Length result;
  result.elements = input.choice(most);
  // Lists that are long enough for prefix sums, for batches, and for more than one look.
  if (most > few_dimensions && input.one_in(8)) result.elements = input.byte();
  result.count = static_cast<std::int64_t>(result.elements);
  if (!input.one_in(24)) return result;
  result.count = input.number();
  // What is not there must not be announced, as an int neither.
  const auto there = static_cast<std::int64_t>(result.elements);
  result.is_null = result.count > there || static_cast<int>(result.count) > there;
  return result;
}

/// Exactly as long as announced, so that the sanitizer sees a step beyond.
template <class Value>
class Array {
 public:
  template <class Next>
  Array(Session& session, const Length& length, Next next) : is_null_(length.is_null) {
    values_.reserve(length.elements);
    for (std::size_t i = 0; i < length.elements; ++i) values_.push_back(static_cast<Value>(next()));
    is_null_ = is_null_ || session.input.one_in(64);
  }
  Value& operator[](std::size_t i) { return values_[i]; }
  const Value* data() const { return is_null_ ? nullptr : values_.data(); }

 private:
  std::vector<Value> values_;
  bool is_null_;
};

/// Any numbers, or evenly spaced ones, all of them or but for one in so many.
template <class Value>
Array<Value> displacements(Session& s, const Length& length) {
  const std::size_t kind = s.input.choice(4);
  if (kind == 0) return Array<Value>(s, length, [&] { return s.input.number(); });
  auto at = static_cast<std::uint64_t>(s.input.number());
  const auto step = static_cast<std::uint64_t>(kind == 1 ? s.input.number() : 8);
  const std::size_t period = kind == 3 ? 2 + s.input.choice(30) : SIZE_MAX;
  const auto shift = static_cast<std::uint64_t>(kind == 3 ? s.input.number() : 0);
  std::size_t i = 0;
  return Array<Value>(s, length, [&] {
    at += step;
    return static_cast<std::int64_t>(++i % period == 0 ? at + shift : at);
  });
}

template <class Value>
Array<Value> blocklengths(Session& s, const Length& length) {
  if (s.input.one_in(2)) return Array<Value>(s, length, [&] { return s.input.count(); });
  const std::int64_t each = s.input.count();
  return Array<Value>(s, length, [&] { return each; });
}

Array<ddtscope_datatype> oldtypes(Session& s, const Length& length) {
  return Array<ddtscope_datatype>(s, length, [&] { return s.any_type(); });
}

/// Called with a std::int64_t or an int: the two forms of a constructor.
template <class Call>
int in_either_form(Session& s, Call call) {
  return s.input.one_in(2) ? call(std::int64_t{}) : call(int{});
}

int dup(Session& s, ddtscope_datatype* newtype) { return ddtscope_type_dup(s.context, s.any_type(), newtype); }

int contiguous(Session& s, ddtscope_datatype* newtype) {
  const std::int64_t count = s.input.count();
  const ddtscope_datatype oldtype = s.any_type();
  return s.input.one_in(2) ? ddtscope_type_contiguous_c(s.context, count, oldtype, newtype)
                           : ddtscope_type_contiguous(s.context, static_cast<int>(count), oldtype, newtype);
}

int vector(Session& s, ddtscope_datatype* newtype) {
  const std::int64_t count = s.input.count();
  const std::int64_t blocklength = s.input.count();
  const std::int64_t stride = s.input.number();
  const ddtscope_datatype oldtype = s.any_type();
  switch (s.input.choice(4)) {
    case 0:
      return ddtscope_type_vector(s.context, static_cast<int>(count), static_cast<int>(blocklength),
                                  static_cast<int>(stride), oldtype, newtype);
    case 1:
      return ddtscope_type_vector_c(s.context, count, blocklength, stride, oldtype, newtype);
    case 2:
      return ddtscope_type_create_hvector(s.context, static_cast<int>(count), static_cast<int>(blocklength), stride,
                                          oldtype, newtype);
    default:
      return ddtscope_type_create_hvector_c(s.context, count, blocklength, stride, oldtype, newtype);
  }
}

int indexed(Session& s, ddtscope_datatype* newtype) {
  const Length n = length(s.input, 8);
  const ddtscope_datatype oldtype = s.any_type();
  const int count = static_cast<int>(n.count);
  switch (s.input.choice(4)) {
    case 0:
      return ddtscope_type_indexed(s.context, count, blocklengths<int>(s, n).data(), displacements<int>(s, n).data(),
                                   oldtype, newtype);
    case 1:
      return ddtscope_type_indexed_c(s.context, n.count, blocklengths<std::int64_t>(s, n).data(),
                                     displacements<std::int64_t>(s, n).data(), oldtype, newtype);
    case 2:
      return ddtscope_type_create_hindexed(s.context, count, blocklengths<int>(s, n).data(),
                                           displacements<std::int64_t>(s, n).data(), oldtype, newtype);
    default:
      return ddtscope_type_create_hindexed_c(s.context, n.count, blocklengths<std::int64_t>(s, n).data(),
                                             displacements<std::int64_t>(s, n).data(), oldtype, newtype);
  }
}

int indexed_block(Session& s, ddtscope_datatype* newtype) {
  const Length n = length(s.input, 8);
  const std::int64_t blocklength = s.input.count();
  const ddtscope_datatype oldtype = s.any_type();
  const int count = static_cast<int>(n.count);
  switch (s.input.choice(4)) {
    case 0:
      return ddtscope_type_create_indexed_block(s.context, count, static_cast<int>(blocklength),
                                                displacements<int>(s, n).data(), oldtype, newtype);
    case 1:
      return ddtscope_type_create_indexed_block_c(s.context, n.count, blocklength,
                                                  displacements<std::int64_t>(s, n).data(), oldtype, newtype);
    case 2:
      return ddtscope_type_create_hindexed_block(s.context, count, static_cast<int>(blocklength),
                                                 displacements<std::int64_t>(s, n).data(), oldtype, newtype);
    default:
      return ddtscope_type_create_hindexed_block_c(s.context, n.count, blocklength,
                                                   displacements<std::int64_t>(s, n).data(), oldtype, newtype);
  }
}

int structure(Session& s, ddtscope_datatype* newtype) {
  const Length n = length(s.input, 6);
  if (s.input.one_in(2)) {
    return ddtscope_type_create_struct(s.context, static_cast<int>(n.count), blocklengths<int>(s, n).data(),
                                       displacements<std::int64_t>(s, n).data(), oldtypes(s, n).data(), newtype);
  }
  return ddtscope_type_create_struct_c(s.context, n.count, blocklengths<std::int64_t>(s, n).data(),
                                       displacements<std::int64_t>(s, n).data(), oldtypes(s, n).data(), newtype);
}

int order(Input& input) {
  return input.one_in(24) ? input.int_number() : input.one_in(2) ? DDTSCOPE_ORDER_C : DDTSCOPE_ORDER_FORTRAN;
}

/// A number in [0, limit], or now and then another one.
std::int64_t at_most(Input& input, std::int64_t limit) {
  const std::int64_t value = input.number();
  if (input.one_in(24) || limit < 0 || (value >= 0 && value <= limit)) return value;
  return (value & INT64_MAX) % (limit == INT64_MAX ? limit : limit + 1);
}

int subarray(Session& s, ddtscope_datatype* newtype) {
  const Length n = length(s.input, few_dimensions);
  return in_either_form(s, [&](auto form) {
    using Value = decltype(form);
    Array<Value> sizes(s, n, [&] { return s.input.count(); });
    std::size_t i = 0;
    Array<Value> subsizes(s, n, [&] { return at_most(s.input, sizes[i++]); });
    i = 0;
    Array<Value> starts(s, n, [&] {
      const std::int64_t room = std::max<std::int64_t>(sizes[i], 0) - std::max<std::int64_t>(subsizes[i], 0);
      ++i;
      return at_most(s.input, room);
    });
    const int ordered = order(s.input);
    const ddtscope_datatype oldtype = s.any_type();
    if constexpr (sizeof(Value) == sizeof(int)) {
      return ddtscope_type_create_subarray(s.context, static_cast<int>(n.count), sizes.data(), subsizes.data(),
                                           starts.data(), ordered, oldtype, newtype);
    } else {
      return ddtscope_type_create_subarray_c(s.context, static_cast<int>(n.count), sizes.data(), subsizes.data(),
                                             starts.data(), ordered, oldtype, newtype);
    }
  });
}

int darray(Session& s, ddtscope_datatype* newtype) {
  const Length n = length(s.input, few_dimensions);
  Input& input = s.input;
  constexpr std::array<int, 3> distributions = {DDTSCOPE_DISTRIBUTE_BLOCK, DDTSCOPE_DISTRIBUTE_CYCLIC,
                                                DDTSCOPE_DISTRIBUTE_NONE};
  Array<int> distribs(
      s, n, [&] { return input.one_in(32) ? input.int_number() : distributions[input.choice(distributions.size())]; });
  Array<int> dargs(s, n,
                   [&] { return input.one_in(2) ? DDTSCOPE_DISTRIBUTE_DFLT_DARG : static_cast<int>(input.count()); });
  // The grid has as many processes as the call says, if it can.
  std::uint32_t processes = 1;
  Array<int> psizes(s, n, [&] {
    const std::int64_t own = input.one_in(8) ? input.number() : static_cast<std::int64_t>(input.choice(3)) + 1;
    processes *= static_cast<std::uint32_t>(own);
    return own;
  });
  int size = static_cast<int>(processes);
  if (input.one_in(24)) size = input.int_number();
  const int rank = static_cast<int>(at_most(input, std::int64_t{size} - 1));
  return in_either_form(s, [&](auto form) {
    using Value = decltype(form);
    Array<Value> gsizes(s, n, [&] { return input.count(); });
    const int ordered = order(input);
    const ddtscope_datatype oldtype = s.any_type();
    const int ndims = static_cast<int>(n.count);
    if constexpr (sizeof(Value) == sizeof(int)) {
      return ddtscope_type_create_darray(s.context, size, rank, ndims, gsizes.data(), distribs.data(), dargs.data(),
                                         psizes.data(), ordered, oldtype, newtype);
    } else {
      return ddtscope_type_create_darray_c(s.context, size, rank, ndims, gsizes.data(), distribs.data(), dargs.data(),
                                           psizes.data(), ordered, oldtype, newtype);
    }
  });
}

int resized(Session& s, ddtscope_datatype* newtype) {
  const std::int64_t lb = s.input.number();
  const std::int64_t extent = s.input.number();
  const ddtscope_datatype oldtype = s.any_type();
  return s.input.one_in(2) ? ddtscope_type_create_resized_c(s.context, oldtype, lb, extent, newtype)
                           : ddtscope_type_create_resized(s.context, oldtype, lb, extent, newtype);
}

int f90(Session& s, ddtscope_datatype* newtype) {
  const auto digits = [&] { return s.input.one_in(3) ? DDTSCOPE_UNDEFINED : s.input.int_number(); };
  const int p = digits();
  const int r = digits();
  switch (s.input.choice(3)) {
    case 0:
      return ddtscope_type_create_f90_real(s.context, p, r, newtype);
    case 1:
      return ddtscope_type_create_f90_complex(s.context, p, r, newtype);
    default:
      return ddtscope_type_create_f90_integer(s.context, r, newtype);
  }
}

int value_index(Session& s, ddtscope_datatype* newtype) {
  const ddtscope_datatype value = s.any_type();
  const ddtscope_datatype index = s.any_type();
  return ddtscope_type_get_value_index(s.context, value, index, newtype);
}

/// A pair that does not exist is no error, and a named one has no contents.
bool is_unnamed(Session& s, ddtscope_datatype type) {
  if (type == DDTSCOPE_DATATYPE_NULL) return false;
  int integers = 0, addresses = 0, datatypes = 0, combiner = 0;
  ddtscope_type_get_envelope(s.context, type, &integers, &addresses, &datatypes, &combiner);
  return combiner != DDTSCOPE_COMBINER_NAMED;
}

/// What the decoding calls return makes the same type again.
void check_contents(Session& s, ddtscope_datatype type) {
  std::int64_t integers = 0, addresses = 0, counts = 0, datatypes = 0;
  int combiner = 0;
  FUZZ_CHECK(s, s.succeeded(ddtscope_type_get_envelope_c(s.context, type, &integers, &addresses, &counts, &datatypes,
                                                         &combiner)));
  FUZZ_CHECK(s, ddtscope_combiner_name(combiner)[0] != '\0' && combiner != DDTSCOPE_COMBINER_NAMED);
  std::vector<int> i(static_cast<std::size_t>(integers));
  std::vector<std::int64_t> a(static_cast<std::size_t>(addresses)), c(static_cast<std::size_t>(counts));
  std::vector<ddtscope_datatype> d(static_cast<std::size_t>(datatypes));
  FUZZ_CHECK(s, s.succeeded(ddtscope_type_get_contents_c(s.context, type, integers, addresses, counts, datatypes,
                                                         i.data(), a.data(), c.data(), d.data())));
  ddtscope_datatype again = DDTSCOPE_DATATYPE_NULL;
  FUZZ_CHECK(s, s.succeeded(ddtscope_type_from_contents(s.context, combiner, integers, addresses, counts, datatypes,
                                                        i.data(), a.data(), c.data(), d.data(), &again)));
  FUZZ_CHECK(s, again == type);
}

using Constructor = int (*)(Session&, ddtscope_datatype*);
constexpr std::array<Constructor, 11> constructors = {dup,      contiguous, vector,  indexed, indexed_block, structure,
                                                      subarray, darray,     resized, f90,     value_index};
static_assert(combiner_count == 17, "each constructor is tried, or its neighbour that takes bytes");

}  // namespace

void make_type(Session& session) {
  const Constructor constructor = constructors[session.input.choice(constructors.size())];
  constexpr ddtscope_datatype untouched = 12345;
  ddtscope_datatype type = untouched;
  const bool is_null = session.input.one_in(64);
  if (!session.succeeded(constructor(session, is_null ? nullptr : &type))) {
    FUZZ_CHECK(session, type == untouched);
    return;
  }
  FUZZ_CHECK(session, !is_null);
  if (constructor == value_index && !is_unnamed(session, type)) return;
  session.add(type);
  check_contents(session, type);
}

}  // namespace ddtscope::fuzz
