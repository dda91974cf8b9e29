// Parts of stores.
#include "decoder/definition/excerpt.h"

#include <gtest/gtest.h>

#include <vector>

#include "decoder/testing/test_store.h"

namespace ddtscope::test {
namespace {

class ExcerptTest : public testing::Test {
 protected:
  TestStore types;
  DefinitionId mpi_int = types.named("MPI_INT");
  DefinitionId other = types.contiguous(7, types.named("MPI_DOUBLE"));
  DefinitionId column = types.vector(3, 1, 5, mpi_int);
  DefinitionId record = types.structure({2, 1}, {0, 64}, {mpi_int, column});
  DefinitionId copy = types.dup(record);
  PackedObserved observed;
};

TEST_F(ExcerptTest, HasWhatWasAddedWithItsOldtypesAndNothingElse) {
  Excerpt excerpt(types.store(), observed);
  const DefinitionId wanted[] = {record};
  excerpt.add(wanted);
  EXPECT_EQ(excerpt.store().size(), 3U);
  for (const DefinitionId id : {mpi_int, column, record}) {
    const DefinitionId own = excerpt.own(id);
    ASSERT_TRUE(own.valid());
    EXPECT_EQ(excerpt.whole(own), id);
    EXPECT_EQ(excerpt.store()[own].key, types.store()[id].key);
  }
  EXPECT_FALSE(excerpt.own(other).valid());
  EXPECT_FALSE(excerpt.own(copy).valid());
}

TEST_F(ExcerptTest, GrowsAndKeepsTheOrderOfTheWhole) {
  Excerpt excerpt(types.store(), observed);
  const DefinitionId first[] = {copy, column};
  excerpt.add(first);
  EXPECT_LT(excerpt.own(column), excerpt.own(record));
  EXPECT_LT(excerpt.own(record), excerpt.own(copy));
  const DefinitionId before = excerpt.own(column);
  const DefinitionId more[] = {other, record};
  excerpt.add(more);
  EXPECT_EQ(excerpt.own(column), before);
  EXPECT_TRUE(excerpt.own(other).valid());
  EXPECT_EQ(excerpt.store().size(), 6U);
}

TEST_F(ExcerptTest, KnowsWhatWasObserved) {
  const ObservedBounds bounds{12, 0, 44, 0, 44};
  observed.add(column, bounds);
  Excerpt excerpt(types.store(), observed);
  const DefinitionId wanted[] = {record};
  excerpt.add(wanted);
  EXPECT_EQ(excerpt.observed(excerpt.own(column)), bounds);
  EXPECT_EQ(excerpt.observed(excerpt.own(record)), std::nullopt);
}

}  // namespace
}  // namespace ddtscope::test
