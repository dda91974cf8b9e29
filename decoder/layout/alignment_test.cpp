// Remainders modulo alignments, against typemaps entry by entry.
#include "decoder/layout/alignment.h"

#include <gtest/gtest.h>

#include "decoder/testing/random_types.h"
#include "decoder/testing/test_store.h"
#include "decoder/testing/typemap_oracle.h"

namespace ddtscope::test::alignment_test {
namespace {

AlignmentMasks by_hand(const DefinitionStore& store, const OracleTypemap& entries) {
  AlignmentMasks masks;
  for (const OracleEntry& entry : entries) {
    const std::int64_t alignment = store.predefined()[entry.type].alignment;
    for (std::size_t i = 0; i < masks.masks.size(); ++i) {
      if (alignment != std::int64_t{2} << i) continue;
      const std::int64_t remainder = (entry.displacement % alignment + alignment) % alignment;
      masks.masks[i] |= std::uint64_t{1} << remainder;
    }
  }
  return masks;
}

class AlignmentTest : public testing::Test {
 protected:
  bool aligned(DefinitionId id) { return alignments.masks(types.layouts(), types.layouts().root(id)).aligned(); }
  TestStore types;
  Alignments alignments;
  DefinitionId mpi_char = types.named("MPI_CHAR");
  DefinitionId mpi_int = types.named("MPI_INT");
  DefinitionId mpi_double = types.named("MPI_DOUBLE");
};

TEST_F(AlignmentTest, MembersOfAStructStandAtMultiples) {
  EXPECT_TRUE(aligned(types.structure({1, 1}, {0, 8}, {mpi_char, mpi_double})));
  EXPECT_FALSE(aligned(types.structure({1, 1}, {0, 1}, {mpi_char, mpi_double})));
  EXPECT_FALSE(aligned(types.structure({1, 1}, {0, 4}, {mpi_int, mpi_double})));
  EXPECT_TRUE(aligned(types.structure({1, 0}, {0, 1}, {mpi_char, mpi_double})));
}

TEST_F(AlignmentTest, ALaterCopyMayBeOff) {
  EXPECT_FALSE(aligned(types.hvector(3, 1, 12, mpi_double)));
  EXPECT_TRUE(aligned(types.hvector(3, 1, -16, mpi_double)));
  EXPECT_FALSE(aligned(types.contiguous(2, types.resized(mpi_int, 0, 6))));
  EXPECT_TRUE(aligned(types.contiguous(1, types.resized(mpi_int, 0, 6))));
}

TEST_F(AlignmentTest, TwoWrongsMayMakeARight) {
  EXPECT_TRUE(aligned(types.hindexed({1}, {-4}, types.hindexed({1}, {4}, mpi_double))));
}

TEST_F(AlignmentTest, AnotherAddressMayAlignWhatStandsTogether) {
  const auto could = [&](DefinitionId id) {
    return alignments.masks(types.layouts(), types.layouts().root(id)).could_be_aligned();
  };
  // Variables of their own, counted from an int that stands 4 bytes before a double.
  EXPECT_TRUE(could(types.structure({1, 1}, {0, 4}, {mpi_int, mpi_double})));
  EXPECT_TRUE(could(types.structure({1, 1}, {0, 8}, {mpi_int, mpi_double})));
  EXPECT_FALSE(could(types.structure({1, 1}, {0, 6}, {mpi_int, mpi_double})));
  EXPECT_FALSE(could(types.hvector(2, 1, 12, mpi_double)));
}

TEST_F(AlignmentTest, LongAndDeepTypesCostTheirDescription) {
  const DefinitionId huge = types.vector(INT64_C(1) << 40, INT64_C(1) << 20, INT64_C(1) << 21, mpi_double);
  EXPECT_TRUE(aligned(huge));
  EXPECT_FALSE(aligned(types.hvector(INT64_C(1) << 40, 1, INT64_C(1) << 62, types.hvector(2, 1, 9, mpi_double))));
  DefinitionId chain = mpi_int;
  for (int i = 0; i < 10000; ++i) chain = types.structure({1}, {4}, {chain});
  EXPECT_TRUE(aligned(chain));
  EXPECT_FALSE(aligned(types.structure({1}, {2}, {chain})));
}

TEST(RandomAlignment, IsThatOfTheEntries) {
  int off = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    TestStore types;
    RandomTypesOptions options;
    options.seed = seed;
    RandomTypes random(types, options);
    Oracle oracle(types.store());
    Alignments alignments;
    for (int i = 0; i < 200; ++i) {
      const DefinitionId id = random.next();
      if (!id.valid()) continue;
      const AlignmentMasks& masks = alignments.masks(types.layouts(), types.layouts().root(id));
      ASSERT_EQ(masks, by_hand(types.store(), oracle.entries(id))) << "seed " << seed << ", definition " << id.value;
      off += !masks.aligned();
    }
  }
  EXPECT_GT(off, 100);
}

}  // namespace
}  // namespace ddtscope::test::alignment_test
