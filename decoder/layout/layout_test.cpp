// Bounds, sizes and counts by hand: the standard's own examples, hard cases, and sizes that no typemap
// could be written out for.
#include "decoder/layout/layout.h"

#include <gtest/gtest.h>

#include "decoder/layout/strided_runs.h"
#include "decoder/layout/typemap.h"
#include "decoder/testing/test_store.h"

namespace ddtscope::test::layout_test {
namespace {

class LayoutTest : public testing::Test {
 protected:
  void expect_bounds(DefinitionId id, std::int64_t lb, std::int64_t extent, std::int64_t true_lb,
                     std::int64_t true_extent) {
    const Bounds& bounds = types.bounds(id);
    EXPECT_EQ(bounds.lb, Exact(lb));
    EXPECT_EQ(bounds.extent, Exact(extent));
    EXPECT_EQ(bounds.ub, Exact(lb + extent));
    EXPECT_EQ(bounds.true_lb, Exact(true_lb));
    EXPECT_EQ(bounds.true_extent, Exact(true_extent));
    EXPECT_EQ(bounds.true_ub, Exact(true_lb + true_extent));
  }
  std::vector<std::int64_t> displacements(DefinitionId id) {
    std::vector<std::int64_t> result;
    TypemapCursor cursor(types.layouts(), types.layouts().root(id));
    for (TypemapEntry entry; cursor.next(entry);) result.push_back(*entry.displacement.to_int64());
    return result;
  }
  DefinitionId empty() { return types.contiguous(0, mpi_int); }

  TestStore types;
  DefinitionId mpi_char = types.named("MPI_CHAR");
  DefinitionId mpi_int = types.named("MPI_INT");
  DefinitionId mpi_double = types.named("MPI_DOUBLE");
  // The oldtype of the standard's examples: {(double, 0), (char, 8)} of extent 16.
  DefinitionId double_char = types.structure({1, 1}, {0, 8}, {mpi_double, mpi_char});
};

class BoundsTest : public LayoutTest {};
class StandardExamples : public LayoutTest {};

TEST_F(StandardExamples, StructIsPaddedToItsAlignment) { expect_bounds(double_char, 0, 16, 0, 9); }

TEST_F(StandardExamples, Contiguous) {
  EXPECT_EQ(displacements(types.contiguous(3, double_char)), (std::vector<std::int64_t>{0, 8, 16, 24, 32, 40}));
}

TEST_F(StandardExamples, Vector) {
  EXPECT_EQ(displacements(types.vector(2, 3, 4, double_char)),
            (std::vector<std::int64_t>{0, 8, 16, 24, 32, 40, 64, 72, 80, 88, 96, 104}));
  EXPECT_EQ(displacements(types.vector(3, 1, -2, double_char)), (std::vector<std::int64_t>{0, 8, -32, -24, -64, -56}));
}

TEST_F(StandardExamples, Indexed) {
  EXPECT_EQ(displacements(types.indexed({3, 1}, {4, 0}, double_char)),
            (std::vector<std::int64_t>{64, 72, 80, 88, 96, 104, 0, 8}));
}

TEST_F(StandardExamples, Struct) {
  const DefinitionId id = types.structure({2, 1, 3}, {0, 16, 26}, {types.named("MPI_FLOAT"), double_char, mpi_char});
  EXPECT_EQ(displacements(id), (std::vector<std::int64_t>{0, 4, 16, 24, 26, 27, 28}));
}

TEST_F(StandardExamples, ResizedMarksAreReplicated) {
  // MPI-4.1 5.1.7: type1 = resized(INT, -3, 9), type2 = contiguous(2, type1).
  const DefinitionId type1 = types.resized(mpi_int, -3, 9);
  expect_bounds(type1, -3, 9, 0, 4);
  expect_bounds(types.contiguous(2, type1), -3, 18, 0, 13);
}

TEST_F(StandardExamples, SubarrayOfAFileView) {
  const LibraryConstants& c = types.constants();
  const DefinitionId id = types.subarray({100, 100}, {100, 25}, {0, 50}, c.order_c, mpi_double);
  expect_bounds(id, 0, 80000, 400, 79400);
  EXPECT_EQ(types.facts(id).blocks, Exact(100));
  EXPECT_EQ(types.facts(types.subarray({100, 100}, {100, 25}, {0, 50}, c.order_fortran, mpi_double)).blocks, Exact(1));
}

TEST_F(StandardExamples, DarrayBlockCyclicNone) {
  // MPI-4.1 example 5.16: filetypes of a 100 x 200 x 300 array over 6 processes.
  const LibraryConstants& c = types.constants();
  for (std::int64_t rank = 0; rank < 6; ++rank) {
    const DefinitionId id = types.darray({6,
                                          rank,
                                          {100, 200, 300},
                                          {c.distribute_cyclic, c.distribute_none, c.distribute_block},
                                          {10, c.distribute_dflt_darg, c.distribute_dflt_darg},
                                          {2, 1, 3},
                                          c.order_fortran},
                                         mpi_int);
    EXPECT_EQ(types.facts(id).entries, Exact(50 * 200 * 100));
    const std::int64_t first = rank / 3 * 10 + rank % 3 * 100 * (100 * 200);
    EXPECT_EQ(types.bounds(id).true_lb, Exact(4 * first));
    EXPECT_EQ(types.bounds(id).extent, Exact(4 * 100 * 200 * 300));
  }
}

// The table of types that libraries disagree on.
TEST_F(BoundsTest, MarkerOfAMemberWins) {
  const DefinitionId id = types.structure({1, 1}, {0, 4}, {mpi_int, types.resized(mpi_char, 0, 1)});
  expect_bounds(id, 4, 1, 0, 5);
}

TEST_F(BoundsTest, IndexedExtentIsRoundedToTheAlignment) {
  expect_bounds(types.hindexed({1, 1}, {0, 12}, mpi_double), 0, 24, 0, 20);
}

TEST_F(BoundsTest, RoundingIsOverEntriesAndNotOverPaddedMembers) {
  expect_bounds(types.hvector(2, 1, 17, double_char), 0, 32, 0, 26);
  expect_bounds(types.structure({1, 1}, {4, 0}, {double_char, mpi_char}), 0, 16, 0, 13);
}

TEST_F(BoundsTest, BlocklengthZeroLeavesNothing) {
  expect_bounds(types.vector(3, 0, 5, mpi_int), 0, 0, 0, 0);
  EXPECT_EQ(types.facts(types.vector(3, 0, 5, types.resized(mpi_int, -9, 50))).lb_marker, std::nullopt);
}

TEST_F(BoundsTest, NegativeStrideMovesTheLowerBound) {
  expect_bounds(types.hvector(3, 1, -1, mpi_char), -2, 3, -2, 3);
  expect_bounds(types.hvector(2, 1, -1, mpi_int), -1, 8, -1, 5);
}

TEST_F(BoundsTest, MarkersOfAnEmptyTypeAreReplicated) {
  expect_bounds(types.contiguous(3, types.resized(empty(), 0, 100)), 0, 300, 0, 0);
}

TEST_F(BoundsTest, EmptyMembersCountForNothing) {
  expect_bounds(types.structure({1, 1}, {0, 4}, {empty(), mpi_int}), 4, 4, 4, 4);
  expect_bounds(types.structure({1, 1}, {100, 0}, {empty(), mpi_int}), 0, 4, 0, 4);
}

TEST_F(BoundsTest, DarrayOfARankThatOwnsNothing) {
  const LibraryConstants& c = types.constants();
  const DefinitionId id =
      types.darray({4, 3, {2}, {c.distribute_block}, {c.distribute_dflt_darg}, {4}, c.order_c}, mpi_int);
  EXPECT_EQ(types.bounds(id).size, Exact(0));
  expect_bounds(id, 0, 8, 0, 0);
}

// MPI-4.1 5.1.4: MPI_DISTRIBUTE_NONE is MPI_DISTRIBUTE_CYCLIC with the whole dimension for its argument.
TEST_F(BoundsTest, DarrayWithADimensionThatIsNotDistributedOverTwoProcesses) {
  const LibraryConstants& c = types.constants();
  const auto of_rank = [&](std::int64_t rank) {
    return types.darray({4, rank, {6, 4}, {c.distribute_none, c.distribute_block}, {0, 2}, {2, 2}, c.order_c}, mpi_int);
  };
  expect_bounds(of_rank(0), 0, 96, 0, 88);
  expect_bounds(of_rank(1), 0, 96, 8, 88);
  EXPECT_EQ(types.bounds(of_rank(1)).size, Exact(48));
  expect_bounds(of_rank(2), 0, 96, 0, 0);
  expect_bounds(of_rank(3), 0, 96, 0, 0);
}

TEST_F(BoundsTest, DarrayWithACyclicBlockThatIsCutShort) {
  const LibraryConstants& c = types.constants();
  const DefinitionId id = types.darray(
      {2, 1, {2, 4}, {c.distribute_cyclic, c.distribute_cyclic}, {3, c.distribute_dflt_darg}, {1, 2}, c.order_c},
      mpi_int);
  expect_bounds(id, 0, 32, 4, 28);
}

TEST_F(BoundsTest, IndexedBlockIsRoundedFromItsEntries) {
  const DefinitionId id =
      types.make(Combiner::hindexed_block, Form::int_counts, {{4}, {1}, {18, 0, -18, -24}}, {mpi_double});
  expect_bounds(id, -24, 56, -24, 50);
}

TEST_F(BoundsTest, RemovedMarkersAreNoEntries) {
  // MPI-1 example 3.26: {(lb, -3), (int, 0)}.
  const DefinitionId id =
      types.structure({1, 1, 1}, {-3, 0, 6}, {types.named("MPI_LB"), mpi_int, types.named("MPI_UB")});
  expect_bounds(id, -3, 9, 0, 4);
  EXPECT_EQ(types.facts(id).entries, Exact(1));
  expect_bounds(types.contiguous(2, id), -3, 18, 0, 13);
  expect_bounds(types.dup(types.named("MPI_LB")), 0, 0, 0, 0);
  expect_bounds(types.resized(types.named("MPI_UB"), 4, 8), 4, 8, 0, 0);
}

TEST_F(LayoutTest, ResizedReplacesTheMarkersBelow) {
  const DefinitionId id = types.resized(types.resized(mpi_int, -100, 500), 2, 6);
  expect_bounds(id, 2, 6, 0, 4);
  EXPECT_EQ(types.facts(types.resized(mpi_int, -100, 500)).lb_marker, Exact(-100));
}

TEST_F(LayoutTest, PairTypesHaveTwoEntries) {
  EXPECT_EQ(displacements(types.named("MPI_DOUBLE_INT")), (std::vector<std::int64_t>{0, 8}));
  expect_bounds(types.named("MPI_DOUBLE_INT"), 0, 16, 0, 12);
  EXPECT_EQ(types.facts(types.contiguous(3, types.named("MPI_2INT"))).signature_runs, Exact(1));
  EXPECT_EQ(displacements(types.make(Combiner::value_index, Form::int_counts, {}, {mpi_char, mpi_double})),
            (std::vector<std::int64_t>{0, 8}));
}

TEST_F(LayoutTest, ObservedExtentsMoveTheCopies) {
  const DefinitionId inner = types.hindexed({1, 1}, {0, 12}, mpi_double);
  types.layouts().observe(inner, ObservedBounds{16, 0, 20, 0, 20});  // as MPICH has it: not rounded
  const DefinitionId outer = types.contiguous(2, inner);
  EXPECT_EQ(displacements(outer), (std::vector<std::int64_t>{0, 12, 20, 32}));
  EXPECT_EQ(types.bounds(inner).extent, Exact(24));
  EXPECT_EQ(types.layouts().extent(inner), Exact(20));
}

TEST_F(LayoutTest, ValuesThatTheLibraryCallsUndefinedFallBackToComputedOnes) {
  types.layouts().observe(double_char, ObservedBounds{9, 0, std::nullopt, 0, 9});
  EXPECT_EQ(types.layouts().extent(double_char), Exact(16));
}

TEST_F(LayoutTest, F90TypesAreOneEntry) {
  const auto make = [&] { return types.make(Combiner::f90_real, Form::int_counts, {{15}, {307}}, {}); };
  types.store().add_basic({"F90_REAL(15,307)", PredefinedKind::basic, 8, 8, 8, {}, {}, 0});
  const DefinitionId id = make();
  expect_bounds(id, 0, 8, 0, 8);
  EXPECT_EQ(types.store().predefined()[types.facts(id).first_type].name, "F90_REAL(15,307)");
  const DefinitionId unknown = types.make(Combiner::f90_integer, Form::int_counts, {{9}}, {});
  EXPECT_EQ(types.bounds(unknown).size, Exact(0));
}

TEST_F(LayoutTest, MillionMillionMillionEntriesAnswerAtOnce) {
  const DefinitionId id = types.vector(1000000, 1000000, 2000000, types.vector(1000000, 1, 2, mpi_double));
  EXPECT_EQ(types.facts(id).entries.to_string(), "1000000000000000000");
  EXPECT_EQ(types.bounds(id).size.to_string(), "8000000000000000000");
  EXPECT_EQ(types.facts(id).signature_runs, Exact(1));
  // The last element of one oldtype adjoins the first one of the next.
  EXPECT_EQ(types.facts(id).blocks.to_string(), "999999000001000000");
  EXPECT_EQ(signature_runs(types.layouts(), types.layouts().root(id), 10).size(), 1u);
}

TEST_F(LayoutTest, IntMaxTimesIntMaxIsExact) {
  const DefinitionId id = types.contiguous(INT32_MAX, types.contiguous(INT32_MAX, mpi_double));
  EXPECT_EQ(types.bounds(id).size.to_string(), "36893488113059364872");
  EXPECT_EQ(types.bounds(id).size.to_int64(), std::nullopt);
}

TEST_F(LayoutTest, WhatExceeds128BitsDoesNotFit) {
  DefinitionId id = mpi_double;
  for (int i = 0; i < 2; ++i) id = types.contiguous(INT64_MAX, id);
  EXPECT_FALSE(types.bounds(id).size.fits());
  EXPECT_FALSE(types.bounds(id).extent.fits());
  EXPECT_EQ(types.bounds(id).lb, Exact(0));
  EXPECT_TRUE(types.facts(id).entries.fits());
  id = types.contiguous(INT64_MAX, id);
  EXPECT_FALSE(types.facts(id).entries.fits());
  EXPECT_FALSE(types.facts(id).empty());
  const DefinitionId outer = types.structure({1, 1}, {0, 8}, {id, mpi_char});
  EXPECT_FALSE(types.bounds(outer).size.fits());
  EXPECT_FALSE(types.facts(types.indexed({1, 2}, {INT32_MAX, 0}, id)).blocks.fits());
}

TEST_F(LayoutTest, LargeDisplacementsDoNotWrap) {
  const DefinitionId id =
      types.make(Combiner::indexed, Form::large_counts, {{2}, {1, INT64_MAX}, {INT64_MIN, INT64_MAX}}, {mpi_double});
  EXPECT_EQ(types.bounds(id).true_lb.to_string(), "-73786976294838206464");
  EXPECT_EQ(types.bounds(id).true_ub.to_string(), "147573952589676412912");
  EXPECT_EQ(types.facts(id).entries.to_string(), "9223372036854775808");
}

TEST_F(LayoutTest, DeepNestsNeedNoStack) {
  DefinitionId chain = mpi_int;
  DefinitionId shifted = mpi_int;
  DefinitionId contiguous = mpi_int;
  for (int i = 0; i < 10000; ++i) {
    chain = types.structure({1, 1}, {0, 4 * (i + 1)}, {chain, mpi_int});
    shifted = types.hindexed({1}, {4}, shifted);
    contiguous = types.contiguous(1, contiguous);
  }
  EXPECT_EQ(types.facts(chain).entries, Exact(10001));
  EXPECT_EQ(types.facts(chain).blocks, Exact(1));
  EXPECT_EQ(displacements(chain).size(), 10001u);
  EXPECT_EQ(displacements(shifted), (std::vector<std::int64_t>{40000}));
  const StridedRuns runs = strided_runs(types.layouts(), types.layouts().root(shifted), 4);
  ASSERT_EQ(runs.runs.size(), 1u);
  EXPECT_EQ(runs.runs[0].displacement, Exact(40000));
  strided_runs(types.layouts(), types.layouts().root(chain), 64);
}

TEST_F(LayoutTest, DoublingNestsAreLinear) {
  DefinitionId id = types.structure({1, 1}, {0, 4}, {mpi_int, types.named("MPI_FLOAT")});
  for (int i = 0; i < 60; ++i) {
    const std::int64_t half = *types.bounds(id).extent.to_int64();
    id = types.make(Combiner::hindexed, Form::large_counts, {{2}, {1, 1}, {half, 0}}, {id});
    if (i == 57) break;  // displacements are 64 bits
  }
  EXPECT_EQ(types.facts(id).entries.to_string(), "576460752303423488");
  EXPECT_EQ(signature_runs(types.layouts(), types.layouts().root(id), 64).size(), 64u);
  BlockCursor blocks(types.layouts(), types.layouts().root(id));
  Block block;
  EXPECT_TRUE(blocks.next(block));
  strided_runs(types.layouts(), types.layouts().root(id), 64);
}

TEST_F(LayoutTest, WhatIsForgottenLeavesRoomForTheNext) {
  const DefinitionId row = types.vector(3, 2, 5, mpi_int);
  const std::size_t before = types.layouts().bytes();
  const auto every_kind = [&](std::int64_t n) {
    return std::vector{types.structure({1, 2}, {0, 64}, {row, mpi_double}),
                       types.indexed({1, 2, 1}, {0, 3, 9}, row),
                       types.subarray({9, 9}, {n, 2}, {1, 1}, mpich_constants.order_c, row),
                       types.resized(row, -4, 200),
                       types.vector(n, 2, 9, double_char),
                       types.hindexed({n, 1}, {8, 900}, mpi_double)};
  };
  const auto texts = [&](const std::vector<DefinitionId>& made) {
    std::vector<std::string> result;
    for (const DefinitionId id : made) {
      std::string text;
      for (const std::int64_t at : displacements(id)) text += std::to_string(at) + ' ';
      result.push_back(text + types.bounds(id).extent.to_string());
    }
    return result;
  };
  const std::vector<DefinitionId> first = every_kind(2);
  const std::vector<std::string> texts_of_first = texts(first);
  const std::size_t with_them = types.layouts().bytes();
  for (const DefinitionId id : first) types.layouts().forget(id);
  EXPECT_EQ(types.layouts().bytes(), before);
  for (auto id = first.rbegin(); id != first.rend(); ++id) types.layouts().add(*id);
  EXPECT_EQ(texts(first), texts_of_first);
  EXPECT_EQ(types.layouts().bytes(), with_them);
  const std::vector<DefinitionId> second = every_kind(3);
  EXPECT_EQ(texts(first), texts_of_first);
  EXPECT_NE(texts(second), texts_of_first);
  expect_bounds(row, 0, 48, 0, 48);
}

TEST_F(LayoutTest, WhatIsDeferredIsLaidOutTheSame) {
  const DefinitionId row = types.vector(3, 2, 5, mpi_int);
  const DefinitionId block = types.structure({1, 2}, {0, 64}, {row, mpi_double});
  const DefinitionId all[] = {row, block, types.indexed({1, 2, 1}, {0, 3, 9}, block), types.resized(block, -4, 200),
                              types.vector(2, 2, 9, block)};
  const ObservedBounds of_row{24, 0, 96, 0, 48};  // another extent than the computed one
  Layouts layouts(types.store());
  PackedObserved source;
  for (std::uint32_t i = 0; i < types.store().size(); ++i) {
    const DefinitionId id{i};
    layouts.add(id);
    if (types.store()[id].predefined.valid()) continue;
    const ObservedBounds observed = id == row ? of_row : ObservedBounds{};
    layouts.observe(id, observed);
    source.add(id, observed);
  }
  Layouts deferred(types.store(), source);
  const auto expect_same = [&](DefinitionId id) {
    EXPECT_EQ(deferred.facts(id).entries, layouts.facts(id).entries);
    EXPECT_EQ(deferred.facts(id).true_ub, layouts.facts(id).true_ub);
    EXPECT_EQ(deferred.computed(id).extent, layouts.computed(id).extent);
    EXPECT_EQ(deferred.extent(id), layouts.extent(id));
    EXPECT_EQ(deferred.observed(id), layouts.observed(id));
    TypemapCursor mine(deferred, deferred.root(id));
    TypemapCursor theirs(layouts, layouts.root(id));
    for (TypemapEntry entry, wanted; theirs.next(wanted);) {
      ASSERT_TRUE(mine.next(entry));
      EXPECT_EQ(entry.displacement, wanted.displacement);
    }
  };
  EXPECT_EQ(deferred.observed(row), of_row);
  EXPECT_EQ(deferred.size(), layouts.size());
  EXPECT_EQ(deferred.bytes(), 0U) << "nobody has asked for a layout";
  for (auto id = std::rbegin(all); id != std::rend(all); ++id) expect_same(*id);
  // The same after all have been given back, in any order.
  for (int round = 0; round < 3; ++round) {
    for (const DefinitionId id : all) {
      expect_same(id);
      deferred.make_room(1);
    }
    for (auto id = std::rbegin(all); id != std::rend(all); ++id) expect_same(*id);
  }
}

TEST_F(LayoutTest, RoomIsMadeAtMostHowOftenItPays) {
  constexpr int length = 4000;
  const PackedObserved nothing;
  std::vector<DefinitionId> all;
  const auto most_bytes = [&] {
    Layouts layouts(types.store(), nothing);
    std::size_t most = 0;
    std::size_t rounds = 0;
    for (const DefinitionId id : all) {
      layouts.root(id);
      most = std::max(most, layouts.bytes());
      rounds += layouts.make_room(64 * 1024) ? 1 : 0;
    }
    return std::pair(most, rounds);
  };
  for (int i = 0; i < length; ++i) all.push_back(types.vector(2, 1, 2 + i, mpi_int));
  const auto [apart, rounds_apart] = most_bytes();
  EXPECT_LT(apart, 100U * 1024) << "types that have nothing to do with each other";
  EXPECT_GT(rounds_apart, 20U);
  all.assign(1, mpi_int);
  for (int i = 0; i < length; ++i) all.push_back(types.vector(2, 1, 3, all.back()));
  EXPECT_LT(most_bytes().second, 10U) << "each is made of all before it: they cannot be laid out again and again";
}

}  // namespace
}  // namespace ddtscope::test::layout_test
