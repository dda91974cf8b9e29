// What MPICH reports. All expected values were read from the library (4.0.2 in Debian 12, 4.2.1 in Debian 13, 5.0.2 in
// Debian testing), not derived: size, lb, extent, true lb, true extent.
#include "decoder/testing/library_rule_fixture.h"

namespace ddtscope::test::bounds_mpich_test {
namespace {

class MpichBounds : public LibraryRuleFixture {
 protected:
  MpichBounds() : LibraryRuleFixture(mpich_constants, BoundsModel::mpich_4_0) {}

  /// A struct of one of each, whose extent tells whether the library takes both for the same type.
  DefinitionId both(DefinitionId first, std::int64_t at, DefinitionId second) {
    return types.structure({1, 1}, {0, at}, {first, second});
  }

  DefinitionId mpi_char = types.named("MPI_CHAR");
  DefinitionId mpi_int = types.named("MPI_INT");
  DefinitionId mpi_double = types.named("MPI_DOUBLE");
  DefinitionId lb = types.named("MPI_LB");
  DefinitionId ub = types.named("MPI_UB");
  DefinitionId double_char = types.structure({1, 1}, {0, 8}, {mpi_double, mpi_char});
  DefinitionId empty = types.contiguous(0, mpi_int);
  DefinitionId backwards = types.resized(mpi_int, 0, -8);
};

TEST_F(MpichBounds, PredefinedTypes) {
  EXPECT_EQ(reported(mpi_int), (Reported{4, 0, 4, 0, 4}));
  EXPECT_EQ(reported(types.named("MPI_SHORT_INT")), (Reported{6, 0, 8, 0, 8}));
  EXPECT_EQ(reported(types.named("MPI_DOUBLE_INT")), (Reported{12, 0, 16, 0, 12}));
  EXPECT_EQ(reported(types.contiguous(2, types.named("MPI_DOUBLE_INT"))), (Reported{24, 0, 32, 0, 28}));
  EXPECT_EQ(reported(lb), (Reported{0, 0, 0, 0, 0}));
  EXPECT_EQ(reported(types.resized(lb, 3, 9)), (Reported{0, 3, 9, 0, 0}));
}

TEST_F(MpichBounds, SinceFiveTheEngineTellsBasicTypesByTheirSize) {
  const DefinitionId half = basic("MPIX_C_FLOAT16", 2);
  const DefinitionId quad = basic("MPI_REAL16", 16);
  const DefinitionId long_double = types.named("MPI_LONG_DOUBLE");
  const auto expect = [&](DefinitionId id, const Reported& before, const Reported& since) {
    EXPECT_EQ(reported(id, BoundsModel::mpich_4_0), before);
    EXPECT_EQ(reported(id, BoundsModel::mpich_5_0), since);
  };
  expect(both(mpi_char, 1, quad), {17, 0, 17, 0, 17}, {17, 0, 32, 0, 17});
  expect(both(mpi_char, 1, basic("MPI_COMPLEX32", 32)), {33, 0, 33, 0, 33}, {33, 0, 48, 0, 33});
  expect(both(quad, 17, long_double), {32, 0, 48, 0, 33}, {32, 0, 33, 0, 33});
  expect(both(basic("MPI_WCHAR", 4), 5, mpi_int), {8, 0, 12, 0, 9}, {8, 0, 9, 0, 9});
  expect(types.contiguous(3, half), {0, 0, 0, 0, 0}, {6, 0, 6, 0, 6});
  expect(both(half, 3, types.named("MPI_SHORT")), {2, 0, 6, 0, 5}, {4, 0, 5, 0, 5});
  // These the older ones do not have.
  const DefinitionId integer = basic("MPI_INTEGER16", 16);
  EXPECT_EQ(reported(both(integer, 17, long_double), BoundsModel::mpich_5_0), (Reported{32, 0, 33, 0, 33}));
  const DefinitionId halves = basic("MPI_COMPLEX4", 4);
  EXPECT_EQ(reported(both(mpi_char, 1, halves), BoundsModel::mpich_5_0), (Reported{5, 0, 8, 0, 5}));
  EXPECT_EQ(reported(both(mpi_int, 5, halves), BoundsModel::mpich_5_0), (Reported{8, 0, 9, 0, 9}));
}

TEST_F(MpichBounds, TypesThatTheDatatypeEngineDoesNotKnowMakeEmptyTypes) {
  const DefinitionId half = basic("MPIX_C_FLOAT16", 2);
  EXPECT_EQ(reported(half), (Reported{2, 0, 2, 0, 2}));
  EXPECT_EQ(reported(types.contiguous(3, half)), (Reported{0, 0, 0, 0, 0}));
  EXPECT_EQ(reported(types.subarray({4, 2}, {3, 2}, {0, 0}, types.constants().order_c, half)),
            (Reported{0, 0, 16, 0, 0}));
}

TEST_F(MpichBounds, AMarkerOfAMemberIsOnlyABound) {
  EXPECT_EQ(reported(both(mpi_int, 4, types.resized(mpi_char, 0, 1))), (Reported{5, 0, 8, 0, 5}));
  const DefinitionId marked = types.structure({1, 1}, {-3, 0}, {lb, mpi_int});
  EXPECT_EQ(reported(marked), (Reported{4, -3, 7, 0, 4}));
  EXPECT_EQ(reported(both(marked, 8, mpi_char)), (Reported{5, -3, 12, 0, 9}));
}

TEST_F(MpichBounds, TheLastMarkerHoldsWhateverItsBlocklength) {
  EXPECT_EQ(reported(types.structure({1, 1}, {7, 3}, {lb, lb})), (Reported{0, 3, -3, 0, 0}));
  EXPECT_EQ(reported(types.structure({1, 1}, {0, -3}, {mpi_int, ub})), (Reported{4, 0, -3, 0, 4}));
  EXPECT_EQ(reported(types.structure({0, 1, 1}, {-3, 0, 9}, {lb, mpi_int, ub})), (Reported{4, -3, 12, 0, 4}));
  EXPECT_EQ(reported(types.structure({1, 1, 1, 1}, {-3, 2, 0, 5}, {lb, lb, mpi_int, mpi_char})),
            (Reported{5, 2, 6, 0, 6}));
}

TEST_F(MpichBounds, OnlyAStructOfDifferentTypesIsRoundedUp) {
  EXPECT_EQ(reported(types.hindexed({1, 1}, {0, 12}, mpi_double)), (Reported{16, 0, 20, 0, 20}));
  EXPECT_EQ(reported(double_char), (Reported{9, 0, 16, 0, 9}));
  EXPECT_EQ(reported(types.hvector(2, 1, 17, double_char)), (Reported{18, 0, 33, 0, 26}));
  EXPECT_EQ(reported(types.structure({1, 1}, {4, 0}, {double_char, mpi_char})), (Reported{10, 0, 24, 0, 13}));
  EXPECT_EQ(reported(both(mpi_int, 9, types.named("MPI_FLOAT"))), (Reported{8, 0, 16, 0, 13}));
  EXPECT_EQ(reported(both(mpi_int, 9, mpi_int)), (Reported{8, 0, 13, 0, 13}));
}

TEST_F(MpichBounds, ANegativeExtentIsRoundedAwayFromItself) {
  EXPECT_EQ(reported(both(types.resized(mpi_int, 0, -7), 5, types.resized(mpi_char, 0, -6))),
            (Reported{5, 0, 4, 0, 6}));
}

TEST_F(MpichBounds, PredefinedTypesOfOneSizeAndFamilyAreTheSame) {
  EXPECT_EQ(reported(both(types.named("MPI_SHORT"), 3, basic("MPI_UNSIGNED_SHORT", 2))), (Reported{4, 0, 5, 0, 5}));
  EXPECT_EQ(reported(both(types.named("MPI_SHORT"), 4, mpi_char)), (Reported{3, 0, 6, 0, 5}));
  EXPECT_EQ(reported(both(mpi_int, 9, basic("MPI_INTEGER4", 4))), (Reported{8, 0, 13, 0, 13}));
  EXPECT_EQ(reported(both(mpi_int, 9, basic("MPI_WCHAR", 4))).extent, 16);
  const DefinitionId complex = basic("MPI_C_COMPLEX", 8);
  basic("MPI_REAL", 4);
  const DefinitionId pair = add({"MPI_2REAL", PredefinedKind::pair, 8, 8, 4, "MPI_REAL", "MPI_REAL", 4});
  EXPECT_EQ(reported(both(pair, 9, complex)), (Reported{16, 0, 17, 0, 17}));
}

TEST_F(MpichBounds, AnF90TypeIsItsBasicType) {
  types.store().add_basic({"F90_REAL(15,307)", PredefinedKind::basic, 8, 8, 8, {}, {}, 0});
  const DefinitionId f90 = types.make(Combiner::f90_real, Form::int_counts, {{15}, {307}}, {});
  EXPECT_EQ(reported(f90), (Reported{8, 0, 8, 0, 8}));
  EXPECT_EQ(reported(both(mpi_double, 9, f90)), (Reported{16, 0, 17, 0, 17}));
}

TEST_F(MpichBounds, SomeTypesHaveNoAlignment) {
  EXPECT_EQ(reported(both(types.named("MPI_LONG_DOUBLE"), 17, mpi_int)), (Reported{20, 0, 32, 0, 21}));
  EXPECT_EQ(reported(both(basic("MPI_REAL16", 16), 17, mpi_int)), (Reported{20, 0, 24, 0, 21}));
}

TEST_F(MpichBounds, AConstructorThatChangesNothingKeepsTheType) {
  const Reported same = {8, 0, 13, 0, 13};
  EXPECT_EQ(reported(both(mpi_int, 9, types.dup(mpi_int))), same);
  EXPECT_EQ(reported(both(mpi_int, 9, types.contiguous(1, mpi_int))), same);
  EXPECT_EQ(reported(both(mpi_int, 9, types.vector(1, 1, 7, mpi_int))), same);
  EXPECT_EQ(reported(both(mpi_int, 9, types.resized(mpi_int, 0, 4))), same);
  EXPECT_EQ(reported(both(mpi_int, 9, hindexed_block(1, {0}, mpi_int))), same);
  EXPECT_EQ(reported(both(mpi_int, 9, types.subarray({1}, {1}, {0}, types.constants().order_c, mpi_int))), same);
  EXPECT_EQ(reported(both(mpi_int, 9, hindexed_block(1, {4}, mpi_int))), (Reported{8, 0, 20, 0, 17}));
}

TEST_F(MpichBounds, BlocksOfLengthZeroLeaveBoundsBehind) {
  EXPECT_EQ(reported(types.vector(3, 0, 5, mpi_int)), (Reported{0, 0, 40, 0, 40}));
  EXPECT_EQ(reported(types.hvector(3, 0, 20, backwards)), (Reported{0, 8, 24, 8, 36}));
  EXPECT_EQ(reported(hindexed_block(0, {8, 40}, mpi_int)), (Reported{0, 8, 32, 8, 32}));
  EXPECT_EQ(reported(types.vector(1, 0, 5, mpi_int)), (Reported{0, 0, 0, 0, 0}));
  EXPECT_EQ(reported(types.hindexed({0, 0}, {8, 40}, mpi_int)), (Reported{0, 0, 0, 0, 0}));
  EXPECT_EQ(reported(types.hindexed({0, 1}, {80, 40}, mpi_int)), (Reported{4, 40, 4, 40, 4}));
}

TEST_F(MpichBounds, EmptyMembersMoveTheBounds) {
  EXPECT_EQ(reported(both(empty, 4, mpi_int)), (Reported{4, 0, 8, 0, 8}));
  EXPECT_EQ(reported(types.structure({1, 1}, {100, 0}, {empty, mpi_int})), (Reported{4, 0, 100, 0, 100}));
  EXPECT_EQ(reported(types.resized(empty, 5, 7)), (Reported{0, 5, 7, 0, 0}));
  EXPECT_EQ(reported(types.contiguous(3, types.resized(empty, 0, 100))), (Reported{0, 0, 0, 0, 0}));
}

TEST_F(MpichBounds, NegativeStridesAndExtents) {
  EXPECT_EQ(reported(types.hvector(3, 1, -1, mpi_char)), (Reported{3, -2, 3, -2, 3}));
  EXPECT_EQ(reported(types.contiguous(3, backwards)), (Reported{12, -16, 8, -16, 20}));
  EXPECT_EQ(reported(types.hvector(3, 2, 20, backwards)), (Reported{24, -8, 40, -8, 52}));
  EXPECT_EQ(reported(types.hindexed({2, 1}, {3, 40}, backwards)), (Reported{12, -5, 37, -5, 49}));
}

TEST_F(MpichBounds, Subarrays) {
  const LibraryConstants& c = types.constants();
  EXPECT_EQ(reported(types.subarray({4, 6}, {2, 3}, {1, 2}, c.order_c, mpi_int)), (Reported{24, 0, 96, 32, 36}));
  EXPECT_EQ(reported(types.subarray({4, 6}, {2, 3}, {1, 2}, c.order_fortran, mpi_int)), (Reported{24, 0, 96, 36, 40}));
}

TEST_F(MpichBounds, DistributedArrays) {
  const LibraryConstants& c = types.constants();
  const auto block = c.distribute_block;
  const auto cyclic = c.distribute_cyclic;
  const auto otherwise = c.distribute_dflt_darg;
  EXPECT_EQ(reported(types.darray({4, 3, {4, 4}, {block, block}, {otherwise, otherwise}, {2, 2}, c.order_c}, mpi_int)),
            (Reported{16, 0, 64, 40, 24}));
  // Blocks of two in a dimension that is not the fastest.
  EXPECT_EQ(reported(types.darray(
                {8, 4, {4, 6, 3}, {block, cyclic, cyclic}, {otherwise, 2, otherwise}, {4, 2, 1}, c.order_fortran},
                mpi_double)),
            (Reported{96, 0, 576, 16, 552}));
  // A process that owns nothing.
  EXPECT_EQ(reported(types.darray({3, 2, {2}, {block}, {otherwise}, {3}, c.order_c}, mpi_int)),
            (Reported{0, 0, 8, 0, 0}));
  EXPECT_EQ(reported(types.darray({3, 2, {2}, {cyclic}, {otherwise}, {3}, c.order_c}, mpi_int)),
            (Reported{0, 0, 8, 0, 0}));
}

// As a block distribution over its processes.
TEST_F(MpichBounds, ADimensionThatIsNotDistributedOverTwoProcesses) {
  const LibraryConstants& c = types.constants();
  const auto of_rank = [&](std::int64_t rank) {
    return types.darray({2, rank, {6}, {c.distribute_none}, {c.distribute_dflt_darg}, {2}, c.order_c}, mpi_int);
  };
  EXPECT_EQ(reported(of_rank(0)), (Reported{12, 0, 24, 0, 12}));
  EXPECT_EQ(reported(of_rank(1)), (Reported{12, 0, 24, 12, 12}));
}

TEST_F(MpichBounds, AShortBlockOfACyclicDimensionStandsAfterAnEmptyOne) {
  const LibraryConstants& c = types.constants();
  const auto cyclic = c.distribute_cyclic;
  EXPECT_EQ(
      reported(types.darray({2, 1, {2, 4}, {cyclic, cyclic}, {3, c.distribute_dflt_darg}, {1, 2}, c.order_c}, mpi_int)),
      (Reported{16, 0, 32, 0, 32}));
}

TEST_F(MpichBounds, ExactBeyondIntAndDouble) {
  constexpr std::int64_t one = 1;
  EXPECT_EQ(reported(types.contiguous(one << 31, mpi_char)), (Reported{one << 31, 0, one << 31, 0, one << 31}));
  constexpr std::int64_t large = ((one << 53) + 1) * 8;
  EXPECT_EQ(reported(types.contiguous((one << 53) + 1, mpi_double)), (Reported{large, 0, large, 0, large}));
  EXPECT_EQ(reported(types.contiguous(INT64_MAX, mpi_char)), (Reported{INT64_MAX, 0, INT64_MAX, 0, INT64_MAX}));
}

TEST_F(MpichBounds, WrapAtSixtyFourBits) {
  constexpr std::int64_t one = 1;
  EXPECT_EQ(reported(types.contiguous(INT32_MAX, types.contiguous(INT32_MAX, mpi_double))),
            (Reported{-34359738360, 0, -34359738360, 0, -34359738360}));
  EXPECT_EQ(reported(types.contiguous(one << 61, mpi_int)), (Reported{INT64_MIN, 0, INT64_MIN, 0, INT64_MIN}));
  EXPECT_EQ(reported(types.contiguous((one << 61) + 1, mpi_double)), (Reported{8, 0, 8, 0, 8}));
  EXPECT_EQ(reported(types.hvector(3, 1, one << 62, mpi_char)), (Reported{3, 0, -INT64_MAX, 0, -INT64_MAX}));
  EXPECT_EQ(reported(types.hvector(3, 1, -(one << 62), mpi_char)),
            (Reported{3, INT64_MIN, -INT64_MAX, INT64_MIN, -INT64_MAX}));
}

TEST_F(MpichBounds, EvenWrappedDisplacementsFromZeroAreAVector) {
  constexpr std::int64_t far = std::int64_t{1} << 62;
  EXPECT_EQ(reported(hindexed_block(1, {0, far, INT64_MIN}, mpi_char)), (Reported{3, 0, -INT64_MAX, 0, -INT64_MAX}));
  EXPECT_EQ(reported(hindexed_block(1, {1, far + 1, INT64_MIN + 1}, mpi_char)),
            (Reported{3, -INT64_MAX, -far + 1, -INT64_MAX, -far + 1}));
}

TEST_F(MpichBounds, ASizeThatWrapsToZeroIsAnEmptyType) {
  constexpr std::int64_t one = 1;
  EXPECT_EQ(reported(types.contiguous(one << 62, mpi_int)), (Reported{0, 0, 0, 0, 0}));
  EXPECT_EQ(
      reported(types.make(Combiner::hindexed, Form::large_counts, {{2}, {one << 61, one << 61}, {0, 9}}, {mpi_int})),
      (Reported{0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace ddtscope::test::bounds_mpich_test
