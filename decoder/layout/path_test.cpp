// Paths walked again by the standard's rules must lead to the entry's displacement.
#include "decoder/layout/path.h"

#include <gtest/gtest.h>

#include <random>

#include "decoder/testing/each_random_type.h"
#include "decoder/testing/test_store.h"

namespace ddtscope::test::path_test {
namespace {

/// Where the constructors' definitions (MPI-4.1 5.1.2) put the copy of the oldtype that a step names.
std::int64_t displacement_of_step(TestStore& types, Oracle& oracle, const PathStep& step) {
  const Definition& definition = types.store()[step.definition];
  const ConstructorCall& call = definition.call;
  const std::int64_t block = *step.block.to_int64();
  const std::int64_t element = *step.element.to_int64();
  const auto i = static_cast<std::size_t>(block);
  if (call.combiner == Combiner::named) {
    return block == 0 ? 0 : types.store().predefined()[definition.predefined].second_displacement;
  }
  const DefinitionId old = call.datatypes[call.datatypes.size() == 1 ? 0 : i];
  const std::int64_t ex = oracle.extent(old);
  switch (call.combiner) {
    case Combiner::dup:
    case Combiner::resized:
      EXPECT_EQ(element, 0);
      return 0;
    case Combiner::contiguous:
      return element * ex;
    case Combiner::vector:
      EXPECT_LT(element, call.scalar("blocklength"));
      return (block * call.scalar("stride") + element) * ex;
    case Combiner::hvector:
      EXPECT_LT(element, call.scalar("blocklength"));
      return block * call.scalar("stride") + element * ex;
    case Combiner::indexed:
      EXPECT_LT(element, call.array("array_of_blocklengths")[i]);
      return (call.array("array_of_displacements")[i] + element) * ex;
    case Combiner::hindexed:
    case Combiner::structure:
      EXPECT_LT(element, call.array("array_of_blocklengths")[i]);
      return call.array("array_of_displacements")[i] + element * ex;
    case Combiner::indexed_block:
      EXPECT_LT(element, call.scalar("blocklength"));
      return (call.array("array_of_displacements")[i] + element) * ex;
    case Combiner::hindexed_block:
      EXPECT_LT(element, call.scalar("blocklength"));
      return call.array("array_of_displacements")[i] + element * ex;
    default:
      break;
  }
  // Arrays and pairs: by the place of the copy's first entry.
  const OracleTypemap inner = oracle.entries(old);
  const std::size_t before = call.combiner == Combiner::value_index
                                 ? (block == 0 ? 0 : oracle.entries(call.datatypes[0]).size())
                                 : static_cast<std::size_t>(element) * inner.size();
  return oracle.entries(step.definition).at(before).displacement - inner.at(0).displacement;
}

void check(TestStore& types, Oracle& oracle, DefinitionId id) {
  LayoutIndex index(types.layouts());
  const OracleTypemap entries = oracle.entries(id);
  for (std::size_t k = 0; k < entries.size(); k += entries.size() / 40 + 1) {
    SCOPED_TRACE("entry " + std::to_string(k));
    const auto path = path_to_entry(index, id, Exact(static_cast<std::int64_t>(k)));
    std::int64_t displacement = 0;
    DefinitionId expected = id;
    for (const PathStep& step : path) {
      ASSERT_EQ(step.definition, expected);
      displacement += displacement_of_step(types, oracle, step);
      const auto oldtypes = types.store()[expected].call.datatypes;
      if (oldtypes.empty()) {
        expected = {};
      } else {
        expected = oldtypes[oldtypes.size() == 1 ? 0 : static_cast<std::size_t>(step.block.value())];
      }
    }
    ASSERT_EQ(displacement, entries[k].displacement);
    if (expected.valid()) {
      ASSERT_EQ(oracle.entries(expected).size(), 1u);
      ASSERT_EQ(oracle.entries(expected)[0].type, entries[k].type);
    }
  }
  EXPECT_TRUE(path_to_entry(index, id, -1).empty());
  EXPECT_TRUE(path_to_entry(index, id, types.facts(id).entries).empty());
}

TEST(Path, LeadsToTheEntryByTheStandardsRules) { for_each_random_type(2000, check); }
TEST(Path, FindsTheBlockAmongMany) { for_each_type_of_many_parts(100, 100, check); }

// A type with a block for each rank, of which few have something.
TEST(Path, FindsTheBlockAmongManyOfLengthZero) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    TestStore types;
    Oracle oracle(types.store());
    const std::size_t blocks = 10 + random() % 100;
    std::vector<std::int64_t> blocklengths(blocks), displacements(blocks);
    for (std::size_t i = 0; i < blocks; ++i) displacements[i] = static_cast<std::int64_t>(random() % 1000);
    for (std::size_t n = random() % 6; n-- > 0;)
      blocklengths[random() % blocks] = static_cast<std::int64_t>(random() % 4);
    const DefinitionId pair = types.structure({1, 1}, {0, 4}, {types.named("MPI_INT"), types.named("MPI_CHAR")});
    const std::vector<DefinitionId> pairs(blocks, pair);
    check(types, oracle, types.indexed(blocklengths, displacements, pair));
    check(types, oracle, types.contiguous(3, types.hindexed(blocklengths, displacements, pair)));
    check(types, oracle, types.dup(types.structure(blocklengths, displacements, pairs)));
  }
}

class PathTextTest : public testing::Test {
 protected:
  std::string text(DefinitionId id, Exact entry) {
    return text_of_path(types.store(), path_to_entry(types.layouts(), id, entry),
                        [](DefinitionId derived) { return "D" + std::to_string(derived.value); });
  }
  std::string name(DefinitionId id) { return "D" + std::to_string(id.value); }
  TestStore types;
  DefinitionId mpi_int = types.named("MPI_INT");
  DefinitionId mpi_double = types.named("MPI_DOUBLE");
};

TEST_F(PathTextTest, SaysBlocksMembersAndElements) {
  const DefinitionId pair = types.structure({1, 3}, {0, 8}, {mpi_double, mpi_int});
  const DefinitionId id = types.indexed({2, 1, 4}, {0, 5, 9}, pair);
  EXPECT_EQ(text(id, 0), name(id) + " block 0, element 0 > " + name(pair) + " member 0 > MPI_DOUBLE");
  EXPECT_EQ(text(id, 7), name(id) + " block 0, element 1 > " + name(pair) + " member 1, element 2 > MPI_INT");
  EXPECT_EQ(text(id, 8), name(id) + " block 1 > " + name(pair) + " member 0 > MPI_DOUBLE");
  EXPECT_EQ(text(id, 27), name(id) + " block 2, element 3 > " + name(pair) + " member 1, element 2 > MPI_INT");
  EXPECT_EQ(text(id, 28), "");
}

TEST_F(PathTextTest, TypesThatAddNothingAreOnlyNamed) {
  const DefinitionId inner = types.resized(mpi_int, 0, 16);
  const DefinitionId copy = types.dup(inner);
  const DefinitionId id = types.contiguous(3, copy);
  EXPECT_EQ(text(id, 2), name(id) + " element 2 > " + name(copy) + " > " + name(inner) + " > MPI_INT");
}

TEST_F(PathTextTest, PairsHaveParts) {
  const DefinitionId id = types.contiguous(3, types.named("MPI_SHORT_INT"));
  EXPECT_EQ(text(id, 4), name(id) + " element 2 > MPI_SHORT_INT part 0 > MPI_SHORT");
  EXPECT_EQ(text(id, 5), name(id) + " element 2 > MPI_SHORT_INT part 1 > MPI_INT");
  EXPECT_EQ(text(types.named("MPI_2INT"), 1), "MPI_2INT part 1 > MPI_INT");
}

TEST_F(PathTextTest, EmptyMembersArePassedBy) {
  const DefinitionId empty = types.contiguous(0, mpi_int);
  const DefinitionId id = types.structure({1, 0, 2}, {0, 4, 8}, {empty, mpi_double, mpi_int});
  EXPECT_EQ(text(id, 1), name(id) + " member 2, element 1 > MPI_INT");
}

TEST_F(PathTextTest, HugeTypesAndDeepOnes) {
  DefinitionId id = mpi_int;
  for (int i = 0; i < 6; ++i) id = types.vector(1000, 1, 2 + i, id);
  const auto path = path_to_entry(types.layouts(), id, Exact(123456789012345678));
  ASSERT_EQ(path.size(), 6u);
  const std::int64_t blocks[] = {123, 456, 789, 12, 345, 678};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(path[i].block, Exact(blocks[i]));

  for (int i = 0; i < 10000; ++i) id = types.structure({1, 1}, {0, i}, {mpi_int, id});
  EXPECT_EQ(path_to_entry(types.layouts(), id, 10000).size(), 10006u);
  EXPECT_EQ(path_to_entry(types.layouts(), id, 2).size(), 3u);
}

}  // namespace
}  // namespace ddtscope::test::path_test
