// Memory that copies of a type need.
#include "decoder/layout/span.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "decoder/testing/test_store.h"
#include "decoder/testing/typemap_oracle.h"

namespace ddtscope::test::span_test {
namespace {

class SpanTest : public testing::Test {
 protected:
  Span span(DefinitionId id, Exact count) { return span_of(types.layouts(), id, count); }
  TestStore types;
  DefinitionId mpi_char = types.named("MPI_CHAR");
  DefinitionId mpi_int = types.named("MPI_INT");
  DefinitionId mpi_double = types.named("MPI_DOUBLE");
};

TEST_F(SpanTest, AGathersTemporaryBufferIsNotCountTimesTheExtent) {
  // A column of a 10 x 10 matrix, resized so that neighbouring columns are neighbouring copies: the extent is
  // 8 bytes, the buffer for one column 728 (MPI-4.1 5.1.8).
  const DefinitionId column = types.resized(types.vector(10, 1, 10, mpi_double), 0, 8);
  EXPECT_EQ(span(column, 1), (Span{0, 728}));
  EXPECT_EQ(span(column, 10), (Span{0, 800}));
}

TEST_F(SpanTest, BeginsWhereTheDataBegins) {
  EXPECT_EQ(span(types.hindexed({1, 1}, {24, 40}, mpi_int), 1), (Span{24, 44}));
  EXPECT_EQ(span(types.resized(types.hindexed({1}, {24}, mpi_int), 0, 64), 3), (Span{24, 156}));
  EXPECT_EQ(span(types.vector(3, 1, -2, mpi_int), 1), (Span{-16, 4}));
  EXPECT_EQ(span(types.vector(3, 1, -2, mpi_int), 2), (Span{-16, 24}));
}

TEST_F(SpanTest, ANegativeExtentLeadsDown) {
  const DefinitionId id = types.resized(mpi_double, 0, -16);
  EXPECT_EQ(span(id, 1), (Span{0, 8}));
  EXPECT_EQ(span(id, 4), (Span{-48, 8}));
  EXPECT_EQ(span(types.resized(mpi_double, 0, 0), 5), (Span{0, 8}));
}

TEST_F(SpanTest, NothingNeedsNothing) {
  const DefinitionId id = types.hindexed({1, 1}, {24, 40}, mpi_int);
  EXPECT_EQ(span(id, 0), (Span{0, 0}));
  EXPECT_EQ(span(id, 0).length(), Exact(0));
  EXPECT_EQ(span(types.resized(types.contiguous(0, mpi_int), 8, 100), 7), (Span{0, 0}));
}

TEST_F(SpanTest, UsesTheObservedExtent) {
  const DefinitionId id = types.hindexed({1, 1}, {0, 12}, mpi_double);
  EXPECT_EQ(span(id, 2), (Span{0, 44}));  // 24 by the standard
  types.layouts().observe(id, ObservedBounds{16, 0, 20, 0, 20});
  EXPECT_EQ(span(id, 2), (Span{0, 40}));
}

TEST_F(SpanTest, IsExactBeyondSixtyFourBitsAndSaysWhatDoesNotFit) {
  const Exact two_to_the_62 = Exact(INT64_C(1) << 62);
  const DefinitionId far = types.resized(mpi_char, 0, INT64_C(1) << 62);
  EXPECT_EQ(span(far, 5).end, Exact(4) * two_to_the_62 + 1);
  EXPECT_EQ(span(far, 5).end.to_int64(), std::nullopt);
  EXPECT_EQ(span(far, 3).end.to_int64(), std::nullopt);
  EXPECT_EQ(span(far, 2).end.to_int64(), (INT64_C(1) << 62) + 1);
  const Span too_far = span(far, two_to_the_62 * Exact(1024));
  EXPECT_EQ(too_far.first, Exact(0));
  EXPECT_FALSE(too_far.end.fits());
  EXPECT_FALSE(too_far.length().fits());
}

TEST_F(SpanTest, IsTheHullOfTheBytesOfAllCopies) {
  Oracle oracle(types.store());
  const DefinitionId pieces = types.structure({1, 2}, {-5, 12}, {mpi_char, mpi_double});
  for (const DefinitionId id : {pieces, types.resized(pieces, 3, 7), types.resized(pieces, -8, -9),
                                types.vector(2, 3, -5, pieces), types.dup(mpi_int)}) {
    for (std::int64_t count = 1; count < 5; ++count) {
      std::int64_t first = INT64_MAX;
      std::int64_t end = INT64_MIN;
      for (std::int64_t copy = 0; copy < count; ++copy) {
        for (const OracleEntry& entry : oracle.entries(id)) {
          const std::int64_t at = entry.displacement + copy * oracle.bounds(id).extent();
          first = std::min(first, at);
          end = std::max(end, at + entry.size);
        }
      }
      EXPECT_EQ(span(id, count), (Span{first, end})) << id.value << " x " << count;
    }
  }
}

}  // namespace
}  // namespace ddtscope::test::span_test
