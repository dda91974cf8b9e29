// The search alone, with work enough, must decide every small type, and rightly: with a byte to show for each yes.
#include "decoder/coverage/overlap_search.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "decoder/coverage/overlap_sweep.h"
#include "decoder/testing/overlap_oracle.h"
#include "decoder/testing/test_store.h"

namespace ddtscope::test::overlap_search_test {
namespace {

constexpr std::size_t plenty = 10000000;

/// Nests of loops and parts whose strides mesh more often than those of random types in general.
class NestGenerator {
 public:
  NestGenerator(TestStore& types, std::uint64_t seed) : types_(types), random_(seed) {}

  DefinitionId next() {
    DefinitionId id = leaf();
    for (std::int64_t depth = number(1, 4); depth > 0; --depth) {
      switch (number(0, 4)) {
        case 0: {
          std::vector<std::int64_t> lengths, displacements;
          std::vector<DefinitionId> members;
          for (std::int64_t n = number(1, 3); n > 0; --n) {
            lengths.push_back(number(0, 2));
            displacements.push_back(number(-40, 40));
            members.push_back(number(0, 2) == 0 ? leaf() : id);
          }
          id = types_.structure(lengths, displacements, members);
          break;
        }
        case 1: {
          std::vector<std::int64_t> displacements;
          for (std::int64_t n = number(2, 4); n > 0; --n) displacements.push_back(number(-20, 60));
          id = types_.hindexed(std::vector<std::int64_t>(displacements.size(), number(1, 2)), displacements, id);
          break;
        }
        case 2:
          id = types_.resized(id, 0, number(-9, 30));
          break;
        default:
          id = types_.hvector(number(1, 6), number(1, 2), number(0, 1) == 0 ? 6 * number(-4, 6) : number(-60, 60), id);
      }
    }
    return id;
  }
  std::int64_t number(std::int64_t least, std::int64_t greatest) {
    return std::uniform_int_distribution<std::int64_t>(least, greatest)(random_);
  }

 private:
  DefinitionId leaf() {
    return types_.named(number(0, 1) == 0 ? "MPI_CHAR" : number(0, 1) == 0 ? "MPI_SHORT" : "MPI_INT");
  }

  TestStore& types_;
  std::mt19937_64 random_;
};

TEST(OverlapSearch, DecidesRandomNestsLikeCountingBytes) {
  TestStore types;
  NestGenerator generator(types, 11);
  Oracle oracle(types.store());
  int yes = 0, no = 0;
  for (int round = 0; round < 4000; ++round) {
    const DefinitionId id = generator.next();
    if (!(types.facts(id).entries < Exact(1500))) continue;
    const LayoutId root = types.layouts().root(id);
    const OracleBytes bytes(oracle.entries(id));

    OverlapSearch within(types.layouts(), plenty);
    const Overlap answer = within.within(root);
    ASSERT_EQ(text_of(answer), bytes.overlap_within() ? "yes" : "no") << "round " << round;
    (answer == Overlap::yes ? yes : no) += 1;
    if (answer == Overlap::yes) {
      EXPECT_GT(bytes.times(*within.byte().to_int64()), 1) << "round " << round;
    }

    const std::int64_t extent = generator.number(-30, 60);
    const std::int64_t last = generator.number(1, 8);
    const std::int64_t expected = bytes.first_overlapping_copy(extent);
    OverlapSearch copies(types.layouts(), plenty);
    const Overlap between = copies.between_copies(root, extent, last);
    ASSERT_EQ(text_of(between), expected != 0 && expected <= last ? "yes" : "no") << "round " << round;
    if (between == Overlap::yes) {
      const std::int64_t byte = *copies.byte().to_int64();
      EXPECT_GT(bytes.times(byte), 0) << "round " << round;
      EXPECT_GT(bytes.times(byte - *copies.copy().to_int64() * extent), 0) << "round " << round;
      OverlapSearch first(types.layouts(), plenty);
      EXPECT_EQ(text_of(first.first_copy(root, extent, last)), "yes") << "round " << round;
      EXPECT_EQ(first.copy(), Exact(expected)) << "round " << round;
    }
  }
  EXPECT_GT(yes, 500);
  EXPECT_GT(no, 500);
}

// Strides of 2^65 bytes and more, 2^63 - 1 times: the last copy is beyond 128 bits, and all that matter are not.
TEST(OverlapSearch, CopiesOutOfReachAreNotMultipliedOut) {
  TestStore types;
  constexpr std::int64_t two_to_62 = std::int64_t{1} << 62;
  // Entries at 0, 2^65 and 2^66.
  const auto vector = [&](std::int64_t count, std::int64_t stride, DefinitionId oldtype) {
    return types.make(Combiner::vector, Form::large_counts, {{count}, {1}, {stride}}, {oldtype});
  };
  const DefinitionId far = vector(3, two_to_62, types.named("MPI_DOUBLE"));
  const DefinitionId unit = types.resized(far, 0, two_to_62);
  const auto copies = [&](std::int64_t stride) {
    return vector(std::numeric_limits<std::int64_t>::max(), stride, unit);
  };
  const auto within = [&](DefinitionId id) {
    return text_of(OverlapSearch(types.layouts(), plenty).within(types.layouts().root(id)));
  };
  EXPECT_EQ(within(copies(8)), "yes");
  EXPECT_EQ(within(copies(9)), "no");
  const auto of_copies = [&](std::int64_t stride, Exact last) {
    return text_of(OverlapSearch(types.layouts(), plenty)
                       .between_copies(types.layouts().root(unit), Exact(stride) * Exact(two_to_62), last));
  };
  EXPECT_EQ(of_copies(8, 2), "yes");
  EXPECT_EQ(of_copies(9, 2), "no");
  EXPECT_EQ(of_copies(9, Exact(two_to_62) * Exact(two_to_62)), "no");
}

TEST(OverlapSweep, AroundALoopIsAsGoodAsSeeingAll) {
  TestStore types;
  NestGenerator generator(types, 13);
  Oracle oracle(types.store());
  int yes = 0, no = 0;
  for (int round = 0; round < 4000; ++round) {
    const DefinitionId id = generator.next();
    if (!(types.facts(id).entries < Exact(1500))) continue;
    const FoundOverlap found = sweep_around_loop(types.layouts(), types.layouts().root(id), plenty);
    if (found.answer == Overlap::undecided) continue;
    const OracleBytes bytes(oracle.entries(id));
    ASSERT_EQ(text_of(found.answer), bytes.overlap_within() ? "yes" : "no") << "round " << round;
    if (found.answer == Overlap::yes) {
      EXPECT_GT(bytes.times(*found.byte->to_int64()), 1) << "round " << round;
    }
    (found.answer == Overlap::yes ? yes : no) += 1;
  }
  EXPECT_GT(yes, 500);
  EXPECT_GT(no, 200);
}

TEST(OverlapSearch, WorkIsALimitForWrongAnswersToo) {
  TestStore types;
  NestGenerator generator(types, 12);
  Oracle oracle(types.store());
  int undecided = 0;
  for (int round = 0; round < 1000; ++round) {
    const DefinitionId id = generator.next();
    if (!(types.facts(id).entries < Exact(1500))) continue;
    const OracleBytes bytes(oracle.entries(id));
    for (const std::size_t work : {0u, 1u, 4u, 16u}) {
      const Overlap answer = OverlapSearch(types.layouts(), work).within(types.layouts().root(id));
      EXPECT_NE(answer, bytes.overlap_within() ? Overlap::no : Overlap::yes) << "round " << round;
      undecided += answer == Overlap::undecided;
    }
  }
  EXPECT_GT(undecided, 100);
}

}  // namespace
}  // namespace ddtscope::test::overlap_search_test
