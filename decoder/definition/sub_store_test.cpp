// Parts of stores.
#include "decoder/definition/sub_store.h"

#include <gtest/gtest.h>

#include <vector>

#include "decoder/testing/test_store.h"

namespace ddtscope::test::sub_store_test {
namespace {

class SubStoreTest : public testing::Test {
 protected:
  TestStore types;
  DefinitionId mpi_int = types.named("MPI_INT");
  DefinitionId other = types.contiguous(7, types.named("MPI_DOUBLE"));
  DefinitionId column = types.vector(3, 1, 5, mpi_int);
  DefinitionId record = types.structure({2, 1}, {0, 64}, {mpi_int, column});
  DefinitionId copy = types.dup(record);
  PackedObserved observed;
};

TEST_F(SubStoreTest, HasWhatWasAddedWithItsOldtypesAndNothingElse) {
  SubStore sub_store(types.store(), observed);
  const DefinitionId wanted[] = {record};
  sub_store.add(wanted);
  EXPECT_EQ(sub_store.store().size(), 3U);
  for (const DefinitionId id : {mpi_int, column, record}) {
    const LocalDefinitionId local = sub_store.to_local(id);
    ASSERT_TRUE(local.valid());
    EXPECT_EQ(sub_store.to_global(local), id);
    EXPECT_EQ(sub_store.store()[local.in_store].key, types.store()[id].key);
  }
  EXPECT_FALSE(sub_store.to_local(other).valid());
  EXPECT_FALSE(sub_store.to_local(copy).valid());
}

TEST_F(SubStoreTest, GrowsAndKeepsTheOrderOfTheWhole) {
  SubStore sub_store(types.store(), observed);
  const DefinitionId first[] = {copy, column};
  sub_store.add(first);
  EXPECT_LT(sub_store.to_local(column), sub_store.to_local(record));
  EXPECT_LT(sub_store.to_local(record), sub_store.to_local(copy));
  const LocalDefinitionId before = sub_store.to_local(column);
  const DefinitionId more[] = {other, record};
  sub_store.add(more);
  EXPECT_EQ(sub_store.to_local(column), before);
  EXPECT_TRUE(sub_store.to_local(other).valid());
  EXPECT_EQ(sub_store.store().size(), 6U);
}

TEST_F(SubStoreTest, KnowsWhatWasObserved) {
  const ObservedBounds bounds{12, 0, 44, 0, 44};
  observed.add(column, bounds);
  SubStore sub_store(types.store(), observed);
  const DefinitionId wanted[] = {record};
  sub_store.add(wanted);
  EXPECT_EQ(sub_store.observed(sub_store.to_local(column).in_store), bounds);
  EXPECT_EQ(sub_store.observed(sub_store.to_local(record).in_store), std::nullopt);
}

}  // namespace
}  // namespace ddtscope::test::sub_store_test
