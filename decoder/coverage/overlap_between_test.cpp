// Two buffers share a byte exactly where counting bytes one by one says so, and the first one is named.
#include "decoder/coverage/overlap_between.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "decoder/testing/random_types.h"
#include "decoder/testing/test_store.h"
#include "decoder/testing/typemap_oracle.h"

namespace ddtscope::test::overlap_between_test {
namespace {

struct Sample {
  DefinitionId type;
  std::int64_t count, at;
};

std::set<std::int64_t> bytes_of(TestStore& types, Oracle& oracle, const Sample& sample) {
  std::set<std::int64_t> bytes;
  const std::int64_t extent = *types.layouts().extent(sample.type).to_int64();
  for (const OracleEntry& entry : oracle.entries(sample.type)) {
    for (std::int64_t copy = 0; copy < sample.count; ++copy) {
      for (std::int64_t i = 0; i < entry.size; ++i) {
        bytes.insert(sample.at + copy * extent + entry.displacement + i);
      }
    }
  }
  return bytes;
}

PlacedCopies placed(TestStore& types, const Sample& sample) {
  return {types.layouts().root(sample.type), types.layouts().extent(sample.type), Exact(sample.count),
          Exact(sample.at)};
}

TEST(OverlapBetween, AgreesWithCountingBytes) {
  TestStore types;
  Oracle oracle(types.store());
  std::mt19937_64 random(5);
  const auto number = [&](std::int64_t least, std::int64_t greatest) {
    return std::uniform_int_distribution<std::int64_t>(least, greatest)(random);
  };
  const auto next = [&]() -> DefinitionId {
    DefinitionId id = types.named(number(0, 1) == 0 ? "MPI_CHAR" : "MPI_INT");
    for (std::int64_t depth = number(0, 3); depth > 0; --depth) {
      if (number(0, 4) == 0) {
        id = types.resized(id, number(-4, 4), number(-9, 40));
      } else if (number(0, 2) == 0) {
        std::vector<std::int64_t> displacements;
        for (std::int64_t n = number(1, 4); n > 0; --n) displacements.push_back(number(-30, 60));
        id = types.hindexed(std::vector<std::int64_t>(displacements.size(), number(1, 2)), displacements, id);
      } else {
        id = types.hvector(number(1, 5), number(1, 2), number(-60, 60), id);
      }
    }
    return id;
  };
  int yes = 0;
  int no = 0;
  for (int round = 0; round < 3000; ++round) {
    const Sample a{next(), number(0, 4), 0};
    const Sample b{next(), number(1, 4), number(-150, 150)};
    const std::set<std::int64_t> own = bytes_of(types, oracle, a);
    std::optional<std::int64_t> first;
    for (const std::int64_t byte : bytes_of(types, oracle, b)) {
      if (own.contains(byte)) {
        first = byte;
        break;
      }
    }
    const SharedByte found = shared_byte(types.layouts(), placed(types, a), placed(types, b));
    ASSERT_EQ(text_of(found.answer), first ? "yes" : "no") << "round " << round;
    ++(first ? yes : no);
    if (!first) continue;
    ASSERT_TRUE(found.is_first && found.byte) << "round " << round;
    EXPECT_EQ(*found.byte, Exact(*first)) << "round " << round;
  }
  EXPECT_GT(yes, 300);
  EXPECT_GT(no, 300);
}

TEST(OverlapBetween, ColumnsOfAMatrixShareNothingHoweverManyRowsItHas) {
  TestStore types;
  const DefinitionId column = types.hvector(1000000000, 1, 80000, types.named("MPI_DOUBLE"));
  const auto of = [&](std::int64_t distance) {
    return shared_byte(types.layouts(), placed(types, {column, 1, 0}), placed(types, {column, 1, distance}));
  };
  EXPECT_EQ(of(8).answer, Overlap::no);
  EXPECT_EQ(of(-79992).answer, Overlap::no);
  EXPECT_EQ(of(4).answer, Overlap::yes);
  const SharedByte next_row = of(80000);
  ASSERT_EQ(next_row.answer, Overlap::yes);
  EXPECT_FALSE(next_row.is_first);
  EXPECT_EQ(next_row.byte->value() % 80000 / 8, 0);
}

TEST(OverlapBetween, SolidBuffersNameTheFirstByteHoweverLongTheyAre) {
  TestStore types;
  const Sample long_one{types.named("MPI_DOUBLE"), std::int64_t{1} << 40, 0};
  const SharedByte found =
      shared_byte(types.layouts(), placed(types, long_one), placed(types, {types.named("MPI_CHAR"), 3, 1000001}));
  ASSERT_EQ(found.answer, Overlap::yes);
  EXPECT_TRUE(found.is_first);
  EXPECT_EQ(*found.byte, Exact(1000001));
}

TEST(OverlapBetween, NothingIsSharedWithNothing) {
  TestStore types;
  const DefinitionId type = types.named("MPI_INT");
  EXPECT_EQ(shared_byte(types.layouts(), placed(types, {type, 0, 0}), placed(types, {type, 5, 0})).answer, Overlap::no);
}

}  // namespace
}  // namespace ddtscope::test::overlap_between_test
