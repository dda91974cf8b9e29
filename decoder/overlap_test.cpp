// The rungs of the overlap ladder, and the diagnosis that stands on them.
#include "decoder/overlap.h"

#include <gtest/gtest.h>

#include "decoder/diagnosis.h"
#include "decoder/test_store.h"

namespace ddtscope::test {
namespace {

class OverlapTest : public testing::Test {
 protected:
  std::string_view within(DefinitionId id, std::size_t limit = overlap_work_limit) {
    return text_of(overlap_within(types.layouts(), types.layouts().root(id), limit));
  }
  std::string_view of_copies(DefinitionId id, std::size_t limit = overlap_work_limit) {
    return text_of(overlap_of_copies(types.layouts(), types.layouts().root(id), types.bounds(id).extent, limit));
  }
  TestStore types;
  DefinitionId mpi_char = types.named("MPI_CHAR");
  DefinitionId mpi_int = types.named("MPI_INT");
  DefinitionId mpi_double = types.named("MPI_DOUBLE");
};

TEST_F(OverlapTest, NestedStridesNeedNoSweep) {
  const DefinitionId huge = types.vector(1000000, 1, 2000000, types.vector(1000000, 1, 2, mpi_double));
  EXPECT_EQ(within(huge, 0), "no");
  EXPECT_EQ(within(types.hvector(1000, 1, -16, mpi_double), 0), "no");
}

TEST_F(OverlapTest, TransposedMatricesNeedNoSweep) {
  const DefinitionId column = types.resized(types.vector(100000, 1, 100000, mpi_double), 0, 8);
  EXPECT_EQ(within(types.contiguous(100000, column), 0), "no");
}

TEST_F(OverlapTest, UnsortedPartsNeedNoSweepOfTheirBlocks) {
  const DefinitionId wide = types.vector(1000000, 1, 2, mpi_char);
  EXPECT_EQ(within(types.hindexed({1, 1, 1}, {2000000, 4000000, 0}, wide), 8), "no");
}

TEST_F(OverlapTest, MoreBytesThanRoomIsAYes) {
  EXPECT_EQ(within(types.hvector(1000000000, 1, 7, mpi_double), 0), "yes");
  EXPECT_EQ(within(types.hvector(2, 1, 0, mpi_char), 0), "yes");
}

TEST_F(OverlapTest, TheSweepFindsSingleBytes) {
  EXPECT_EQ(within(types.hindexed({1, 1, 1}, {0, 20, 3}, mpi_int)), "yes");
  EXPECT_EQ(within(types.hindexed({1, 1, 1}, {0, 20, 4}, mpi_int)), "no");
  // Combs that mesh.
  const DefinitionId comb = types.hvector(100, 1, 4, mpi_char);
  EXPECT_EQ(within(types.hindexed({1, 1, 1}, {0, 2, 5}, comb)), "no");
  EXPECT_EQ(within(types.hindexed({1, 1}, {0, 40}, comb)), "yes");
}

TEST_F(OverlapTest, EvenPartsAreALoopAndDecided) {
  const DefinitionId comb = types.hvector(1000000, 1, 4, mpi_char);
  EXPECT_EQ(within(types.hindexed({1, 1}, {0, 2}, comb)), "no");
}

TEST_F(OverlapTest, SortedPartsThatShareAByteAreNotApart) {
  EXPECT_EQ(within(types.hindexed({1, 1, 1}, {0, 3, 20}, mpi_int)), "yes");
  EXPECT_EQ(within(types.hindexed({1, 1, 1}, {20, 3, 0}, mpi_int)), "yes");
  EXPECT_EQ(within(types.hindexed({1, 1, 1}, {0, 4, 20}, mpi_int), 0), "no");
  EXPECT_EQ(within(types.structure({1, 1, 1}, {0, 3, 20}, {mpi_int, mpi_char, mpi_int})), "yes");
  EXPECT_EQ(within(types.structure({1, 1, 1}, {20, 4, 0}, {mpi_int, mpi_char, mpi_int}), 0), "no");
}

TEST_F(OverlapTest, GivesUpOpenly) {
  const DefinitionId comb = types.hvector(1000000, 1, 4, mpi_char);
  const DefinitionId meshed = types.hindexed({1, 1, 1}, {0, 2, 3}, comb);
  EXPECT_EQ(within(meshed), "undecided");
  EXPECT_EQ(bytes_covered(types.layouts(), types.layouts().root(meshed)), std::nullopt);
  EXPECT_EQ(diagnose(types.layouts(), meshed).hole_bytes, std::nullopt);
}

TEST_F(OverlapTest, CopiesMayInterleave) {
  EXPECT_EQ(of_copies(types.resized(types.vector(10, 1, 4, mpi_int), 0, 4)), "yes");   // the fifth meets the first
  EXPECT_EQ(of_copies(types.resized(types.hvector(2, 1, 4, mpi_char), 0, 1)), "yes");  // denser than the extent
  EXPECT_EQ(of_copies(types.resized(types.hindexed({1, 1}, {0, 3}, mpi_char), 0, 2)), "no");
  EXPECT_EQ(of_copies(types.resized(types.hindexed({1, 1}, {0, 4}, mpi_char), 0, 2)), "yes");
  EXPECT_EQ(of_copies(types.resized(types.hindexed({1, 1}, {0, 3}, mpi_char), 0, -2)), "no");
}

TEST_F(OverlapTest, CopiesOnOneSpotOverlap) {
  EXPECT_EQ(of_copies(types.resized(mpi_int, 0, 0)), "yes");
  EXPECT_EQ(of_copies(types.contiguous(0, mpi_int)), "no");
}

TEST_F(OverlapTest, ALongTypeIsDecidedByItsDensity) {
  const DefinitionId id = types.resized(types.vector(1000000, 1, 2, mpi_double), 0, 16);
  EXPECT_EQ(of_copies(id, 10), "yes");
  EXPECT_EQ(of_copies(types.resized(types.vector(1000000, 1, 2, mpi_double), 0, 16000000)), "no");
}

TEST_F(OverlapTest, DoublingNestsAreLinear) {
  DefinitionId id = mpi_double;
  for (int i = 0; i < 59; ++i) {
    const std::int64_t extent = i < 50 ? std::int64_t{16} << i : INT64_C(16) << 50;
    id = types.make(Combiner::hindexed, Form::large_counts, {{2}, {1, 1}, {extent, 0}}, {id});
  }
  EXPECT_NE(within(id), "no");
  EXPECT_EQ(of_copies(id), "no");
}

TEST_F(OverlapTest, SizesThatDoNotFitAreUndecided) {
  DefinitionId id = types.hvector(1000, 1, 4, mpi_double);
  for (int i = 0; i < 3; ++i) id = types.contiguous(INT64_MAX, types.resized(id, 0, INT64_MAX));
  EXPECT_NE(within(id), "no");
}

TEST_F(OverlapTest, CountsCoveredBytesOnce) {
  const DefinitionId id = types.hindexed({1, 1, 1}, {0, 2, 10}, mpi_int);
  EXPECT_EQ(bytes_covered(types.layouts(), types.layouts().root(id)), Exact(10));
}

TEST_F(OverlapTest, DiagnosisTellsTouchedBytesFromTheExtent) {
  const DefinitionId id = types.resized(types.hindexed({1, 1}, {-4, 8}, mpi_int), 0, 8);
  const Diagnosis diagnosis = diagnose(types.layouts(), id);
  EXPECT_EQ(diagnosis.bytes_before_lb, Exact(4));
  EXPECT_EQ(diagnosis.bytes_beyond_ub, Exact(4));
  EXPECT_EQ(diagnosis.hole_bytes, Exact(8));
  EXPECT_EQ(diagnosis.entries_overlap, Overlap::no);
  EXPECT_EQ(diagnosis.copies_overlap, Overlap::no);
  EXPECT_EQ(diagnosis.first, Exact(-4));
  EXPECT_EQ(diagnosis.span_of_one, Exact(16));
  EXPECT_EQ(diagnosis.span_per_copy, Exact(8));
}

TEST_F(OverlapTest, DiagnosisOfAnEmptyTypeIsAllZero) {
  const Diagnosis diagnosis = diagnose(types.layouts(), types.resized(types.contiguous(0, mpi_int), 8, 100));
  EXPECT_EQ(diagnosis.bytes_before_lb, Exact(0));
  EXPECT_EQ(diagnosis.bytes_beyond_ub, Exact(0));
  EXPECT_EQ(diagnosis.hole_bytes, Exact(0));
  EXPECT_EQ(diagnosis.copies_overlap, Overlap::no);
}

TEST_F(OverlapTest, DiagnosisUsesTheObservedExtent) {
  const DefinitionId id = types.hindexed({1, 1}, {0, 12}, mpi_double);
  types.layouts().observe(id, ObservedBounds{16, 0, 12, 0, 20});
  const Diagnosis diagnosis = diagnose(types.layouts(), id);
  EXPECT_EQ(diagnosis.bytes_beyond_ub, Exact(8));
  EXPECT_EQ(diagnosis.copies_overlap, Overlap::yes);
  EXPECT_EQ(diagnosis.span_per_copy, Exact(12));
}

}  // namespace
}  // namespace ddtscope::test
