// One function per rewrite; a number that does not fit 64 bits makes it pass.
#include "decoder/normal_form/rewrites.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "decoder/base/exact.h"
#include "decoder/definition/even_values.h"

namespace ddtscope {
namespace {

using Values = std::vector<std::int64_t>;
using Answer = std::optional<Rewritten>;

// Calls as they are made, scalars in the order of the combiner's row.

Answer contiguous(Exact count, DefinitionId oldtype) {
  const std::optional<std::int64_t> n = count.to_int64();
  if (!n) return {};
  return NewCall{Combiner::contiguous, {.scalars = {*n}, .datatypes = {oldtype}}};
}

/// A vector or hvector.
struct Strided {
  Combiner combiner;
  Exact count, blocklength, stride;
  DefinitionId oldtype;
};

Answer strided(const Strided& s) {
  const std::optional<std::int64_t> count = s.count.to_int64();
  const std::optional<std::int64_t> blocklength = s.blocklength.to_int64();
  const std::optional<std::int64_t> stride = s.stride.to_int64();
  if (!count || !blocklength || !stride) return {};
  return NewCall{s.combiner, {.scalars = {*count, *blocklength, *stride}, .datatypes = {s.oldtype}}};
}

NewCall blocks(Combiner combiner, Values lengths, Values displacements, std::vector<DefinitionId> oldtypes) {
  NewCall result{combiner, {.scalars = {static_cast<std::int64_t>(displacements.size())}}};
  result.arguments.arrays = {std::move(lengths), std::move(displacements)};
  result.arguments.datatypes = std::move(oldtypes);
  return result;
}

NewCall equal_blocks(Combiner combiner, std::int64_t length, Values displacements, DefinitionId oldtype) {
  NewCall result{combiner, {.scalars = {static_cast<std::int64_t>(displacements.size()), length}}};
  result.arguments.arrays = {std::move(displacements)};
  result.arguments.datatypes = {oldtype};
  return result;
}

// Calls as they are read.

/// Kinds of calls that share their arguments, whether these count elements or bytes.
enum class Shape : std::uint8_t { strided, blocks, equal_blocks, other };
enum class Unit : std::uint8_t { elements, bytes };

Shape shape_of(Combiner combiner) {
  switch (combiner) {
    case Combiner::vector:
    case Combiner::hvector:
      return Shape::strided;
    case Combiner::indexed:
    case Combiner::hindexed:
      return Shape::blocks;
    case Combiner::indexed_block:
    case Combiner::hindexed_block:
      return Shape::equal_blocks;
    case Combiner::named:
    case Combiner::dup:
    case Combiner::contiguous:
    case Combiner::structure:
    case Combiner::subarray:
    case Combiner::darray:
    case Combiner::f90_real:
    case Combiner::f90_complex:
    case Combiner::f90_integer:
    case Combiner::resized:
    case Combiner::value_index:
      break;
  }
  return Shape::other;
}

/// Of strides and displacements.
Unit unit_of(Combiner combiner) {
  for (const Parameter& parameter : row_of(combiner).parameters) {
    if (parameter.kind == ParameterKind::address) return Unit::bytes;
  }
  return Unit::elements;
}

Values values_of(const IntegerArray& array) {
  Values values(array.length);
  for (std::size_t i = 0; i < array.length; ++i) values[i] = array[i];
  return values;
}

bool are_equal(const IntegerArray& array) {
  return array.length > 0 && even_values(array, 0, array.length, EvenStep::none) == array.length;
}

/// values[i] * factor for all i.
std::optional<Values> multiplied(const IntegerArray& array, std::int64_t factor) {
  Values values = values_of(array);
  for (std::int64_t& value : values) {
    if (__builtin_mul_overflow(value, factor, &value)) return {};
  }
  return values;
}

DefinitionId oldtype_of(const RewriteSubject& s) { return s.call.datatypes[0]; }

const ConstructorCall& call_of_oldtype(const RewriteSubject& s) { return s.store[oldtype_of(s)].call; }

/// How many elements, or bytes, one element is.
Exact element_of(const RewriteSubject& s) {
  return unit_of(s.call.combiner) == Unit::bytes ? s.layouts.extent(oldtype_of(s)) : Exact(1);
}

std::int64_t count_of(const RewriteSubject& s) { return s.call.scalars[0]; }
std::int64_t blocklength_of(const RewriteSubject& s) { return s.call.scalars[1]; }

// The rewrites.

Answer dup(const RewriteSubject& s) {
  if (s.call.combiner != Combiner::dup) return {};
  return oldtype_of(s);
}

Answer resized_to_its_own_bounds(const RewriteSubject& s) {
  if (s.call.combiner != Combiner::resized) return {};
  const DefinitionId oldtype = oldtype_of(s);
  if (!(s.layouts.lb(oldtype) == Exact(s.call.scalars[0])) ||
      !(s.layouts.extent(oldtype) == Exact(s.call.scalars[1]))) {
    return {};
  }
  return oldtype;
}

Answer resized_twice(const RewriteSubject& s) {
  if (s.call.combiner != Combiner::resized || call_of_oldtype(s).combiner != Combiner::resized) return {};
  return NewCall{Combiner::resized,
                 {.scalars = {s.call.scalars[0], s.call.scalars[1]}, .datatypes = {call_of_oldtype(s).datatypes[0]}}};
}

Answer product(const IntegerArray& sizes, DefinitionId oldtype) {
  Exact elements = 1;
  for (std::size_t i = 0; i < sizes.length; ++i) elements = elements * Exact(sizes[i]);
  return contiguous(elements, oldtype);
}

Answer subarray_of_all(const RewriteSubject& s) {
  if (s.call.combiner != Combiner::subarray) return {};
  const IntegerArray& sizes = s.call.arrays[0];
  const IntegerArray& subsizes = s.call.arrays[1];
  for (std::size_t i = 0; i < sizes.length; ++i) {
    if (sizes[i] != subsizes[i]) return {};
  }
  return product(sizes, oldtype_of(s));
}

Answer darray_of_one_process(const RewriteSubject& s) {
  if (s.call.combiner != Combiner::darray || s.call.scalars[0] != 1) return {};
  return product(s.call.arrays[0], oldtype_of(s));
}

Answer struct_of_one_kind(const RewriteSubject& s) {
  const auto types = s.call.datatypes;
  if (s.call.combiner != Combiner::structure || types.empty()) return {};
  if (!std::all_of(types.begin(), types.end(), [&](DefinitionId id) { return id == types[0]; })) return {};
  return blocks(Combiner::hindexed, values_of(s.call.arrays[0]), values_of(s.call.arrays[1]), {types[0]});
}

Answer no_blocks(const RewriteSubject& s) {
  bool is_empty = false;
  switch (shape_of(s.call.combiner)) {
    case Shape::strided:
    case Shape::equal_blocks:
      is_empty = count_of(s) == 0 || blocklength_of(s) == 0;
      break;
    case Shape::blocks:
      is_empty = count_of(s) == 0;
      break;
    case Shape::other:
      break;
  }
  if (!is_empty) return {};
  return contiguous(0, oldtype_of(s));
}

Answer blocks_of_length_0(const RewriteSubject& s) {
  const bool is_structure = s.call.combiner == Combiner::structure;
  if (shape_of(s.call.combiner) != Shape::blocks && !is_structure) return {};
  const IntegerArray& lengths = s.call.arrays[0];
  const IntegerArray& displacements = s.call.arrays[1];
  std::size_t i = 0;
  while (i < lengths.length && lengths[i] != 0) ++i;
  if (i == lengths.length) return {};
  Values kept_lengths, kept_displacements;
  std::vector<DefinitionId> oldtypes;
  for (i = 0; i < lengths.length; ++i) {
    if (lengths[i] == 0) continue;
    kept_lengths.push_back(lengths[i]);
    kept_displacements.push_back(displacements[i]);
    if (is_structure) oldtypes.push_back(s.call.datatypes[i]);
  }
  if (kept_lengths.empty()) return contiguous(0, oldtype_of(s));
  if (!is_structure) oldtypes = {oldtype_of(s)};
  return blocks(s.call.combiner, std::move(kept_lengths), std::move(kept_displacements), std::move(oldtypes));
}

/// Not members of a struct: one line per field is how a C struct is best described.
Answer adjoining_blocks(const RewriteSubject& s) {
  const Shape shape = shape_of(s.call.combiner);
  if (shape != Shape::blocks && shape != Shape::equal_blocks) return {};
  const std::optional<std::int64_t> element = element_of(s).to_int64();
  if (!element) return {};
  const IntegerArray& displacements = s.call.arrays[shape == Shape::blocks ? 1 : 0];
  Values lengths, kept;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < displacements.length; ++i) {
    const std::int64_t length = shape == Shape::blocks ? s.call.arrays[0][i] : blocklength_of(s);
    if (length == 0) return {};  // another rewrite's matter
    const bool joins = i > 0 && displacements[i] == end;
    if (joins) {
      if (__builtin_add_overflow(lengths.back(), length, &lengths.back())) return {};
    } else {
      lengths.push_back(length);
      kept.push_back(displacements[i]);
    }
    if (__builtin_mul_overflow(length, *element, &end) || __builtin_add_overflow(end, displacements[i], &end)) {
      return {};
    }
  }
  if (kept.size() == displacements.length) return {};
  return blocks(unit_of(s.call.combiner) == Unit::bytes ? Combiner::hindexed : Combiner::indexed, std::move(lengths),
                std::move(kept), {oldtype_of(s)});
}

Answer blocks_of_one_length(const RewriteSubject& s) {
  if (shape_of(s.call.combiner) != Shape::blocks || !are_equal(s.call.arrays[0])) return {};
  return equal_blocks(s.call.combiner == Combiner::indexed ? Combiner::indexed_block : Combiner::hindexed_block,
                      s.call.arrays[0][0], values_of(s.call.arrays[1]), oldtype_of(s));
}

Answer blocks_one_step_apart(const RewriteSubject& s) {
  if (shape_of(s.call.combiner) != Shape::equal_blocks || count_of(s) == 0) return {};
  const IntegerArray& displacements = s.call.arrays[0];
  if (displacements[0] != 0 ||
      even_values(displacements, 0, displacements.length, EvenStep::any) != displacements.length) {
    return {};
  }
  const Exact stride = displacements.length > 1 ? Exact(displacements[1]) : Exact(blocklength_of(s)) * element_of(s);
  return strided({s.call.combiner == Combiner::indexed_block ? Combiner::vector : Combiner::hvector, count_of(s),
                  blocklength_of(s), stride, oldtype_of(s)});
}

Answer bytes_that_are_whole_elements(const RewriteSubject& s) {
  const Shape shape = shape_of(s.call.combiner);
  if (shape == Shape::other || unit_of(s.call.combiner) != Unit::bytes) return {};
  const std::int64_t extent = element_of(s).to_int64().value_or(0);
  if (extent <= 0) return {};
  if (shape == Shape::strided) {
    const std::int64_t stride = s.call.scalars[2];
    if (stride % extent != 0) return {};
    return strided({Combiner::vector, count_of(s), blocklength_of(s), stride / extent, oldtype_of(s)});
  }
  Values displacements = values_of(s.call.arrays[shape == Shape::blocks ? 1 : 0]);
  for (std::int64_t& displacement : displacements) {
    if (displacement % extent != 0) return {};
    displacement /= extent;
  }
  if (shape == Shape::blocks) {
    return blocks(Combiner::indexed, values_of(s.call.arrays[0]), std::move(displacements), {oldtype_of(s)});
  }
  return equal_blocks(Combiner::indexed_block, blocklength_of(s), std::move(displacements), oldtype_of(s));
}

Answer blocks_without_gaps(const RewriteSubject& s) {
  if (shape_of(s.call.combiner) != Shape::strided) return {};
  const Exact block = Exact(blocklength_of(s)) * element_of(s);
  if (count_of(s) != 1 && !(block == Exact(s.call.scalars[2]))) return {};
  return contiguous(Exact(count_of(s)) * Exact(blocklength_of(s)), oldtype_of(s));
}

/// A loop around a loop that goes on where the inner one ends.
Answer loop_of_loops(const RewriteSubject& s) {
  const bool is_contiguous = s.call.combiner == Combiner::contiguous;
  if (shape_of(s.call.combiner) != Shape::strided && !is_contiguous) return {};
  const ConstructorCall& inner = call_of_oldtype(s);
  if (shape_of(inner.combiner) != Shape::strided) return {};
  const Exact extent = s.layouts.extent(oldtype_of(s));
  const Exact count = count_of(s);
  const Exact blocklength = is_contiguous ? Exact(1) : Exact(blocklength_of(s));
  Exact stride = extent;  // bytes
  if (!is_contiguous) stride = Exact(s.call.scalars[2]) * (s.call.combiner == Combiner::vector ? extent : Exact(1));
  const Exact inner_unit = inner.combiner == Combiner::vector ? s.layouts.extent(inner.datatypes[0]) : Exact(1);
  const Exact inner_span = Exact(inner.scalars[0]) * Exact(inner.scalars[2]) * inner_unit;
  const bool block_goes_on = blocklength == Exact(1) || extent == inner_span;
  const bool loop_goes_on = count == Exact(1) || stride == blocklength * inner_span;
  if (!block_goes_on || !loop_goes_on) return {};
  return strided({inner.combiner, count * blocklength * Exact(inner.scalars[0]), inner.scalars[1], inner.scalars[2],
                  inner.datatypes[0]});
}

/// Copies of a contiguous type are as many more elements.
Answer elements_of_contiguous(const RewriteSubject& s) {
  if (s.call.datatypes.empty()) return {};
  const auto inner_of = [&](DefinitionId id) -> const ConstructorCall* {
    const ConstructorCall& inner = s.store[id].call;
    return inner.combiner == Combiner::contiguous ? &inner : nullptr;
  };
  if (s.call.combiner == Combiner::structure) {
    Values lengths = values_of(s.call.arrays[0]);
    std::vector<DefinitionId> oldtypes(s.call.datatypes.begin(), s.call.datatypes.end());
    bool changes = false;
    for (std::size_t i = 0; i < oldtypes.size(); ++i) {
      const ConstructorCall* inner = inner_of(oldtypes[i]);
      if (inner == nullptr) continue;
      if (__builtin_mul_overflow(lengths[i], inner->scalars[0], &lengths[i])) return {};
      oldtypes[i] = inner->datatypes[0];
      changes = true;
    }
    if (!changes) return {};
    return blocks(Combiner::structure, std::move(lengths), values_of(s.call.arrays[1]), std::move(oldtypes));
  }
  const ConstructorCall* inner = inner_of(oldtype_of(s));
  if (inner == nullptr) return {};
  const std::int64_t each = inner->scalars[0];
  const DefinitionId oldtype = inner->datatypes[0];
  if (s.call.combiner == Combiner::contiguous) return contiguous(Exact(count_of(s)) * Exact(each), oldtype);
  const std::int64_t unit = unit_of(s.call.combiner) == Unit::elements ? each : 1;
  switch (shape_of(s.call.combiner)) {
    case Shape::strided:
      return strided({s.call.combiner, count_of(s), Exact(blocklength_of(s)) * Exact(each),
                      Exact(s.call.scalars[2]) * Exact(unit), oldtype});
    case Shape::blocks: {
      auto lengths = multiplied(s.call.arrays[0], each);
      auto displacements = multiplied(s.call.arrays[1], unit);
      if (!lengths || !displacements) return {};
      return blocks(s.call.combiner, *std::move(lengths), *std::move(displacements), {oldtype});
    }
    case Shape::equal_blocks: {
      auto displacements = multiplied(s.call.arrays[0], unit);
      const std::optional<std::int64_t> length = (Exact(blocklength_of(s)) * Exact(each)).to_int64();
      if (!length || !displacements) return {};
      return equal_blocks(s.call.combiner, *length, *std::move(displacements), oldtype);
    }
    case Shape::other:
      break;
  }
  return {};
}

Answer contiguous_of_one(const RewriteSubject& s) {
  if (s.call.combiner != Combiner::contiguous || count_of(s) != 1) return {};
  return oldtype_of(s);
}

constexpr Rewrite table[] = {
    {"dup", dup},
    {"resized to its own bounds", resized_to_its_own_bounds},
    {"resized twice", resized_twice},
    {"subarray of all", subarray_of_all},
    {"darray of one process", darray_of_one_process},
    {"no blocks", no_blocks},
    {"blocks of length 0", blocks_of_length_0},
    {"elements of contiguous", elements_of_contiguous},
    {"struct of one kind", struct_of_one_kind},
    {"adjoining blocks", adjoining_blocks},
    {"blocks of one length", blocks_of_one_length},
    {"blocks one step apart", blocks_one_step_apart},
    {"bytes that are whole elements", bytes_that_are_whole_elements},
    {"loop of loops", loop_of_loops},
    {"blocks without gaps", blocks_without_gaps},
    {"contiguous of one", contiguous_of_one},
};

}  // namespace

std::span<const Rewrite> rewrites() { return table; }

}  // namespace ddtscope
