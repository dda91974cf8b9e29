// What Open MPI 4.1.4 does wrong and Open MPI's rule for bounds does not tell.
#include <algorithm>
#include <map>

#include "testapps/differential/known_bugs.h"

namespace ddtscope::differential {
namespace {

// ompi-byte-stride-minus-one

/// The definition as the library understands it: a byte stride of -1 is the extent of the block.
class StrideMinusOne {
 public:
  explicit StrideMinusOne(Comparison& comparison) : comparison_(comparison), types_(comparison.types()) {}

  DefinitionId understood(DefinitionId id) {
    std::map<DefinitionId, DefinitionId> known;
    for (const DefinitionId original : reached_definitions(types_.store(), id)) {
      DefinitionId& replacement = known.emplace(original, original).first->second;
      const ConstructorCall& call = types_.store()[original].call;
      if (call.datatypes.empty()) continue;
      std::vector<DefinitionId> oldtypes;
      for (const DefinitionId oldtype : call.datatypes) oldtypes.push_back(known.at(oldtype));
      const bool is_changed = !std::equal(oldtypes.begin(), oldtypes.end(), call.datatypes.begin());
      if (has_stride(call)) {
        replacement = contiguous_blocks(call, oldtypes[0]);
      } else if (is_changed) {
        ConstructorCall changed = call;
        changed.datatypes = oldtypes;
        replacement = types_.intern(changed);
      }
      if (replacement != original) comparison_.observe_as(replacement, original);
    }
    return known.at(id);
  }

 private:
  bool has_stride(const ConstructorCall& call) {
    if (call.combiner != Combiner::vector && call.combiner != Combiner::hvector) return false;
    const Exact unit = call.combiner == Combiner::vector
                           ? comparison_.observed_layouts(call.datatypes[0]).extent(call.datatypes[0])
                           : 1;
    return call.scalar("count") > 1 && unit * Exact(call.scalar("stride")) == Exact(-1);
  }

  DefinitionId contiguous_blocks(const ConstructorCall& call, DefinitionId oldtype) {
    const std::int64_t blocklength = call.scalar("blocklength");
    DefinitionId block = oldtype;
    if (blocklength != 1) {
      block = types_.contiguous(blocklength, oldtype);
      // What the block's extent comes to in the library, rounding included.
      const Bounds& bounds = comparison_.library_rule().bounds(block);
      return types_.hvector(call.scalar("count"), blocklength, bounds.extent.to_int64().value_or(0), oldtype);
    }
    const Exact extent = comparison_.observed_layouts(oldtype).extent(oldtype);
    return types_.hvector(call.scalar("count"), 1, extent.to_int64().value_or(0), oldtype);
  }

  Comparison& comparison_;
  test::TestStore& types_;
};

bool is_stride_minus_one(Comparison& comparison, DefinitionId id, const Difference& difference) {
  if (difference.aspect != Aspect::pack || difference.origins.empty()) return false;
  const DefinitionId understood = StrideMinusOne(comparison).understood(id);
  return understood != id &&
         packed_origins(comparison.observed_layouts(understood), understood, difference.copies) == difference.origins;
}

// ompi-darray-of-nothing

/// Whether the library makes of a definition a copy of MPI_DATATYPE_NULL, which stands for nothing at all.
bool is_copy_of_null(Comparison& comparison, DefinitionId id) {
  const DefinitionStore& store = comparison.types().store();
  while (store[id].call.combiner == Combiner::dup || store[id].call.combiner == Combiner::resized) {
    id = store[id].call.datatypes[0];
  }
  const ConstructorCall& call = store[id].call;
  const auto all_zero = [](const IntegerArray& values) {
    for (std::size_t i = 0; i < values.length; ++i) {
      if (values[i] != 0) return false;
    }
    return true;
  };
  const auto empty_oldtype = [&] { return comparison.library_rule().bounds(call.datatypes[0]).size == Exact(0); };
  switch (call.combiner) {
    case Combiner::contiguous:
      return call.scalar("count") == 0 || empty_oldtype();
    case Combiner::vector:
    case Combiner::hvector:
    case Combiner::indexed_block:
    case Combiner::hindexed_block:
      return call.scalar("count") == 0 || call.scalar("blocklength") == 0;
    case Combiner::indexed:
    case Combiner::hindexed:
      return all_zero(call.array("array_of_blocklengths")) || empty_oldtype();
    case Combiner::structure:
      return all_zero(call.array("array_of_blocklengths"));
    default:
      return false;
  }
}

bool is_darray_of_nothing(Comparison& comparison, DefinitionId id, const Difference& difference) {
  const ConstructorCall& call = comparison.types().store()[id].call;
  return difference.aspect == Aspect::construct && difference.kind == Difference::Kind::answer &&
         call.combiner == Combiner::darray && is_copy_of_null(comparison, call.datatypes[0]);
}

// ompi-copies-with-empty-member

/// Copies of a struct whose data adjoin, and whose extent is what an empty member made it: they are packed as if the
/// next copy followed at the end of the data.
bool is_copies_with_empty_member(Comparison& comparison, DefinitionId id, const Difference& difference) {
  if (difference.aspect != Aspect::pack || difference.copies < 2 || difference.origins.empty()) return false;
  const DefinitionStore& store = comparison.types().store();
  DefinitionId of = id;
  while (store[of].call.combiner == Combiner::dup) of = store[of].call.datatypes[0];
  const ConstructorCall& call = store[of].call;
  if (call.combiner != Combiner::structure) return false;
  bool has_empty_member = false;
  for (std::size_t i = 0; i < call.datatypes.size(); ++i) {
    has_empty_member |= call.array("array_of_blocklengths")[i] != 0 &&
                        comparison.library_rule().bounds(call.datatypes[i]).size == Exact(0);
  }
  const DefinitionId understood = StrideMinusOne(comparison).understood(id);
  const LayoutFacts& facts = comparison.observed_layouts(understood).facts(understood);
  if (!has_empty_member || facts.blocks != Exact(1) ||
      Exact(std::ssize(difference.origins)) != facts.size * Exact(difference.copies)) {
    return false;
  }
  for (std::size_t i = 0; i < difference.origins.size(); ++i) {
    if (Exact(difference.origins[i]) != facts.true_lb + Exact(static_cast<std::int64_t>(i))) return false;
  }
  return true;
}

// ompi-copies-times-2-to-32

/// A run of equal blocks whose number is lost in 32 bits: the optimised description that commit makes is then empty,
/// and each copy of the type that is made afterwards, also by MPI_Type_get_contents, frees it once more.
bool is_lost_in_32_bits(Exact copies) {
  return copies.fits() && copies.value() != 0 && copies.value() % (Int128{1} << 32) == 0;
}

bool has_copies_times_2_to_32(Comparison& comparison, DefinitionId id) {
  const ConstructorCall& call = comparison.types().store()[id].call;
  if (call.datatypes.empty()) return false;
  const Bounds& oldtype = comparison.library_rule().bounds(call.datatypes[0]);
  if (oldtype.size == Exact(0) || oldtype.size == oldtype.extent) return false;
  switch (call.combiner) {
    case Combiner::vector:
      return call.scalar("stride") == call.scalar("blocklength") &&
             is_lost_in_32_bits(Exact(call.scalar("count")) * Exact(call.scalar("blocklength")));
    case Combiner::subarray: {
      const IntegerArray& sizes = call.array("array_of_sizes");
      const IntegerArray& subsizes = call.array("array_of_subsizes");
      if (sizes.length < 2) return false;
      const bool is_c = call.scalar("order") == comparison.types().constants().order_c;
      const std::size_t fastest = is_c ? sizes.length - 1 : 0;
      const std::size_t next = is_c ? fastest - 1 : 1;
      return sizes[fastest] == subsizes[fastest] &&
             is_lost_in_32_bits(Exact(subsizes[fastest]) * Exact(subsizes[next]));
    }
    case Combiner::indexed:
    case Combiner::hindexed: {
      Exact copies = 0;
      const IntegerArray& blocklengths = call.array("array_of_blocklengths");
      for (std::size_t i = 0; i < blocklengths.length; ++i) copies += Exact(blocklengths[i]);
      return is_lost_in_32_bits(copies);
    }
    case Combiner::indexed_block:
    case Combiner::hindexed_block:
      return is_lost_in_32_bits(Exact(call.scalar("count")) * Exact(call.scalar("blocklength")));
    default:
      return false;
  }
}

bool is_copies_times_2_to_32(Comparison& comparison, DefinitionId id, const Difference& difference) {
  if (difference.kind == Difference::Kind::answer) return false;
  for (const DefinitionId part : reached_definitions(comparison.types().store(), id)) {
    if (has_copies_times_2_to_32(comparison, part)) return true;
  }
  return false;
}

DefinitionId nothing(test::TestStore& types) { return types.contiguous(0, types.named("MPI_INT")); }

constexpr KnownBug bugs[] = {
    {"ompi-bounds-overflow", nullptr,
     [](test::TestStore& types) {
       return types.contiguous(INT32_MAX, types.contiguous(INT32_MAX, types.named("MPI_DOUBLE")));
     }},
    {"ompi-byte-stride-minus-one", is_stride_minus_one,
     [](test::TestStore& types) { return types.hvector(2, 1, -1, types.named("MPI_INT")); }},
    {"ompi-copies-times-2-to-32", is_copies_times_2_to_32,
     [](test::TestStore& types) {
       const DefinitionId with_gaps = types.resized(types.named("MPI_INT"), 0, 8);
       return types.dup(types.vector(65536, 65536, 65536, with_gaps));
     },
     has_copies_times_2_to_32},
    {"ompi-copies-with-empty-member", is_copies_with_empty_member,
     [](test::TestStore& types) {
       return types.structure({1, 1}, {0, 12}, {types.named("MPI_INT"), nothing(types)});
     }},
    {"ompi-darray-of-nothing", is_darray_of_nothing,
     [](test::TestStore& types) {
       const LibraryConstants& constants = types.constants();
       return types.darray(
           {1, 0, {1}, {constants.distribute_block}, {constants.distribute_dflt_darg}, {1}, constants.order_c},
           nothing(types));
     }},
    {"ompi-empty-loses-markers", nullptr,
     [](test::TestStore& types) { return types.contiguous(3, types.resized(nothing(types), 0, 100)); }},
    {"ompi-empty-moves-bounds", nullptr,
     [](test::TestStore& types) {
       return types.structure({1, 1}, {0, 4}, {nothing(types), types.named("MPI_INT")});
     }},
    {"ompi-empty-true-bounds", nullptr, [](test::TestStore& types) { return types.vector(1, 1, 1, nothing(types)); }},
    {"ompi-int-counts", nullptr,
     [](test::TestStore& types) {
       const DefinitionId mpi_int = types.named("MPI_INT");
       return types.structure({INT32_MAX, 1}, {0, std::int64_t{INT32_MAX} * 4}, {mpi_int, mpi_int});
     }},
    {"ompi-rounds-each-block", nullptr,
     [](test::TestStore& types) {
       return types.hindexed({1, 1, 1}, {1, 0, -1}, types.named("MPI_INT"));
     }},
};

}  // namespace

std::span<const KnownBug> known_bugs() { return bugs; }

}  // namespace ddtscope::differential
