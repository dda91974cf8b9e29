// What MPICH does wrong and its rule for bounds does not tell.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "testapps/differential/known_bugs.h"

namespace ddtscope::differential {

namespace {

// mpich-int-envelope-error

/// MPI_Type_get_envelope on a type that needs large counts gives MPI_ERR_OTHER.
bool is_int_envelope_error(Comparison& comparison, DefinitionId id, const Difference& difference) {
  return difference.aspect == Aspect::int_envelope && difference.kind == Difference::Kind::answer &&
         envelope_of(comparison.types().store()[id].call).num_large_counts > 0 &&
         difference.got == text_of_error(MPI_ERR_OTHER);
}

// mpich-pack-divides-by-zero

#ifdef __x86_64__
constexpr bool division_by_zero_traps = true;
#else
constexpr bool division_by_zero_traps = false;  // arm64's gives 0
#endif

bool is_one_block_at_zero(Comparison& comparison, DefinitionId id) {
  const Layouts& layouts = comparison.observed_layouts(id);
  const LayoutFacts& facts = layouts.facts(id);
  return facts.blocks == Exact(1) && facts.true_lb == Exact(0) && layouts.extent(id) == facts.size;
}

/// Blocks of length 0 of something that has gaps: the library's type has no piece of memory, and is no empty type to it
/// either.
bool has_no_pieces(Comparison& comparison, DefinitionId id) {
  const DefinitionStore& store = comparison.types().store();
  while (store[id].call.combiner == Combiner::dup || store[id].call.combiner == Combiner::resized) {
    id = store[id].call.datatypes[0];
  }
  const ConstructorCall& call = store[id].call;
  switch (call.combiner) {
    case Combiner::vector:
    case Combiner::hvector:
    case Combiner::indexed_block:
    case Combiner::hindexed_block:
      return call.scalar("count") > 0 && call.scalar("blocklength") == 0 &&
             comparison.library_rule().bounds(call.datatypes[0]).size != Exact(0) &&
             !is_one_block_at_zero(comparison, call.datatypes[0]);
    default:
      return false;
  }
}

/// Packing a struct divides each member's size by its number of pieces.
bool is_pack_divides_by_zero(Comparison& comparison, DefinitionId id, const Difference& difference) {
  if (difference.aspect != Aspect::pack || difference.kind != Difference::Kind::crash || difference.got != "SIGFPE") {
    return false;
  }
  const DefinitionStore& store = comparison.types().store();
  for (const DefinitionId part : reached_definitions(store, id)) {
    const ConstructorCall& call = store[part].call;
    if (call.combiner != Combiner::structure) continue;
    for (std::size_t i = 0; i < call.datatypes.size(); ++i) {
      if (call.arrays[0][i] > 0 && has_no_pieces(comparison, call.datatypes[i])) return true;
    }
  }
  return false;
}

// mpich-copies-of-contiguous

/// Whether packed bytes are where the library may take them from: several copies of a contiguous type are packed as so
/// many more copies of its oldtype, though its extent (as the library has it) is not a multiple of the oldtype's.
class CopiesOfContiguous {
 public:
  CopiesOfContiguous(Comparison& comparison, DefinitionId id) : layouts_(comparison.observed_layouts(id)) {
    const DefinitionStore& store = comparison.types().store();
    for (const DefinitionId part : reached_definitions(store, id)) {
      const ConstructorCall& call = store[part].call;
      if (call.datatypes.empty()) continue;
      const DefinitionId oldtype = call.datatypes[0];
      if (call.combiner == Combiner::resized) {
        const auto known = other_distances_.find(layouts_.root(oldtype));
        const bool is_same_to_library = has_bounds_of(part, oldtype);
        if (is_same_to_library && known != other_distances_.end())
          other_distances_[layouts_.root(part)] = known->second;
      } else if (const std::optional<Run> run = run_of(layouts_.root(part), oldtype)) {
        // One block, by whatever constructor; a part of an array is resized, which changes nothing only where all is
        // there.
        const bool is_part_of_array = call.combiner == Combiner::subarray || call.combiner == Combiner::darray;
        if (!is_part_of_array || run->extent == layouts_.extent(part)) {
          note(layouts_.root(part), {layouts_.extent(part), run->distance});
        }
      }
    }
  }

  bool applies() const { return !other_distances_.empty(); }

  bool match(DefinitionId id, const Difference& difference) {
    origins_ = &difference.origins;
    at_ = 0;
    return copies(layouts_.root(id), difference.copies, layouts_.extent(id), 0) && at_ == origins_->size();
  }

 private:
  /// Where a second copy of some copies stands: by their own extents, and as the library puts it.
  struct Run {
    Exact extent, distance;
  };
  void note(LayoutId id, const Run& run) {
    if (run.distance != run.extent) other_distances_[id] = {run.extent, run.distance};
  }
  /// Of a node that is copies of the oldtype from byte 0 on, one at the end of the other; those within it are noted.
  std::optional<Run> run_of(LayoutId id, DefinitionId oldtype) {
    if (id == layouts_.root(oldtype)) {
      const auto known = other_distances_.find(id);
      const Exact extent = layouts_.extent(oldtype);
      return Run{extent, known != other_distances_.end() ? known->second.second : extent};
    }
    const LayoutNode& node = layouts_[id];
    LayoutPart copies;
    if (node.kind == LayoutKind::repeat) {
      copies = {0, node.count.to_int64().value_or(0), node.stride, node.child};
    } else if (node.kind == LayoutKind::parts && node.part_count == 1) {
      copies = node.part(0);
    } else {
      return std::nullopt;
    }
    const std::optional<Run> one = run_of(copies.child, oldtype);
    const bool adjoin = one && (copies.blocklength == 1 || copies.extent == one->extent);
    if (!adjoin || copies.displacement != Exact(0)) return std::nullopt;
    if (copies.child != layouts_.root(oldtype)) note(copies.child, *one);
    return Run{Exact(copies.blocklength) * one->extent, Exact(copies.blocklength) * one->distance};
  }
  bool has_bounds_of(DefinitionId a, DefinitionId b) const {
    return layouts_.lb(a) == layouts_.lb(b) && layouts_.extent(a) == layouts_.extent(b);
  }

  bool copies(LayoutId child, std::int64_t count, Exact stride, Exact base) {
    if (layouts_[child].facts.empty()) return true;
    const std::size_t begin = at_;
    if (evenly(child, count, stride, base)) return true;
    const auto other = other_distances_.find(child);
    if (other == other_distances_.end() || other->second.first != stride) return false;
    at_ = begin;
    return evenly(child, count, other->second.second, base);
  }

  bool evenly(LayoutId child, std::int64_t count, Exact stride, Exact base) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (!node(layouts_[child], base + Exact(i) * stride)) return false;
    }
    return true;
  }

  bool node(const LayoutNode& node, Exact base) {
    switch (node.kind) {
      case LayoutKind::empty:
        return true;
      case LayoutKind::basic:
        return basic(*node.facts.size.to_int64(), base);
      case LayoutKind::repeat:
        return copies(node.child, *node.count.to_int64(), node.stride, base);
      case LayoutKind::parts:
        for (std::size_t i = 0; i < node.part_count; ++i) {
          const LayoutPart part = node.part(i);
          if (!copies(part.child, part.blocklength, part.extent, base + part.displacement)) return false;
        }
        return true;
    }
    return false;
  }

  bool basic(std::int64_t size, Exact base) {
    for (std::int64_t i = 0; i < size; ++i, ++at_) {
      // Some types' padding is not packed: bytes of it may be anything.
      if (at_ >= origins_->size()) return false;
      if (i < 10 && Exact((*origins_)[at_]) != base + Exact(i)) return false;
    }
    return true;
  }

  const Layouts& layouts_;
  std::map<LayoutId, std::pair<Exact, Exact>> other_distances_;  // by root: the extent, and what is used instead
  const std::vector<std::int64_t>* origins_ = nullptr;
  std::size_t at_ = 0;
};

bool is_copies_of_contiguous(Comparison& comparison, DefinitionId id, const Difference& difference) {
  if (difference.aspect != Aspect::pack || difference.origins.empty()) return false;
  CopiesOfContiguous packed(comparison, id);
  return packed.applies() && packed.match(id, difference);
}

// mpich-empty-copies-take-time

/// Each copy of an empty member of a struct is visited when it is packed, be there 2^31 of them.
constexpr std::int64_t many = 1 << 24;

bool is_visited_often(Comparison& comparison, DefinitionId id, std::int64_t copies) {
  const DefinitionStore& store = comparison.types().store();
  if (copies == 0 || comparison.library_rule().bounds(id).size != Exact(0)) return false;
  bool is_visited = false;  // most empty types are one type to the library, which is passed over
  for (const DefinitionId part : reached_definitions(store, id)) {
    const ConstructorCall& call = store[part].call;
    switch (call.combiner) {
      case Combiner::resized:
      case Combiner::subarray:
      case Combiner::darray:
        is_visited = true;
        break;
      case Combiner::vector:
      case Combiner::hvector:
      case Combiner::indexed_block:
      case Combiner::hindexed_block:
        is_visited |= call.scalar("count") > 1;
        copies = std::max(copies, call.scalar("count"));
        break;
      default:
        break;
    }
  }
  return is_visited && copies >= many;
}

bool has_many_empty_copies(Comparison& comparison, DefinitionId id) {
  const ConstructorCall& call = comparison.types().store()[id].call;
  if (call.combiner != Combiner::structure) return false;
  for (std::size_t i = 0; i < call.datatypes.size(); ++i) {
    if (is_visited_often(comparison, call.datatypes[i], call.arrays[0][i])) return true;
  }
  return false;
}

bool is_many_empty_copies(Comparison& comparison, DefinitionId id, const Difference& difference) {
  return difference.kind == Difference::Kind::hang && difference.aspect == Aspect::pack &&
         has_many_empty_copies(comparison, id);
}

// mpich-16-bytes-cut

bool is_right_or_cut(const PackedEntry& entry) { return is_right(entry) || is_cut_to_long_double(entry); }

bool is_16_bytes_cut(Comparison& comparison, DefinitionId id, const Difference& difference) {
  return difference.aspect == Aspect::pack && !difference.origins.empty() &&
         is_packed_from(comparison.observed_layouts(id), id, difference, is_right_or_cut);
}

DefinitionId nothing(test::TestStore& types) { return types.contiguous(0, types.named("MPI_INT")); }

constexpr KnownBug bugs[] = {
    {.id = "mpich-16-bytes-cut",
     .explains = is_16_bytes_cut,
     .reproducer = [](test::TestStore& types) { return types.vector(2, 1, 2, types.named("MPI_REAL16")); },
     .since = {5, 0, 2}},
    {"mpich-bounds-overflow", nullptr,
     [](test::TestStore& types) {
       return types.contiguous(INT32_MAX, types.contiguous(INT32_MAX, types.named("MPI_DOUBLE")));
     }},
    {"mpich-copies-of-contiguous", is_copies_of_contiguous,
     [](test::TestStore& types) { return types.contiguous(2, types.resized(types.named("MPI_FLOAT_INT"), 0, -1)); }},
    {"mpich-darray-partial-block", nullptr,
     [](test::TestStore& types) {
       const LibraryConstants& constants = types.constants();
       return types.darray({2,
                            1,
                            {2, 4},
                            {constants.distribute_cyclic, constants.distribute_cyclic},
                            {3, constants.distribute_dflt_darg},
                            {1, 2},
                            constants.order_c},
                           types.named("MPI_INT"));
     }},
    {"mpich-empty-copies-take-time", is_many_empty_copies,
     [](test::TestStore& types) {
       const DefinitionId mpi_int = types.named("MPI_INT");
       return types.structure({INT32_MAX, 1}, {0, 0}, {types.resized(nothing(types), 0, 8), mpi_int});
     },
     has_many_empty_copies},
    {"mpich-empty-loses-markers", nullptr,
     [](test::TestStore& types) { return types.contiguous(3, types.resized(nothing(types), 0, 100)); }},
    {"mpich-empty-moves-bounds", nullptr,
     [](test::TestStore& types) {
       return types.structure({1, 1}, {0, 4}, {nothing(types), types.named("MPI_INT")});
     }},
    {.id = "mpich-int-envelope-error",
     .explains = is_int_envelope_error,
     .reproducer =
         [](test::TestStore& types) {
           return types.make(Combiner::contiguous, Form::large_counts, {{2}}, {types.named("MPI_INT")});
         },
     .until = {4, 2, 1}},
    {"mpich-marker-alone", nullptr,
     [](test::TestStore& types) { return types.hindexed({1}, {4}, types.named("MPI_LB")); }},
    {"mpich-markers-stay-behind", nullptr,
     [](test::TestStore& types) {
       return types.structure({1, 1}, {0, 4}, {types.named("MPI_INT"), types.resized(types.named("MPI_CHAR"), 0, 1)});
     }},
    {"mpich-no-rounding", nullptr,
     [](test::TestStore& types) {
       return types.hindexed({1, 1}, {0, 5}, types.named("MPI_INT"));
     }},
    {.id = "mpich-pack-divides-by-zero",
     .explains = is_pack_divides_by_zero,
     .reproducer =
         [](test::TestStore& types) {
           const DefinitionId mpi_int = types.named("MPI_INT");
           const DefinitionId no_pieces = types.vector(1, 0, 0, types.vector(2, 1, 2, mpi_int));
           return types.structure({1, 1}, {0, 8}, {no_pieces, mpi_int});
         },
     .is_on_this_processor = division_by_zero_traps},
    {"mpich-zero-blocklength", nullptr,
     [](test::TestStore& types) { return types.vector(3, 0, 5, types.named("MPI_INT")); }},
};

}  // namespace

std::span<const KnownBug> known_bugs() { return bugs; }

}  // namespace ddtscope::differential
