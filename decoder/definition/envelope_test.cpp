// Envelopes and contents of every combiner in both forms, and the getters' errors.
#include "decoder/definition/envelope.h"

#include <gtest/gtest.h>

#include "decoder/testing/test_store.h"

namespace ddtscope::test::envelope_test {
namespace {

using Counts = std::array<std::int64_t, 4>;  // integers, addresses, large counts, datatypes

Counts counts_of(const Envelope& envelope) {
  return {envelope.num_integers, envelope.num_addresses, envelope.num_large_counts, envelope.num_datatypes};
}

constexpr Form small = Form::int_counts;
constexpr Form large = Form::large_counts;

struct Case {
  Combiner combiner;
  Form form;
  Arguments arguments;
  std::size_t oldtypes;
  Counts counts;
  std::vector<std::int64_t> integers, addresses, large_counts;
};

// One row of MPI-4.1's tables 5.1 and following each.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {Combiner::dup, small, {}, 1, {0, 0, 0, 1}, {}, {}, {}},
      {Combiner::contiguous, small, {{7}}, 1, {1, 0, 0, 1}, {7}, {}, {}},
      {Combiner::contiguous, large, {{7}}, 1, {0, 0, 1, 1}, {}, {}, {7}},
      {Combiner::vector, small, {{3}, {2}, {5}}, 1, {3, 0, 0, 1}, {3, 2, 5}, {}, {}},
      {Combiner::vector, large, {{3}, {2}, {5}}, 1, {0, 0, 3, 1}, {}, {}, {3, 2, 5}},
      {Combiner::hvector, small, {{3}, {2}, {-5}}, 1, {2, 1, 0, 1}, {3, 2}, {-5}, {}},
      {Combiner::hvector, large, {{3}, {2}, {-5}}, 1, {0, 0, 3, 1}, {}, {}, {3, 2, -5}},
      {Combiner::indexed, small, {{2}, {1, 2}, {3, 4}}, 1, {5, 0, 0, 1}, {2, 1, 2, 3, 4}, {}, {}},
      {Combiner::indexed, large, {{2}, {1, 2}, {3, 4}}, 1, {0, 0, 5, 1}, {}, {}, {2, 1, 2, 3, 4}},
      {Combiner::hindexed, small, {{2}, {1, 2}, {3, 4}}, 1, {3, 2, 0, 1}, {2, 1, 2}, {3, 4}, {}},
      {Combiner::hindexed, large, {{2}, {1, 2}, {3, 4}}, 1, {0, 0, 5, 1}, {}, {}, {2, 1, 2, 3, 4}},
      {Combiner::indexed_block, small, {{2}, {9}, {3, 4}}, 1, {4, 0, 0, 1}, {2, 9, 3, 4}, {}, {}},
      {Combiner::indexed_block, large, {{2}, {9}, {3, 4}}, 1, {0, 0, 4, 1}, {}, {}, {2, 9, 3, 4}},
      {Combiner::hindexed_block, small, {{2}, {9}, {3, 4}}, 1, {2, 2, 0, 1}, {2, 9}, {3, 4}, {}},
      {Combiner::hindexed_block, large, {{2}, {9}, {3, 4}}, 1, {0, 0, 4, 1}, {}, {}, {2, 9, 3, 4}},
      {Combiner::structure, small, {{2}, {1, 2}, {3, 4}}, 2, {3, 2, 0, 2}, {2, 1, 2}, {3, 4}, {}},
      {Combiner::structure, large, {{2}, {1, 2}, {3, 4}}, 2, {0, 0, 5, 2}, {}, {}, {2, 1, 2, 3, 4}},
      {Combiner::structure, small, {{0}, {}, {}}, 0, {1, 0, 0, 0}, {0}, {}, {}},
      {Combiner::subarray,
       small,
       {{2}, {4, 5}, {2, 3}, {1, 0}, {56}},
       1,
       {8, 0, 0, 1},
       {2, 4, 5, 2, 3, 1, 0, 56},
       {},
       {}},
      {Combiner::subarray,
       large,
       {{2}, {4, 5}, {2, 3}, {1, 0}, {56}},
       1,
       {2, 0, 6, 1},
       {2, 56},
       {},
       {4, 5, 2, 3, 1, 0}},
      {Combiner::darray,
       small,
       {{4}, {3}, {2}, {8, 9}, {121, 122}, {4, 1}, {2, 2}, {57}},
       1,
       {12, 0, 0, 1},
       {4, 3, 2, 8, 9, 121, 122, 4, 1, 2, 2, 57},
       {},
       {}},
      {Combiner::darray,
       large,
       {{4}, {3}, {2}, {8, 9}, {121, 122}, {4, 1}, {2, 2}, {57}},
       1,
       {10, 0, 2, 1},
       {4, 3, 2, 121, 122, 4, 1, 2, 2, 57},
       {},
       {8, 9}},
      {Combiner::f90_real, small, {{15}, {307}}, 0, {2, 0, 0, 0}, {15, 307}, {}, {}},
      {Combiner::f90_complex, small, {{15}, {307}}, 0, {2, 0, 0, 0}, {15, 307}, {}, {}},
      {Combiner::f90_integer, small, {{9}}, 0, {1, 0, 0, 0}, {9}, {}, {}},
      {Combiner::resized, small, {{-4}, {16}}, 1, {0, 2, 0, 1}, {}, {-4, 16}, {}},
      {Combiner::resized, large, {{-4}, {16}}, 1, {0, 0, 2, 1}, {}, {}, {-4, 16}},
      {Combiner::value_index, small, {}, 2, {0, 0, 0, 2}, {}, {}, {}},
  };
  return all;
}

class EnvelopeTest : public testing::Test {
 protected:
  DefinitionId make(const Case& c) {
    return types.make(c.combiner, c.form, c.arguments, std::vector<DefinitionId>(c.oldtypes, mpi_int));
  }
  TestStore types;
  DefinitionId mpi_int = types.named("MPI_INT");
};

TEST_F(EnvelopeTest, EveryCombinerAndFormHasTheStandardsCounts) {
  for (const Case& c : cases()) {
    const Envelope envelope = envelope_of(types.store()[make(c)].call);
    EXPECT_EQ(counts_of(envelope), c.counts) << constructor_name(c.combiner, c.form);
    EXPECT_EQ(envelope.combiner, c.combiner);
  }
  EXPECT_EQ(counts_of(envelope_of(types.store()[mpi_int].call)), (Counts{0, 0, 0, 0}));
}

TEST_F(EnvelopeTest, EveryArgumentStandsWhereTheStandardPutsIt) {
  for (const Case& c : cases()) {
    const Contents contents = contents_of(types.store()[make(c)].call);
    EXPECT_EQ(contents.integers, c.integers) << constructor_name(c.combiner, c.form);
    EXPECT_EQ(contents.addresses, c.addresses) << constructor_name(c.combiner, c.form);
    EXPECT_EQ(contents.large_counts, c.large_counts) << constructor_name(c.combiner, c.form);
    EXPECT_EQ(contents.datatypes, std::vector<DefinitionId>(c.oldtypes, mpi_int));
  }
}

TEST_F(EnvelopeTest, ContentsRebuildTheCall) {
  for (const Case& c : cases()) {
    const DefinitionId id = make(c);
    CallFromContents rebuilt;
    ASSERT_TRUE(rebuilt.build(c.combiner, c.form, contents_of(types.store()[id].call))) << rebuilt.problem();
    const auto [same, is_new] = types.store().intern(rebuilt.call());
    EXPECT_FALSE(is_new) << constructor_name(c.combiner, c.form);
    EXPECT_EQ(same, id);
  }
}

TEST_F(EnvelopeTest, IntGettersRefuseTypesOfLargeCounts) {
  const DefinitionId id = types.make(Combiner::contiguous, large, {{7}}, {mpi_int});
  Envelope envelope;
  envelope.num_integers = 99;
  EXPECT_EQ(get_envelope(types.store(), id, Getter::int_counts, envelope), ErrorClass::type);
  EXPECT_EQ(envelope.num_integers, 99);
  EXPECT_EQ(get_envelope(types.store(), id, Getter::large_counts, envelope), ErrorClass::success);
  EXPECT_EQ(counts_of(envelope), (Counts{0, 0, 1, 1}));
  std::array<std::int64_t, 1> count{};
  std::array<DefinitionId, 1> datatype;
  EXPECT_EQ(get_contents(types.store(), id, Getter::int_counts, {{}, {}, count, datatype}), ErrorClass::type);
  EXPECT_EQ(get_contents(types.store(), id, Getter::large_counts, {{}, {}, count, datatype}), ErrorClass::success);
  EXPECT_EQ(count[0], 7);
  EXPECT_EQ(mpi_name(ErrorClass::type), "MPI_ERR_TYPE");
}

TEST_F(EnvelopeTest, LargeGettersTakeTypesOfIntCounts) {
  const DefinitionId id = types.vector(3, 2, 5, mpi_int);
  Envelope envelope;
  EXPECT_EQ(get_envelope(types.store(), id, Getter::large_counts, envelope), ErrorClass::success);
  EXPECT_EQ(counts_of(envelope), (Counts{3, 0, 0, 1}));
}

TEST_F(EnvelopeTest, ContentsOfANamedTypeAreErroneous) {
  EXPECT_EQ(get_contents(types.store(), mpi_int, Getter::int_counts, {}), ErrorClass::type);
  EXPECT_EQ(get_contents(types.store(), mpi_int, Getter::large_counts, {}), ErrorClass::type);
}

TEST_F(EnvelopeTest, ContentsNeedRoom) {
  const DefinitionId id = types.vector(3, 2, 5, mpi_int);
  std::array<std::int64_t, 4> integers = {-1, -1, -1, -1};
  std::array<DefinitionId, 1> datatype;
  const std::span<std::int64_t> all(integers);
  EXPECT_EQ(get_contents(types.store(), id, Getter::int_counts, {all.first(2), {}, {}, datatype}),
            ErrorClass::argument);
  EXPECT_EQ(get_contents(types.store(), id, Getter::int_counts, {all, {}, {}, {}}), ErrorClass::argument);
  EXPECT_EQ(integers[0], -1);
  EXPECT_EQ(get_contents(types.store(), id, Getter::int_counts, {all, {}, {}, datatype}), ErrorClass::success);
  EXPECT_EQ(integers, (std::array<std::int64_t, 4>{3, 2, 5, -1}));
  EXPECT_EQ(datatype[0], mpi_int);
}

TEST_F(EnvelopeTest, HostileContentsAreRefused) {
  const auto refused = [&](Combiner combiner, Form form, const Contents& contents) {
    CallFromContents call;
    const bool built = call.build(combiner, form, contents);
    return !built && !call.problem().empty();
  };
  const std::vector<DefinitionId> one = {mpi_int};
  EXPECT_TRUE(refused(Combiner::named, small, {}));
  EXPECT_TRUE(refused(Combiner::dup, small, {}));
  EXPECT_TRUE(refused(Combiner::dup, large, {{}, {}, {}, one}));
  EXPECT_TRUE(refused(Combiner::vector, small, {{3, 2}, {}, {}, one}));
  EXPECT_TRUE(refused(Combiner::vector, small, {{3, 2, 5, 6}, {}, {}, one}));
  EXPECT_TRUE(refused(Combiner::vector, small, {{3, 2, 5}, {1}, {}, one}));
  EXPECT_TRUE(refused(Combiner::vector, small, {{3, 2, 5}, {}, {}, {mpi_int, mpi_int}}));
  EXPECT_TRUE(refused(Combiner::vector, small, {{3, 2, 5}, {}, {}, {DefinitionId{}}}));
  EXPECT_TRUE(refused(Combiner::vector, small, {{-3, 2, 5}, {}, {}, one}));
  EXPECT_TRUE(refused(Combiner::vector, small, {{3, 2, INT64_C(1) << 40}, {}, {}, one}));
  EXPECT_TRUE(refused(Combiner::indexed, large, {{}, {}, {INT64_MAX, 1, 1}, one}));
  EXPECT_TRUE(refused(Combiner::indexed, small, {{2, 1, -1, 0, 0}, {}, {}, one}));
  EXPECT_TRUE(refused(Combiner::structure, small, {{2, 1, 1}, {0, 8}, {}, one}));
  EXPECT_TRUE(refused(Combiner::subarray, small, {{-1, 56}, {}, {}, one}));
  EXPECT_TRUE(refused(Combiner::darray, small, {{1, 0, 1, 8, 121, 1, 0, 56}, {}, {}, one}));
  EXPECT_TRUE(refused(Combiner::darray, small, {{2, 2, 1, 8, 121, 1, 2, 56}, {}, {}, one}));
  EXPECT_FALSE(refused(Combiner::darray, small, {{2, 1, 1, 8, 121, 4, 2, 56}, {}, {}, one}));
}

}  // namespace
}  // namespace ddtscope::test::envelope_test
