// Random constructor calls: small and awkward values by preference, now and then the ends of a type's range.
#include "decoder/testing/random_types.h"

#include <algorithm>
#include <limits>

namespace ddtscope::test {
namespace {

constexpr std::int64_t int_max = std::numeric_limits<std::int32_t>::max();

/// What is near enough to be made a distance of; 8 for others.
std::int64_t near(Exact distance) { return abs(distance) < Exact(std::int64_t{1} << 40) ? *distance.to_int64() : 8; }

std::int64_t rounded_up(std::int64_t value, std::int64_t alignment) {
  const std::int64_t over = (value % alignment + alignment) % alignment;
  return over == 0 ? value : value + alignment - over;
}

}  // namespace

std::vector<Combiner> RandomTypesOptions::constructors_with_oldtypes() {
  std::vector<Combiner> combiners;
  for (int i = 0; i < combiner_count; ++i) {
    const auto combiner = static_cast<Combiner>(i);
    if (row_of(combiner).datatypes != DatatypeArguments::none) combiners.push_back(combiner);
  }
  return combiners;
}

RandomTypes::RandomTypes(TestStore& types, const RandomTypesOptions& options)
    : types_(types), options_(options), random_(options.seed) {
  for (std::uint32_t i = 0; i < types.store().size(); ++i) {
    const DefinitionId id{i};
    leaves_.push_back(id);
    if (types.facts(id).entries == Exact(1)) basic_leaves_.push_back(id);
  }
}

DefinitionId RandomTypes::next() {
  int depth = 0;
  const DefinitionId id = make(depth);
  const LayoutFacts& facts = types_.facts(id);
  const Exact farthest = options_.farthest_byte;
  const bool is_small = facts.entries < options_.most_entries && abs(types_.bounds(id).lb) < farthest &&
                        abs(types_.bounds(id).ub) < farthest && abs(facts.true_lb) < farthest &&
                        abs(facts.true_ub) < farthest;
  if (!is_small) return DefinitionId{};
  // Types made of it should have a chance to stay below the limits, too.
  if (depth < options_.greatest_depth && facts.entries * Exact(10) < options_.most_entries)
    pool_.push_back({id, depth});
  return id;
}

void RandomTypes::avoid(DefinitionId id) {
  std::erase_if(pool_, [&](const Known& known) { return known.id == id; });
}

// Not the distributions of <random>, whose results differ between standard libraries.
std::int64_t RandomTypes::number(std::int64_t least, std::int64_t greatest) {
  const auto choices = static_cast<std::uint64_t>(greatest - least) + 1;
  return least + static_cast<std::int64_t>(random_() % choices);
}

template <class... Numbers>
std::int64_t RandomTypes::one_of(Numbers... numbers) {
  const std::int64_t choices[] = {numbers...};
  return choices[number(0, static_cast<std::int64_t>(sizeof...(numbers)) - 1)];
}

RandomTypes::Values RandomTypes::numbers(std::size_t n, std::int64_t least, std::int64_t greatest) {
  Values values(n);
  for (std::int64_t& value : values) value = number(least, greatest);
  return values;
}

std::int64_t RandomTypes::huge(ParameterKind kind, Form form) {
  const bool is_wide = kind == ParameterKind::address || form == Form::large_counts;
  if (!is_wide) return one_of(int_max, int_max - 1, 1 << 30, 65536, 1000003);
  return one_of(int_max, int_max + 1, std::int64_t{1} << 32, (std::int64_t{1} << 40) + 3, (std::int64_t{1} << 53) + 1,
                std::int64_t{1} << 61, INT64_MAX);
}

std::int64_t RandomTypes::few() { return one_in(10) ? 0 : number(1, 5); }

std::int64_t RandomTypes::count(Form form) {
  if (is_huge()) return huge(ParameterKind::count, form);
  return few();
}

std::int64_t RandomTypes::blocklength(Form form) {
  if (is_huge()) return huge(ParameterKind::count, form);
  if (one_in(8)) return number(4, 9);
  return one_in(8) ? 0 : number(1, 3);
}

RandomTypes::Values RandomTypes::blocklengths(std::size_t n, Form form) {
  if (one_in(3)) return Values(n, blocklength(form));
  Values values(n);
  for (std::int64_t& value : values) value = blocklength(form);
  return values;
}

/// What an element displacement counts in, or a byte displacement should be a multiple of.
std::int64_t RandomTypes::unit_of(ParameterKind kind, DefinitionId oldtype) const {
  return kind == ParameterKind::address ? near(types_.bounds(oldtype).extent) : 1;
}

/// A stride in elements (count) or bytes (address).
std::int64_t RandomTypes::step(ParameterKind kind, Form form, DefinitionId oldtype, std::int64_t blocklength) {
  if (is_huge()) {
    const std::int64_t value = huge(kind, form);
    return one_in(2) ? -value : value;
  }
  const std::int64_t unit = unit_of(kind, oldtype);
  const std::int64_t whole_blocks = near(blocklength) * unit;
  if (kind == ParameterKind::count) return one_of(whole_blocks, -whole_blocks, -1, 0, number(-4, 6), number(-4, 6));
  switch (number(0, 5)) {
    case 0:
      return one_of(-1, 0, 1);
    case 1:
      return one_of(whole_blocks, -whole_blocks, unit, -unit);
    case 2:
      return whole_blocks + number(-2, 4) * types_.facts(oldtype).alignment;
    case 3:
      return near(types_.facts(oldtype).true_extent()) + number(0, 1);
    default:
      return number(-5, 8) * number(1, 8);
  }
}

/// One for each block: scattered, evenly spaced, adjoining with a gap now and then, or descending.
RandomTypes::Values RandomTypes::displacements(ParameterKind kind, Form form, const Values& blocklengths,
                                               const std::vector<DefinitionId>& oldtypes) {
  const std::size_t n = blocklengths.size();
  const std::int64_t grain = kind == ParameterKind::address ? number(1, 16) : 1;
  Values values = numbers(n, -6 * grain, 12 * grain);
  const int shape = static_cast<int>(number(0, 3));
  if (shape == 1) {
    const std::int64_t distance = number(-4, 8) * grain;
    for (std::size_t i = 1; i < n; ++i) values[i] = values[i - 1] + distance;
  } else if (shape == 2) {
    std::int64_t at = number(-2, 2) * grain;
    for (std::size_t i = 0; i < n; ++i) {
      const DefinitionId oldtype = oldtypes[i % oldtypes.size()];
      // As a C struct has its members, or elements of an array.
      if (kind == ParameterKind::address && at >= 0) at = rounded_up(at, types_.facts(oldtype).alignment);
      values[i] = at;
      at += near(blocklengths[i]) * unit_of(kind, oldtype) + (one_in(4) ? grain : 0);
    }
    if (one_in(4)) std::reverse(values.begin(), values.end());
  }
  for (std::int64_t& value : values) {
    if (!is_huge()) continue;
    value = huge(kind, form);
    if (one_in(2)) value = -value;
  }
  return values;
}

std::int64_t RandomTypes::order() { return one_of(types_.constants().order_c, types_.constants().order_fortran); }

DefinitionId RandomTypes::leaf() {
  return leaves_[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(leaves_.size()) - 1))];
}

/// Young types are preferred, so that nests get deep; leaves come often, too.
DefinitionId RandomTypes::oldtype(int& depth) {
  const auto n = static_cast<std::int64_t>(pool_.size());
  const std::int64_t from = number(0, 2);
  if (from == 0 || n == 0) {
    depth = std::max(depth, 1);
    return leaf();
  }
  const Known& known =
      pool_[static_cast<std::size_t>(number(from == 1 ? 0 : std::max<std::int64_t>(0, n - 40), n - 1))];
  depth = std::max(depth, known.depth + 1);
  return known.id;
}

DefinitionId RandomTypes::make(int& depth) {
  const auto choices = static_cast<std::int64_t>(options_.combiners.size());
  const Combiner combiner = options_.combiners[static_cast<std::size_t>(number(0, choices - 1))];
  Form form = options_.forms[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(options_.forms.size()) - 1))];
  if (!row_of(combiner).has_large_form) form = Form::int_counts;
  if (combiner == Combiner::structure) return structure(form, depth);
  if (combiner == Combiner::value_index) {
    const auto basic = [&] {
      return basic_leaves_[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(basic_leaves_.size()) - 1))];
    };
    depth = 1;
    const DefinitionId value = basic();
    return types_.make(combiner, form, {}, {value, basic()});
  }

  const DefinitionId old = oldtype(depth);
  const auto n = static_cast<std::size_t>(few());
  const auto n_value = static_cast<std::int64_t>(n);
  switch (combiner) {
    case Combiner::named:
    case Combiner::f90_real:
    case Combiner::f90_complex:
    case Combiner::f90_integer:
    case Combiner::structure:
    case Combiner::value_index:
      break;
    case Combiner::dup:
      return types_.make(combiner, form, {}, {old});
    case Combiner::contiguous:
      return types_.make(combiner, form, {{count(form)}}, {old});
    case Combiner::vector:
    case Combiner::hvector: {
      const std::int64_t copies = count(form);
      const std::int64_t each = blocklength(form);
      const ParameterKind kind = combiner == Combiner::vector ? ParameterKind::count : ParameterKind::address;
      return types_.make(combiner, form, {{copies}, {each}, {step(kind, form, old, each)}}, {old});
    }
    case Combiner::indexed:
    case Combiner::hindexed: {
      const Values each = blocklengths(n, form);
      const ParameterKind kind = combiner == Combiner::indexed ? ParameterKind::count : ParameterKind::address;
      return types_.make(combiner, form, {{n_value}, each, displacements(kind, form, each, {old})}, {old});
    }
    case Combiner::indexed_block:
    case Combiner::hindexed_block: {
      const std::int64_t each = blocklength(form);
      const ParameterKind kind = combiner == Combiner::indexed_block ? ParameterKind::count : ParameterKind::address;
      return types_.make(combiner, form, {{n_value}, {each}, displacements(kind, form, Values(n, each), {old})}, {old});
    }
    case Combiner::subarray:
      return subarray(form, old);
    case Combiner::darray:
      return darray(form, old);
    case Combiner::resized:
      return resized(form, old);
  }
  return old;
}

DefinitionId RandomTypes::structure(Form form, int& depth) {
  const auto n = static_cast<std::size_t>(few());
  std::vector<DefinitionId> oldtypes;
  const bool is_uniform = one_in(5);
  for (std::size_t i = 0; i < n; ++i) oldtypes.push_back(is_uniform && i != 0 ? oldtypes[0] : oldtype(depth));
  depth = std::max(depth, 1);
  const Values each = blocklengths(n, form);
  return types_.make(
      Combiner::structure, form,
      {{static_cast<std::int64_t>(n)}, each, displacements(ParameterKind::address, form, each, oldtypes)}, oldtypes);
}

DefinitionId RandomTypes::subarray(Form form, DefinitionId oldtype) {
  const std::int64_t ndims = number(1, 4);
  Values sizes, subsizes, starts;
  for (std::int64_t i = 0; i < ndims; ++i) {
    sizes.push_back(is_huge() ? huge(ParameterKind::count, form) : number(1, 5));
    subsizes.push_back(one_in(3) ? sizes.back() : number(1, sizes.back()));
    starts.push_back(number(0, sizes.back() - subsizes.back()));
  }
  return types_.make(Combiner::subarray, form, {{ndims}, sizes, subsizes, starts, {order()}}, {oldtype});
}

DefinitionId RandomTypes::darray(Form form, DefinitionId oldtype) {
  const LibraryConstants& constants = types_.constants();
  const std::int64_t ndims = number(1, 4);
  Values gsizes, distribs, dargs, psizes;
  std::int64_t size = 1;
  for (std::int64_t i = 0; i < ndims; ++i) {
    const std::int64_t gsize = is_huge() ? huge(ParameterKind::count, form) : number(1, 7);
    std::int64_t psize = number(1, 4);
    std::int64_t darg = constants.distribute_dflt_darg;
    switch (number(0, 3)) {
      case 0:
        distribs.push_back(constants.distribute_none);
        psize = 1;
        if (one_in(4)) darg = number(1, 3);  // ignored
        break;
      case 1:
        distribs.push_back(constants.distribute_block);
        // The blocks must cover the dimension.
        if (one_in(2) && gsize < 100) darg = (gsize + psize - 1) / psize + number(0, 2);
        break;
      default:
        distribs.push_back(constants.distribute_cyclic);
        if (!one_in(3)) darg = number(1, 4);
    }
    gsizes.push_back(gsize);
    psizes.push_back(psize);
    dargs.push_back(darg);
    size *= psize;
  }
  return types_.make(Combiner::darray, form,
                     {{size}, {number(0, size - 1)}, {ndims}, gsizes, distribs, dargs, psizes, {order()}}, {oldtype});
}

DefinitionId RandomTypes::resized(Form form, DefinitionId oldtype) {
  const Bounds& bounds = types_.bounds(oldtype);
  std::int64_t lb = one_of(0, number(-20, 20), near(bounds.lb), near(bounds.true_lb));
  std::int64_t extent = one_of(0, number(1, 8), number(-8, -1), number(-8, 64), near(bounds.extent),
                               near(bounds.true_extent), near(bounds.true_extent) + 8);
  if (is_huge()) lb = one_of(-1, 1) * huge(ParameterKind::address, form);
  if (is_huge()) extent = one_of(-1, 1) * huge(ParameterKind::address, form);
  return types_.make(Combiner::resized, form, {{lb}, {extent}}, {oldtype});
}

}  // namespace ddtscope::test
