// The rungs of the overlap ladder, and the diagnosis that stands on them.
#include "decoder/coverage/overlap.h"

#include <gtest/gtest.h>

#include "decoder/coverage/diagnosis.h"
#include "decoder/testing/test_store.h"

namespace ddtscope::test::overlap_test {
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
  EXPECT_EQ(within(types.contiguous(100000, column), 8), "no");
}

TEST_F(OverlapTest, ColumnsInAnyOrderNeedNoSweep) {
  const DefinitionId column = types.resized(types.vector(1000000, 1, 1000, mpi_double), 0, 8);
  EXPECT_EQ(within(types.indexed({1, 1, 1, 1}, {700, 3, 999, 4}, column), 16), "no");
  EXPECT_EQ(within(types.indexed({2, 1, 3, 1}, {700, 3, 996, 4}, column), 16), "no");
  EXPECT_EQ(within(types.indexed({2, 1, 3, 1}, {700, 3, 699, 4}, column)), "yes");
  EXPECT_EQ(within(types.indexed({2, 1}, {700, 3}, types.resized(column, 0, 0))), "yes");
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
  DefinitionId meshed = mpi_char;  // strides without any order in them
  for (const std::int64_t stride : {33166247903500, 26457513110600, 22360679774900, 17320508075600, 14142135623700}) {
    meshed = types.hvector(100, 1, stride, meshed);
  }
  EXPECT_EQ(within(meshed), "undecided");
  EXPECT_EQ(byte_touched_twice(types.layouts(), types.layouts().root(meshed)), std::nullopt);
  EXPECT_EQ(touched_bytes(types.layouts(), types.layouts().root(meshed)).covered, std::nullopt);
  EXPECT_EQ(diagnose(types.layouts(), meshed).hole_bytes, std::nullopt);
}

TEST_F(OverlapTest, TheLastBlockThatMayBeSeenIsSeen) {
  // 512 blocks of 4 bytes, of which each touches 2 of the next; four blocks count as a step.
  const DefinitionId chain = types.hvector(512, 1, 2, mpi_int);
  const auto touched = [&](std::size_t work) {
    return touched_bytes(types.layouts(), types.layouts().root(chain), work);
  };
  EXPECT_EQ(touched(128).overlap, Overlap::yes);
  EXPECT_EQ(touched(128).covered, Exact(511 * 2 + 4));
  EXPECT_EQ(touched(127).overlap, Overlap::yes);
  EXPECT_EQ(touched(127).covered, std::nullopt);
}

TEST_F(OverlapTest, BlocksBeyond64BitsAreSeenFromTheFirst) {
  const DefinitionId pair = types.hindexed({1, 1, 1}, {0, 2, 8}, mpi_int);
  const DefinitionId far = types.make(Combiner::hindexed, Form::int_counts, {{1}, {1}, {INT64_MAX}}, {pair});
  const TouchedBytes touched = touched_bytes(types.layouts(), types.layouts().root(far));
  EXPECT_EQ(touched.overlap, Overlap::yes);
  EXPECT_EQ(touched.covered, Exact(10));
}

TEST_F(OverlapTest, CopiesMayInterleave) {
  EXPECT_EQ(of_copies(types.resized(types.vector(10, 1, 4, mpi_int), 0, 4)), "yes");   // the fifth meets the first
  EXPECT_EQ(of_copies(types.resized(types.hvector(2, 1, 4, mpi_char), 0, 1)), "yes");  // denser than the extent
  EXPECT_EQ(of_copies(types.resized(types.hindexed({1, 1}, {0, 3}, mpi_char), 0, 2)), "no");
  EXPECT_EQ(of_copies(types.resized(types.hindexed({1, 1}, {0, 4}, mpi_char), 0, 2)), "yes");
  EXPECT_EQ(of_copies(types.resized(types.hindexed({1, 1}, {0, 3}, mpi_char), 0, -2)), "no");
}

TEST_F(OverlapTest, CombsThatMeshAreDecidedWhateverTheirLength) {
  const DefinitionId comb = types.hvector(INT64_C(1000000000), 1, 4, mpi_char);
  EXPECT_EQ(within(types.hindexed({1, 1, 1}, {0, 2, 3}, comb), 100), "no");
  EXPECT_EQ(within(types.hindexed({1, 1, 1}, {0, 2, 4002}, comb), 100), "yes");
  EXPECT_EQ(within(types.structure({1, 1, 1}, {0, 3, 1}, {comb, types.resized(comb, 0, 1), comb}), 100), "no");
  EXPECT_EQ(within(types.structure({1, 1, 1}, {0, 3, 4}, {comb, types.resized(comb, 0, 1), comb}), 100), "yes");
}

// 5 * 6 = 3 * 10 = 2 * 15 is the first sum that comes back: counts up to these are no overlap.
TEST_F(OverlapTest, StridesWithACommonMultipleOverlapFromThereOn) {
  const std::int64_t unit = INT64_C(1000000000);
  const auto nest = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
    return types.hvector(a, 1, 6 * unit, types.hvector(b, 1, 10 * unit, types.hvector(c, 1, 15 * unit, mpi_char)));
  };
  EXPECT_EQ(within(nest(5, 3, 2), 100), "no");
  EXPECT_EQ(within(nest(6, 4, 2), 100), "yes");
  EXPECT_EQ(within(nest(6, 2, 3), 100), "yes");
  EXPECT_EQ(within(nest(1000000, 1000000, 1000000), 100), "yes");
}

TEST_F(OverlapTest, TheFirstCopyThatMeetsCopyZeroIsNamed) {
  const auto first = [&](DefinitionId id) {
    return first_overlapping_copy(types.layouts(), types.layouts().root(id), types.bounds(id).extent);
  };
  // The next column's first row stands one row below: only copy M is as far as the next row.
  const FirstOverlap column = first(types.resized(types.vector(1000000, 1, 123456789, mpi_double), 0, 8));
  EXPECT_EQ(column.answer, Overlap::yes);
  EXPECT_EQ(column.copy, Exact(123456789));
  EXPECT_EQ((*column.byte).value() / 8 % 123456789, 0);
  EXPECT_EQ(first(types.resized(types.vector(3, 1, 10, mpi_int), 0, -4)).copy, Exact(10));
  EXPECT_EQ(first(types.resized(types.vector(3, 1, 10, mpi_int), 0, 12)).answer, Overlap::no);
  EXPECT_EQ(first(types.resized(types.vector(4, 1, 10, mpi_int), 0, 12)).copy, Exact(10));
  EXPECT_EQ(first(types.resized(types.vector(4, 1, 10, mpi_int), 0, 24)).copy, Exact(5));
  EXPECT_EQ(first(types.resized(mpi_int, 0, 3)).copy, Exact(1));
  EXPECT_EQ(first(types.resized(mpi_int, 0, 3)).byte, Exact(3));
  EXPECT_EQ(first(types.resized(mpi_int, 0, 0)).copy, Exact(1));
  EXPECT_EQ(first(mpi_int).answer, Overlap::no);
}

TEST_F(OverlapTest, ACountReachesTheFirstCopyThatMeetsOrDoesNot) {
  const auto of_count = [&](DefinitionId id, Exact count) {
    return text_of(overlap_of_count(types.layouts(), types.layouts().root(id), {count, types.bounds(id).extent}));
  };
  const DefinitionId column = types.resized(types.vector(1000000, 1, 1000, mpi_double), 0, 8);
  EXPECT_EQ(of_count(column, 1000), "no");
  EXPECT_EQ(of_count(column, 1001), "yes");
  EXPECT_EQ(of_count(column, Exact(Int128{1} << 100)), "yes");
  const DefinitionId twice = types.hindexed({1, 1}, {0, 1}, mpi_int);
  EXPECT_EQ(of_count(twice, 0), "no");
  EXPECT_EQ(of_count(twice, 1), "yes");
  EXPECT_EQ(of_count(types.contiguous(0, mpi_int), 5), "no");
}

TEST_F(OverlapTest, NamesAByteThatIsTouchedTwice) {
  const auto byte = [&](DefinitionId id) { return byte_touched_twice(types.layouts(), types.layouts().root(id)); };
  EXPECT_EQ(byte(types.hindexed({1, 1, 1}, {0, 20, 3}, mpi_int)), Exact(3));
  EXPECT_EQ(byte(types.hindexed({1, 1, 1}, {0, 20, 4}, mpi_int)), std::nullopt);
  EXPECT_EQ(byte(types.structure({1, 1}, {-100, INT64_C(4000000000)},
                                 {types.hvector(2, 1, INT64_C(4000000100), mpi_char), mpi_double})),
            Exact(INT64_C(4000000000)));
  const DefinitionId comb = types.hvector(1000000, 1, 4, mpi_char);
  const std::optional<Exact> shared = byte(types.hindexed({1, 1, 1}, {0, 2, 4002}, comb));
  ASSERT_TRUE(shared.has_value());
  EXPECT_EQ((*shared).value() % 4, 2);
  EXPECT_GE(*shared, Exact(4002));
}

TEST_F(OverlapTest, TilesOfAMatrixInAnyOrderAreDecided) {
  constexpr std::int64_t rows = 5000, columns = 64, across = 32, tiles = 1000;
  const DefinitionId tile = types.vector(rows, columns, columns * across, mpi_double);
  std::vector<std::int64_t> displacements;
  for (std::int64_t i = 0; i < tiles; ++i) {
    const std::int64_t k = i * 333 % tiles;
    displacements.push_back((k / across * rows * across + k % across) * columns * 8);
  }
  const std::vector<std::int64_t> lengths(tiles, 1);
  EXPECT_EQ(within(types.hindexed(lengths, displacements, tile)), "no");
  displacements[500] += 8;
  const DefinitionId id = types.hindexed(lengths, displacements, tile);
  EXPECT_EQ(within(id), "yes");
  EXPECT_TRUE(byte_touched_twice(types.layouts(), types.layouts().root(id)).has_value());
}

TEST_F(OverlapTest, LongShuffledListsAreDecided) {
  std::vector<std::int64_t> displacements, lengths;
  for (std::int64_t i = 0; i < 200000; ++i) {
    displacements.push_back(i * 77777 % 200000 * 24);
    lengths.push_back(1 + i % 3);
  }
  const DefinitionId type = types.hindexed(lengths, displacements, mpi_double);
  EXPECT_EQ(within(type), "no");
  displacements.push_back(24 * 100000 - 1);
  lengths.push_back(1);
  EXPECT_EQ(within(types.hindexed(lengths, displacements, mpi_double)), "yes");
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
  EXPECT_EQ(touched_bytes(types.layouts(), types.layouts().root(id)).covered, Exact(10));
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
}  // namespace ddtscope::test::overlap_test
