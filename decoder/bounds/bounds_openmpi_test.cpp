// What Open MPI reports. All expected values were read from the library (4.1.4 in Debian 12, 5.0.7 in Debian
// 13, 6.0.0rc2 in Debian testing), not derived: size, lb, extent, true lb, true extent.
#include "decoder/testing/library_rule_fixture.h"

namespace ddtscope::test::bounds_openmpi_test {
namespace {

constexpr std::int64_t int_max = INT32_MAX;
constexpr std::int64_t untouched = INT64_MAX;  // where the engine begins to look for the least displacement

class OpenMpiBounds : public LibraryRuleFixture {
 protected:
  OpenMpiBounds() : LibraryRuleFixture(openmpi_constants, BoundsModel::openmpi_4_1) {}

  const LibraryConstants& c = types.constants();
  DefinitionId mpi_char = types.named("MPI_CHAR");
  DefinitionId mpi_int = types.named("MPI_INT");
  DefinitionId mpi_double = types.named("MPI_DOUBLE");
  DefinitionId double_char = types.structure({1, 1}, {0, 8}, {mpi_double, mpi_char});
  DefinitionId empty = types.contiguous(0, mpi_int);
};

TEST_F(OpenMpiBounds, OrdinaryTypes) {
  EXPECT_EQ(reported(mpi_int), (Reported{4, 0, 4, 0, 4}));
  EXPECT_EQ(reported(types.contiguous(2, types.named("MPI_DOUBLE_INT"))), (Reported{24, 0, 32, 0, 28}));
  EXPECT_EQ(reported(double_char), (Reported{9, 0, 16, 0, 9}));
  EXPECT_EQ(reported(types.hindexed({1, 1}, {0, 12}, mpi_double)), (Reported{16, 0, 24, 0, 20}));
  EXPECT_EQ(reported(types.hvector(3, 1, -2, mpi_char)), (Reported{3, -4, 5, -4, 5}));
  EXPECT_EQ(reported(types.subarray({4, 3, 2}, {2, 2, 1}, {1, 1, 1}, c.order_fortran, mpi_int)),
            (Reported{16, 0, 96, 68, 24}));
}

TEST_F(OpenMpiBounds, MarkersAreInherited) {
  const DefinitionId marked = types.resized(mpi_int, -2, 7);
  EXPECT_EQ(reported(types.structure({1, 1}, {0, 4}, {mpi_int, types.resized(mpi_char, 0, 1)})),
            (Reported{5, 4, 1, 0, 5}));
  EXPECT_EQ(reported(types.vector(2, 1, 3, marked)), (Reported{8, -2, 28, 0, 25}));
  EXPECT_EQ(reported(types.subarray({4, 3}, {2, 2}, {1, 1}, c.order_c, marked)), (Reported{16, 0, 84, 28, 32}));
}

TEST_F(OpenMpiBounds, EachBlockIsRounded) {
  EXPECT_EQ(reported(types.hvector(2, 1, 17, double_char)), (Reported{18, 0, 40, 0, 26}));
  EXPECT_EQ(reported(types.structure({1, 1}, {4, 0}, {double_char, mpi_char})), (Reported{10, 0, 24, 0, 13}));
  EXPECT_EQ(reported(hindexed_block(1, {18, 0, -18, -24}, mpi_double)), (Reported{32, -24, 64, -24, 50}));
  EXPECT_EQ(reported(types.hindexed({1, 1, 1}, {1, 0, -1}, mpi_int)), (Reported{12, -1, 12, -1, 6}));
}

TEST_F(OpenMpiBounds, AByteStrideOfMinusOneIsTheExtent) {
  EXPECT_EQ(reported(types.hvector(2, 1, -1, mpi_int)), (Reported{8, 0, 8, 0, 8}));
  EXPECT_EQ(reported(types.hvector(3, 1, -1, mpi_char)), (Reported{3, 0, 3, 0, 3}));
  EXPECT_EQ(reported(types.vector(2, 1, -1, mpi_char)), (Reported{2, 0, 2, 0, 2}));
  EXPECT_EQ(reported(types.vector(2, 3, -1, types.resized(mpi_int, 0, 1))), (Reported{24, 0, 6, 0, 9}));
}

TEST_F(OpenMpiBounds, EmptyTypes) {
  EXPECT_EQ(reported(empty), (Reported{0, 0, 0, 0, 0}));
  EXPECT_EQ(reported(types.vector(3, 0, 5, mpi_int)), (Reported{0, 0, 0, 0, 0}));
  EXPECT_EQ(reported(types.resized(empty, 3, 9)), (Reported{0, 3, 9, 0, 0}));
  EXPECT_EQ(reported(types.structure({1, 1}, {0, 4}, {empty, mpi_int})), (Reported{4, 0, 8, 4, 4}));
  EXPECT_EQ(reported(types.hvector(2, 1, 8, empty)), (Reported{0, 0, 8, untouched, 1}));
}

TEST_F(OpenMpiBounds, SomeConstructorsMakeNothingOfAnEmptyType) {
  const DefinitionId marked = types.resized(empty, 0, 100);
  EXPECT_EQ(reported(types.contiguous(3, marked)), (Reported{0, 0, 0, 0, 0}));
  EXPECT_EQ(reported(types.indexed({2}, {3}, marked)), (Reported{0, 0, 0, 0, 0}));
  EXPECT_EQ(reported(hindexed_block(2, {3}, marked)), (Reported{0, 3, 200, untouched, 1}));
}

TEST_F(OpenMpiBounds, DistributedArrays) {
  const std::int64_t otherwise = c.distribute_dflt_darg;
  const auto grid = [&](std::int64_t rank, std::int64_t order) {
    return TestStore::Grid{6, rank, {5, 7}, {c.distribute_block, c.distribute_cyclic}, {otherwise, 2}, {3, 2}, order};
  };
  EXPECT_EQ(reported(types.darray(grid(1, c.order_c), types.resized(mpi_int, 2, 7))), (Reported{24, 0, 245, 14, 81}));
  EXPECT_EQ(reported(types.darray(grid(3, c.order_fortran), types.hindexed({1, 1}, {5, 0}, mpi_int))),
            (Reported{48, 0, 420, 144, 261}));
  for (const std::int64_t distribution : {c.distribute_block, c.distribute_cyclic}) {
    const DefinitionId nothing = types.darray({4, 3, {2}, {distribution}, {otherwise}, {4}, c.order_c}, mpi_int);
    EXPECT_EQ(reported(nothing), (Reported{0, 0, 8, untouched, 1}));
    EXPECT_EQ(reported(types.dup(nothing)), (Reported{0, 0, 8, untouched, 1}));
  }
}

// As a block distribution over its processes.
TEST_F(OpenMpiBounds, ADimensionThatIsNotDistributedOverTwoProcesses) {
  const auto of_rank = [&](std::int64_t rank) {
    return types.darray({2, rank, {6}, {c.distribute_none}, {c.distribute_dflt_darg}, {2}, c.order_c}, mpi_int);
  };
  EXPECT_EQ(reported(of_rank(0)), (Reported{12, 0, 24, 0, 12}));
  EXPECT_EQ(reported(of_rank(1)), (Reported{12, 0, 24, 12, 12}));
}

TEST_F(OpenMpiBounds, SomeCountsAreInts) {
  EXPECT_EQ(reported(types.vector(int_max, 3, 3, mpi_int)), (Reported{25769803764, 0, 25769803764, 0, 25769803764}));
  EXPECT_EQ(reported(types.indexed({int_max, int_max}, {0, int_max}, mpi_int)),
            (Reported{17179869176, 0, 17179869176, 0, 17179869176}));
  EXPECT_EQ(reported(types.hvector(int_max, int_max, 4 * int_max, mpi_int)), (Reported{4, 0, 4, 0, 4}));
  const TestStore::Grid large = {4, 0, {int_max - 2}, {c.distribute_block}, {c.distribute_dflt_darg}, {4}, c.order_c};
  EXPECT_EQ(reported(types.darray(large, mpi_int)), (Reported{0, 0, 8589934580, untouched, 1}));
  const Bounds& sum = bounds(types.structure({int_max, 1}, {0, 4 * int_max}, {mpi_int, mpi_int}));
  EXPECT_FALSE(sum.size.fits());
  EXPECT_EQ(sum.lb, Exact(-8589934596));
  EXPECT_EQ(sum.extent, Exact(8589934600));
}

TEST_F(OpenMpiBounds, ReleasesCountInMoreAndMorePlacesIn64Bits) {
  const auto expect = [&](DefinitionId id, BoundsModel model, const Reported& expected) {
    const Bounds& b = bounds(id, model);
    // The size that the library does not tell.
    EXPECT_EQ(b.size.to_int64().value_or(mpi_undefined), expected.size);
    EXPECT_EQ(b.lb, Exact(expected.lb));
    EXPECT_EQ(b.extent, Exact(expected.extent));
    EXPECT_EQ(b.true_lb, Exact(expected.true_lb));
    EXPECT_EQ(b.true_extent, Exact(expected.true_extent));
  };
  const Reported right = {8589934592, 0, 8589934592, 0, 8589934592};
  const Reported cut = {mpi_undefined, -8589934596, 8589934600, -8589934596, 8589934600};
  const DefinitionId joined = types.structure({int_max, 1}, {0, 4 * int_max}, {mpi_int, mpi_int});
  expect(joined, BoundsModel::openmpi_4_1, cut);
  expect(joined, BoundsModel::openmpi_5_0, right);
  expect(joined, BoundsModel::openmpi_6_0, right);

  const DefinitionId adjoining = types.hvector(65536, 32768, 131072, mpi_int);
  expect(adjoining, BoundsModel::openmpi_4_1, cut);
  expect(adjoining, BoundsModel::openmpi_5_0, cut);
  expect(adjoining, BoundsModel::openmpi_6_0, right);
  const DefinitionId square = types.hvector(int_max, int_max, 4 * int_max, mpi_int);
  expect(square, BoundsModel::openmpi_5_0, {4, 0, 4, 0, 4});
  expect(square, BoundsModel::openmpi_6_0, {mpi_undefined, -17179869184, 17179869188, -17179869184, 17179869188});

  const auto in_blocks = [&](std::int64_t elements, std::int64_t processes) {
    return types.make(
        Combiner::darray, elements > int_max ? Form::large_counts : Form::int_counts,
        {{processes}, {0}, {1}, {elements}, {c.distribute_block}, {c.distribute_dflt_darg}, {processes}, {c.order_c}},
        {mpi_int});
  };
  const DefinitionId blocks = in_blocks(int_max - 2, 4);
  expect(blocks, BoundsModel::openmpi_4_1, {0, 0, 8589934580, untouched, 1});
  expect(blocks, BoundsModel::openmpi_5_0, {0, 0, 8589934580, untouched, 1});
  expect(blocks, BoundsModel::openmpi_6_0, {2147483648, 0, 8589934580, 0, 2147483648});
  expect(in_blocks(INT64_MAX - 1, 3), BoundsModel::openmpi_6_0,
         {mpi_undefined, 0, -8, -6148914691236517212, 6148914691236517216});
}

TEST_F(OpenMpiBounds, BoundsWrapAndSizesAreUndefined) {
  const Bounds& b = bounds(types.contiguous(int_max, types.contiguous(int_max, mpi_double)));
  EXPECT_FALSE(b.size.fits());
  EXPECT_EQ(b.lb, Exact(-51539607536));
  EXPECT_EQ(b.extent, Exact(68719476712));
  EXPECT_EQ(b.true_lb, Exact(-51539607536));
  EXPECT_EQ(b.true_extent, Exact(68719476712));
}

}  // namespace
}  // namespace ddtscope::test::bounds_openmpi_test
