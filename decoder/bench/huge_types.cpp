// The types and messages, built by constructors as programs build them.
#include "decoder/bench/huge_types.h"

#include <array>
#include <vector>

namespace ddtscope::bench {
namespace {

using test::TestStore;

std::int64_t span_of_type(const TestStore& types, DefinitionId type) {
  return types.facts(type).true_extent().to_int64().value();
}

/// `levels` times a thousand copies with a gap of `gap` bytes between them.
DefinitionId thousands(TestStore& types, DefinitionId type, int levels, std::int64_t gap) {
  for (int i = 0; i < levels; ++i) type = types.hvector(1000, 1, span_of_type(types, type) + gap, type);
  return type;
}

DefinitionId particle(TestStore& types) {
  return types.resized(types.structure({1, 3, 1, 1}, {0, 8, 32, 36},
                                       {types.named("MPI_CHAR"), types.named("MPI_DOUBLE"), types.named("MPI_INT"),
                                        types.named("MPI_SHORT")}),
                       0, 40);
}

DefinitionId nest_of_vectors(TestStore& types) { return thousands(types, types.named("MPI_CHAR"), 6, 1); }

DefinitionId vectors_beyond_64_bits(TestStore& types) {
  DefinitionId type = types.named("MPI_DOUBLE");
  for (int i = 0; i < 6; ++i) type = types.vector(1000, 1, 2, type);
  return type;
}

DefinitionId nest_of_structs(TestStore& types) {
  DefinitionId type = thousands(types, particle(types), 3, 8);
  type = types.structure({1, 10, 1}, {0, 40, 40 + 11 * span_of_type(types, type)},
                         {types.named("MPI_INT"), type, types.named("MPI_DOUBLE")});
  type = thousands(types, type, 1, 8);
  return types.hvector(12000, 1, span_of_type(types, type) + 8, type);
}

/// Of the same with strides that are too short, so that a search finds it out, and not a sum.
DefinitionId overlapping_structs(TestStore& types) {
  const DefinitionId type = thousands(types, particle(types), 4, 8);
  return types.hvector(100000, 1, span_of_type(types, type) - 9, type);
}

DefinitionId nest_of_indexed(TestStore& types) {
  DefinitionId type = types.named("MPI_CHAR");
  for (int level = 0; level < 6; ++level) {
    std::vector<std::int64_t> blocklengths;
    std::vector<std::int64_t> displacements;
    std::int64_t at = 0;
    for (int i = 0; i < 20; ++i) {
      constexpr std::array<std::int64_t, 5> lengths = {10, 90, 50, 30, 70};
      displacements.push_back(at);
      blocklengths.push_back(lengths[static_cast<std::size_t>((i + level) % 5)]);
      at += blocklengths.back() + 1 + (i * i + level) % 7;
    }
    type = types.indexed(blocklengths, displacements, type);
  }
  return type;
}

/// The columns of a matrix, one after the other.
DefinitionId transposed_matrix(TestStore& types) {
  const DefinitionId column = types.vector(1000000000, 1, 1000000000, types.named("MPI_CHAR"));
  return types.contiguous(1000000000, types.resized(column, 0, 1));
}

DefinitionId nest_of_resized(TestStore& types) {
  DefinitionId type = types.named("MPI_CHAR");
  for (int i = 0; i < 6; ++i) {
    type = types.contiguous(1000, type);
    type = types.resized(type, -1, types.bounds(type).extent.to_int64().value() + 3);
  }
  return type;
}

DefinitionId overlapping_nest(TestStore& types) {
  DefinitionId type = types.named("MPI_CHAR");
  for (const std::int64_t stride : {2, 7, 1001, 9000, 12345678, 1000000000}) {
    type = types.hvector(1000, 1, stride, type);
  }
  return type;
}

/// Bytes in an order of their own, each once.
DefinitionId interleaved_nest(TestStore& types) {
  DefinitionId type = types.named("MPI_CHAR");
  for (const std::int64_t stride : {1000L, 1L, 1000000L, 1000000000000L, 1000000000L, 1000000000000000L}) {
    type = types.hvector(1000, 1, stride, type);
  }
  return type;
}

/// The same with strides that are no multiples of one another.
DefinitionId askew_nest(TestStore& types) {
  DefinitionId type = types.named("MPI_CHAR");
  for (int i = 0; i < 3; ++i) {
    const std::int64_t unit = span_of_type(types, type);
    type = types.hvector(1000, 1, 1001 * unit, type);
    type = types.hvector(1000, 1, 1000 * unit, type);
  }
  return type;
}

DefinitionId nest_of_subarrays(TestStore& types) {
  DefinitionId type = types.named("MPI_CHAR");
  for (const std::int64_t order : {types.constants().order_c, types.constants().order_fortran}) {
    type = types.subarray({1010, 1005, 1020}, {1000, 1000, 1000}, {5, 0, 7}, order, type);
  }
  return type;
}

DefinitionId block_cyclic_darray(TestStore& types) {
  const LibraryConstants& constants = types.constants();
  return types.darray({4,
                       1,
                       {2000000000, 2000000000},
                       {constants.distribute_cyclic, constants.distribute_cyclic},
                       {4, 3},
                       {2, 2},
                       constants.order_fortran},
                      types.named("MPI_CHAR"));
}

constexpr HugeType huge[] = {{"nest of vectors", nest_of_vectors},
                             {"vectors beyond 64 bits", vectors_beyond_64_bits},
                             {"nest of structs", nest_of_structs},
                             {"nest of indexed", nest_of_indexed},
                             {"transposed matrix", transposed_matrix},
                             {"nest of resized", nest_of_resized},
                             {"overlapping nest", overlapping_nest},
                             {"interleaved nest", interleaved_nest},
                             {"askew nest", askew_nest},
                             {"overlapping structs", overlapping_structs},
                             {"nest of subarrays", nest_of_subarrays},
                             {"block-cyclic darray", block_cyclic_darray}};

constexpr int members = 1000;

/// Members of three kinds in no regular order.
DefinitionId wide_struct(TestStore& types) {
  const DefinitionId kinds[] = {types.named("MPI_INT"), types.named("MPI_DOUBLE"), types.named("MPI_CHAR")};
  std::vector<std::int64_t> blocklengths;
  std::vector<std::int64_t> displacements;
  std::vector<DefinitionId> oldtypes;
  for (int i = 0; i < members; ++i) {
    displacements.push_back(std::int64_t{i} * 40);
    blocklengths.push_back(1 + i * i % 3);
    oldtypes.push_back(kinds[(i * i + i / 7) % 3]);
  }
  return thousands(types, types.structure(blocklengths, displacements, oldtypes), 4, 8);
}

DefinitionId wide_indexed(TestStore& types) {
  std::vector<std::int64_t> blocklengths;
  std::vector<std::int64_t> displacements;
  std::int64_t at = 0;
  for (int i = 0; i < members; ++i) {
    displacements.push_back(at);
    blocklengths.push_back(1 + i * i % 7);
    at += blocklengths.back() + 1 + i * i % 5;
  }
  return thousands(types, types.indexed(blocklengths, displacements, types.named("MPI_CHAR")), 5, 8);
}

DefinitionId sixty_doublings(TestStore& types) { return doublings(types, 60); }

constexpr HugeType long_ones[] = {{"long: nest of a struct of 1,000", wide_struct},
                                  {"long: nest of an indexed of 1,000", wide_indexed},
                                  {"long: 60 doublings", sixty_doublings}};

Messages equal(TestStore& types, DefinitionId type) { return {type, 6, types.contiguous(3, type), 2}; }
Messages longer_receive(TestStore& types, DefinitionId type) { return {type, 4, types.contiguous(5, type), 1}; }
/// A copy of the type, and what differs.
Messages difference(TestStore& types, DefinitionId type) {
  const auto followed_by = [&](DefinitionId first, const char* other) {
    return types.structure({1, 1}, {0, 0}, {first, types.named(other)});
  };
  return {followed_by(types.contiguous(3, type), "MPI_LONG_DOUBLE"), 1,
          types.structure({2, 1}, {0, 0}, {type, followed_by(type, "MPI_FLOAT")}), 1};
}

constexpr MessagesOfType of_type[] = {
    {"match, equal", equal}, {"match, receive longer", longer_receive}, {"match, different", difference}};

/// int, double, int, double, ...: told in pairs, and in pairs after a first int; only the last entry differs.
Messages askew_pairs(TestStore& types) {
  const DefinitionId mpi_int = types.named("MPI_INT");
  const DefinitionId mpi_double = types.named("MPI_DOUBLE");
  const auto many = [&](DefinitionId type) { return types.contiguous(1000000000, types.contiguous(1000000000, type)); };
  const DefinitionId pairs = many(types.structure({1, 1}, {0, 8}, {mpi_int, mpi_double}));
  const DefinitionId turned = many(types.structure({1, 1}, {0, 8}, {mpi_double, mpi_int}));
  return {types.structure({1, 1}, {0, 0}, {pairs, types.named("MPI_CHAR")}), 1,
          types.structure({1, 1, 1}, {0, 8, 0}, {mpi_int, turned, types.named("MPI_SHORT")}), 1};
}

/// Ten copies with something between them, eighteen times; one leaf differs in the last copy of the last copy of ...
Messages deep_leaf(TestStore& types) {
  DefinitionId send = types.named("MPI_INT");
  DefinitionId receive = types.named("MPI_FLOAT");
  for (int i = 0; i < 18; ++i) {
    const DefinitionId between = types.named(i % 2 == 0 ? "MPI_DOUBLE" : "MPI_SHORT");
    receive = types.structure({9, 1, 1}, {0, 0, 0}, {send, receive, between});
    send = types.structure({10, 1}, {0, 0}, {send, between});
  }
  return {send, 1, receive, 1};
}

/// The same entries in blocks of other lengths, up to the last one.
Messages other_blocks(TestStore& types) {
  const DefinitionId mpi_int = types.named("MPI_INT");
  const DefinitionId mpi_double = types.named("MPI_DOUBLE");
  const DefinitionId sevens = types.structure({5, 2}, {0, 20}, {mpi_int, mpi_double});
  const DefinitionId send = types.contiguous(1000000000, types.contiguous(150000000, sevens));
  const DefinitionId again = types.structure({3, 1, 1}, {0, 0, 0}, {sevens, types.contiguous(11, sevens), sevens});
  const DefinitionId receive = types.contiguous(1000000000, types.contiguous(10000000, again));
  return {types.structure({1, 1}, {0, 0}, {send, mpi_int}), 1, types.structure({1, 1}, {0, 0}, {receive, mpi_double}),
          1};
}

constexpr HugeMessages parting[] = {
    {"pairs askew", askew_pairs}, {"a leaf 18 levels down", deep_leaf}, {"blocks of other lengths", other_blocks}};

}  // namespace

std::span<const HugeType> huge_types() { return huge; }
std::span<const HugeType> long_types() { return long_ones; }
std::span<const MessagesOfType> messages_of_type() { return of_type; }
std::span<const HugeMessages> messages_that_part() { return parting; }

DefinitionId chain(TestStore& types, int depth) {
  DefinitionId type = types.structure({1, 1}, {0, 8}, {types.named("MPI_DOUBLE"), types.named("MPI_INT")});
  for (int i = 1; i < depth; ++i) {
    switch (i % 4) {
      case 0:
        type = types.dup(type);
        break;
      case 1:
        type = types.hvector(i % 400 == 1 ? 3 : 1, 1, span_of_type(types, type) + 8, type);
        break;
      case 2:
        type = types.resized(type, -8, span_of_type(types, type) + 16);
        break;
      default:
        // Behind what is there.
        type = types.structure({1, 1}, {types.facts(type).true_ub.to_int64().value() + 16, 8},
                               {types.named("MPI_SHORT"), type});
    }
  }
  return type;
}

DefinitionId doublings(TestStore& types, int levels) {
  DefinitionId type = types.named("MPI_INT");
  for (int i = 0; i < levels; ++i) {
    type = types.structure({1, 1}, {0, span_of_type(types, type)}, {type, type});
  }
  return type;
}

}  // namespace ddtscope::bench
