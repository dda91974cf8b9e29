// What Open MPI does wrong and its rule for bounds does not tell.
#include <algorithm>
#include <map>

#include "testapps/differential/known_bugs.h"

namespace ddtscope::differential {
namespace {

// ompi-16-bytes-cut, ompi-complex-distances

/// 5.0 packs a run of equal blocks by assigning elements that stand `distance / size` elements apart: complex numbers,
/// which may stand at multiples of half their size, come from lower addresses then, by a multiple of that half.
bool is_complex_moved_down(const PackedEntry& entry) {
  if (entry.type.name.find("COMPLEX") == std::string::npos) return false;
  const std::int64_t first = entry.origins[0];
  const bool is_moved = first < entry.displacement && (entry.displacement - first) % (entry.type.size / 2) == 0;
  const PackedEntry at_origin = {entry.type, first, entry.origins};
  return is_moved && (is_right(at_origin) || is_cut_to_long_double(at_origin));
}

bool is_right_or_cut(const PackedEntry& entry) { return is_right(entry) || is_cut_to_long_double(entry); }

bool is_right_cut_or_moved(const PackedEntry& entry) { return is_right_or_cut(entry) || is_complex_moved_down(entry); }

/// What an entry may be where other bugs have moved it.
bool (*accepted_entry())(const PackedEntry& entry) {
  return release_of_library().release->model == BoundsModel::openmpi_5_0 ? is_right_cut_or_moved : is_right;
}

bool is_16_bytes_cut(Comparison& comparison, DefinitionId id, const Difference& difference) {
  return difference.aspect == Aspect::pack && !difference.origins.empty() &&
         is_packed_from(comparison.observed_layouts(id), id, difference, is_right_or_cut);
}

bool is_complex_distance(Comparison& comparison, DefinitionId id, const Difference& difference) {
  return difference.aspect == Aspect::pack && !difference.origins.empty() &&
         is_packed_from(comparison.observed_layouts(id), id, difference, is_right_cut_or_moved);
}

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
         is_packed_from(comparison.observed_layouts(understood), understood, difference, accepted_entry());
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

// ompi-commit-of-2-to-32

/// Blocks of one type that follow each other, each beginning where the one before ends, are one run.
bool has_joined_blocks_of_2_to_32(Comparison& comparison, const ConstructorCall& call) {
  const IntegerArray& blocklengths = call.arrays[0];
  const IntegerArray& displacements = call.arrays[1];
  Exact run = 0;
  Exact end = 0;
  DefinitionId type;
  for (std::size_t i = 0; i < blocklengths.length; ++i) {
    if (blocklengths[i] == 0) continue;
    const DefinitionId oldtype = call.datatypes[call.combiner == Combiner::structure ? i : 0];
    const Exact unit = call.combiner == Combiner::indexed ? Exact(1) : comparison.library_rule().bounds(oldtype).extent;
    const bool joins = oldtype == type && Exact(displacements[i]) == end;
    run = (joins ? run : Exact(0)) + Exact(blocklengths[i]);
    end = (joins ? end : Exact(displacements[i])) + Exact(blocklengths[i]) * unit;
    type = oldtype;
    if (is_lost_in_32_bits(run)) return true;
  }
  return false;
}

/// A run of something in several pieces, or with gaps, whose count is lost in 32 bits, by whatever constructor: 6.0 has
/// large counts. MPI_Type_commit counts it down from 0, or copies share memory that both free. It also joins two runs
/// that are told by types of their own, so that all blocks count together.
bool has_loop_of_2_to_32(Comparison& comparison, DefinitionId id) {
  const ConstructorCall& call = comparison.types().store()[id].call;
  if (call.datatypes.empty()) return false;
  const LayoutFacts& facts = comparison.observed_layouts(id).facts(id);
  if (facts.blocks <= Exact(1) && facts.signature_runs <= Exact(1)) return false;
  if (is_lost_in_32_bits(facts.blocks)) return true;
  const auto is_lost = [](std::int64_t count) { return is_lost_in_32_bits(Exact(count)); };
  const auto some_lost = [&](const IntegerArray& counts) {
    for (std::size_t i = 0; i < counts.length; ++i) {
      if (is_lost(counts[i])) return true;
    }
    return false;
  };
  switch (call.combiner) {
    case Combiner::contiguous:
      return is_lost(call.scalar("count"));
    case Combiner::vector:
    case Combiner::hvector:
      return is_lost(call.scalar("count")) || is_lost(call.scalar("blocklength")) ||
             is_lost_in_32_bits(Exact(call.scalar("count")) * Exact(call.scalar("blocklength")));
    case Combiner::indexed_block:
    case Combiner::hindexed_block:
      return is_lost(call.scalar("blocklength"));
    case Combiner::indexed:
    case Combiner::hindexed:
    case Combiner::structure:
      return has_joined_blocks_of_2_to_32(comparison, call);
    case Combiner::subarray:
      return some_lost(call.array("array_of_subsizes"));
    case Combiner::darray: {
      const IntegerArray& gsizes = call.array("array_of_gsizes");
      const IntegerArray& dargs = call.array("array_of_dargs");
      const IntegerArray& psizes = call.array("array_of_psizes");
      for (std::size_t i = 0; i < gsizes.length; ++i) {
        // Elements of a process, and whole blocks of them, rounded down and up.
        const std::int64_t processes = std::max<std::int64_t>(psizes[i], 1);
        for (const std::int64_t block : {std::int64_t{1}, std::max<std::int64_t>(dargs[i], 1)}) {
          const std::int64_t whole = gsizes[i] / processes / block;
          if (is_lost(whole) || is_lost(whole + 1)) return true;
        }
      }
      return some_lost(gsizes);
    }
    default:
      return false;
  }
}

bool is_commit_of_2_to_32(Comparison& comparison, DefinitionId id, const Difference& difference) {
  if (difference.aspect != Aspect::commit || difference.kind != Difference::Kind::hang) return false;
  for (const DefinitionId part : reached_definitions(comparison.types().store(), id)) {
    if (has_loop_of_2_to_32(comparison, part)) return true;
  }
  return false;
}

DefinitionId nothing(test::TestStore& types) { return types.contiguous(0, types.named("MPI_INT")); }

constexpr KnownBug bugs[] = {
    {.id = "ompi-16-bytes-cut",
     .explains = is_16_bytes_cut,
     .reproducer = [](test::TestStore& types) { return types.vector(2, 1, 2, types.named("MPI_REAL16")); },
     .since = {5, 0, 7},
     .until = {6, 0, 0, ReleaseNumber::candidate, 2}},
    {"ompi-bounds-overflow", nullptr,
     [](test::TestStore& types) {
       return types.contiguous(INT32_MAX, types.contiguous(INT32_MAX, types.named("MPI_DOUBLE")));
     }},
    {"ompi-byte-stride-minus-one", is_stride_minus_one,
     [](test::TestStore& types) { return types.hvector(2, 1, -1, types.named("MPI_INT")); }},
    {.id = "ompi-commit-of-2-to-32",
     .explains = is_commit_of_2_to_32,
     .reproducer =
         [](test::TestStore& types) {
           const DefinitionId pair = types.hindexed({1, 1}, {0, 12}, types.named("MPI_DOUBLE"));
           const DefinitionId pairs = types.hindexed({3, 1}, {0, 100}, pair);
           return types.make(Combiner::contiguous, Form::large_counts, {{std::int64_t{1} << 32}}, {pairs});
         },
     .endangers = has_loop_of_2_to_32,
     .since = {6, 0, 0, ReleaseNumber::candidate, 2}},
    {.id = "ompi-complex-distances",
     .explains = is_complex_distance,
     .reproducer =
         [](test::TestStore& types) {
           return types.hindexed({1, 1}, {0, 20}, types.named("MPI_COMPLEX"));
         },
     .since = {5, 0, 7},
     .until = {6, 0, 0, ReleaseNumber::candidate, 2}},
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
    {.id = "ompi-int-counts",
     .explains = nullptr,
     .reproducer = [](test::TestStore& types) { return types.hvector(65536, 32768, 131072, types.named("MPI_INT")); },
     .until = {6, 0, 0, ReleaseNumber::candidate, 2}},
    {.id = "ompi-int-counts-in-structs",
     .explains = nullptr,
     .reproducer =
         [](test::TestStore& types) {
           const DefinitionId mpi_int = types.named("MPI_INT");
           return types.structure({INT32_MAX, 1}, {0, std::int64_t{INT32_MAX} * 4}, {mpi_int, mpi_int});
         },
     .until = {5, 0, 7}},
    {"ompi-rounds-each-block", nullptr,
     [](test::TestStore& types) {
       return types.hindexed({1, 1, 1}, {1, 0, -1}, types.named("MPI_INT"));
     }},
};

}  // namespace

std::span<const KnownBug> known_bugs() { return bugs; }

}  // namespace ddtscope::differential
