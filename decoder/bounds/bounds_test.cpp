// The models side by side: the examples of bounds.md, sizes that are too large for any of the libraries, and
// definitions that could not be walked entry by entry. The libraries' values were read from them.
#include "decoder/bounds/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "decoder/equality/fingerprint.h"
#include "decoder/layout/typemap.h"
#include "decoder/testing/each_random_type.h"
#include "decoder/testing/test_store.h"

namespace ddtscope::test::bounds_test {
namespace {

struct Interval {
  std::int64_t lower, upper;
};

/// The first release of a model.
std::string_view name_of(BoundsModel model) {
  for (const ModelledRelease& release : modelled_releases(rule_of(model))) {
    if (release.model == model) return release.name;
  }
  return "";
}

class BoundsRules : public testing::Test {
 protected:
  /// In all releases of a library.
  void expect_bounds(DefinitionId id, Interval standard, Interval openmpi, Interval mpich) {
    const Interval expected[] = {standard, openmpi, mpich};
    for (const BoundsModel model : bounds_models) {
      const Bounds& bounds = rules[model].bounds(id);
      expect(model, expected[static_cast<std::size_t>(rule_of(model))], {bounds.lb, bounds.ub, bounds.extent});
    }
  }
  void expect_true_bounds(DefinitionId id, Interval standard, Interval openmpi, Interval mpich) {
    const Interval expected[] = {standard, openmpi, mpich};
    for (const BoundsModel model : bounds_models) {
      const Bounds& bounds = rules[model].bounds(id);
      expect(model, expected[static_cast<std::size_t>(rule_of(model))],
             {bounds.true_lb, bounds.true_ub, bounds.true_extent});
    }
  }
  void expect_same_everywhere(DefinitionId id, Exact size, Interval bounds) {
    for (const BoundsModel model : bounds_models) EXPECT_EQ(rules[model].bounds(id).size, size) << name_of(model);
    expect_bounds(id, bounds, bounds, bounds);
    expect_true_bounds(id, bounds, bounds, bounds);
  }
  /// Where the second element of two would stand.
  std::int64_t second_entry(BoundsRule rule, DefinitionId pair) {
    const Layouts& layouts = rules[rule].layouts();
    TypemapCursor entries(layouts, layouts.root(pair));
    TypemapEntry entry;
    entries.next(entry);
    entries.next(entry);
    return *entry.displacement.to_int64();
  }

  TestStore types;
  AllRules rules{types.store()};
  DefinitionId mpi_char = types.named("MPI_CHAR");
  DefinitionId mpi_int = types.named("MPI_INT");
  DefinitionId mpi_double = types.named("MPI_DOUBLE");
  DefinitionId double_char = types.structure({1, 1}, {0, 8}, {mpi_double, mpi_char});
  DefinitionId empty = types.contiguous(0, mpi_int);

 private:
  struct Found {
    Exact lower, upper, distance;
  };
  static void expect(BoundsModel model, Interval expected, const Found& found) {
    EXPECT_EQ(found.lower, Exact(expected.lower)) << name_of(model);
    EXPECT_EQ(found.upper, Exact(expected.upper)) << name_of(model);
    EXPECT_EQ(found.distance, Exact(expected.upper) - Exact(expected.lower)) << name_of(model);
  }
};

TEST_F(BoundsRules, HaveNames) {
  for (const BoundsRule rule : bounds_rules) EXPECT_EQ(bounds_rule_of_text(text_of(rule)), rule);
  EXPECT_EQ(bounds_rule_of_text("mpich2"), std::nullopt);
}

TEST_F(BoundsRules, MarkersOfMembers) {
  expect_bounds(types.structure({1, 1}, {0, 4}, {mpi_int, types.resized(mpi_char, 0, 1)}), {4, 5}, {4, 5}, {0, 8});
}

TEST_F(BoundsRules, RoundingToTheAlignment) {
  expect_bounds(types.hindexed({1, 1}, {0, 12}, mpi_double), {0, 24}, {0, 24}, {0, 20});
  expect_bounds(types.make(Combiner::hindexed_block, Form::int_counts, {{4}, {1}, {18, 0, -18, -24}}, {mpi_double}),
                {-24, 32}, {-24, 40}, {-24, 26});
  expect_bounds(types.hvector(2, 1, 17, double_char), {0, 32}, {0, 40}, {0, 33});
  expect_bounds(types.structure({1, 1}, {4, 0}, {double_char, mpi_char}), {0, 16}, {0, 24}, {0, 24});
}

TEST_F(BoundsRules, BlocksOfLengthZero) {
  expect_bounds(types.vector(3, 0, 5, mpi_int), {0, 0}, {0, 0}, {0, 40});
  expect_true_bounds(types.vector(3, 0, 5, mpi_int), {0, 0}, {0, 0}, {0, 40});
}

TEST_F(BoundsRules, AStrideOfMinusOneByte) {
  expect_bounds(types.hvector(3, 1, -1, mpi_char), {-2, 1}, {0, 3}, {-2, 1});
  expect_true_bounds(types.hvector(2, 1, -1, mpi_int), {-1, 4}, {0, 8}, {-1, 4});
}

TEST_F(BoundsRules, EmptyTypesWithBounds) {
  expect_bounds(types.contiguous(3, types.resized(empty, 0, 100)), {0, 300}, {0, 0}, {0, 0});
}

TEST_F(BoundsRules, EmptyMembers) {
  const DefinitionId before = types.structure({1, 1}, {0, 4}, {empty, mpi_int});
  expect_bounds(before, {4, 8}, {0, 8}, {0, 8});
  expect_true_bounds(before, {4, 8}, {4, 8}, {0, 8});
  const DefinitionId behind = types.structure({1, 1}, {100, 0}, {empty, mpi_int});
  expect_bounds(behind, {0, 4}, {0, 100}, {0, 100});
  expect_true_bounds(behind, {0, 4}, {0, 4}, {0, 100});
}

TEST_F(BoundsRules, APartOfAnArrayThatIsEmptyOrShort) {
  const LibraryConstants& c = types.constants();
  const DefinitionId nothing =
      types.darray({3, 2, {2}, {c.distribute_block}, {c.distribute_dflt_darg}, {3}, c.order_c}, mpi_int);
  expect_bounds(nothing, {0, 8}, {0, 8}, {0, 8});
  for (const BoundsRule rule : {BoundsRule::standard, BoundsRule::mpich}) {
    EXPECT_EQ(rules[rule].bounds(nothing).true_lb, Exact(0));
    EXPECT_EQ(rules[rule].bounds(nothing).true_extent, Exact(0));
  }
  EXPECT_EQ(rules[BoundsRule::openmpi].bounds(nothing).true_lb, Exact(INT64_MAX));
  EXPECT_EQ(rules[BoundsRule::openmpi].bounds(nothing).true_extent, Exact(1));

  const DefinitionId short_block = types.darray(
      {2, 1, {2, 4}, {c.distribute_cyclic, c.distribute_cyclic}, {3, c.distribute_dflt_darg}, {1, 2}, c.order_c},
      mpi_int);
  expect_bounds(short_block, {0, 32}, {0, 32}, {0, 32});
  expect_true_bounds(short_block, {4, 32}, {4, 32}, {0, 32});
}

TEST_F(BoundsRules, EachRuleLaysOutWithItsOwnExtents) {
  const DefinitionId pair = types.contiguous(2, types.structure({1, 1}, {0, 1}, {empty, mpi_char}));
  expect_bounds(pair, {1, 3}, {0, 4}, {0, 4});
  EXPECT_EQ(second_entry(BoundsRule::standard, pair), 2);
  EXPECT_EQ(second_entry(BoundsRule::openmpi, pair), 3);
  EXPECT_EQ(second_entry(BoundsRule::mpich, pair), 3);
}

TEST_F(BoundsRules, AnswerForLaterDefinitions) {
  EXPECT_EQ(rules[BoundsRule::mpich].bounds(mpi_int).size, Exact(4));
  const DefinitionId later = types.contiguous(7, mpi_int);
  for (const BoundsRule rule : bounds_rules) EXPECT_EQ(rules[rule].bounds(later).extent, Exact(28)) << text_of(rule);
}

TEST_F(BoundsRules, BeyondIntAndBeyondDouble) {
  constexpr std::int64_t int_end = std::int64_t{1} << 31;
  expect_same_everywhere(types.contiguous(65536, types.contiguous(32768, mpi_char)), Exact(int_end), {0, int_end});
  constexpr std::int64_t double_end = (std::int64_t{1} << 53) + 1;
  const DefinitionId power = types.contiguous(1 << 23, types.contiguous(1 << 30, mpi_char));
  expect_same_everywhere(types.structure({1, 1}, {0, double_end - 1}, {power, mpi_char}), Exact(double_end),
                         {0, double_end});
}

TEST_F(BoundsRules, BeyondSixtyFourBits) {
  const DefinitionId id = types.contiguous(INT32_MAX, types.contiguous(INT32_MAX, mpi_double));
  const Exact entries = Exact(INT32_MAX) * Exact(INT32_MAX);
  EXPECT_EQ(rules[BoundsRule::standard].bounds(id).size, entries * Exact(8));
  EXPECT_EQ(rules[BoundsRule::standard].bounds(id).extent, entries * Exact(8));
  EXPECT_FALSE(rules[BoundsRule::openmpi].bounds(id).size.fits());
  EXPECT_EQ(rules[BoundsRule::openmpi].bounds(id).extent, Exact(68719476712));
  EXPECT_EQ(rules[BoundsRule::mpich].bounds(id).size, Exact(-34359738360));
  EXPECT_EQ(rules[BoundsRule::mpich].bounds(id).extent, Exact(-34359738360));
}

TEST_F(BoundsRules, DeepChainsNeedNoStack) {
  DefinitionId chain = mpi_int;
  for (int i = 1; i <= 10000; ++i) chain = types.structure({1, 1}, {0, 4 * i}, {chain, mpi_int});
  expect_same_everywhere(chain, Exact(40004), {0, 40004});
}

TEST_F(BoundsRules, SharedPartsAreLookedAtOnce) {
  // 2^60 leaves; each level differs from the others, so that no library takes it for an array.
  DefinitionId id = types.structure({1, 1}, {0, 4}, {mpi_int, types.named("MPI_FLOAT")});
  std::int64_t extent = 8;
  for (int i = 1; i < 60; ++i, extent *= 2) {
    id = types.make(Combiner::structure, Form::large_counts, {{2}, {1, 1}, {extent, 0}}, {id, id});
  }
  for (const BoundsModel model : bounds_models) {
    EXPECT_EQ(rules[model].bounds(id).size, Exact(std::int64_t{1} << 62)) << name_of(model);
  }
}

/// Of the layouts that the models make, which is what the answers spare.
std::vector<std::optional<Fingerprint>> layouts_by_model(AllRules& rules, DefinitionId id) {
  std::vector<std::optional<Fingerprint>> layouts;
  for (const BoundsModel model : bounds_models) {
    const Layouts& of_model = rules[model].layouts();
    layouts.push_back(Fingerprints(of_model).layout(of_model.root(id)));
  }
  return layouts;
}

TEST(AllRules, TakeTheChosenRelease) {
  TestStore types;
  const DefinitionId mpi_int = types.named("MPI_INT");
  const DefinitionId id = types.structure({INT32_MAX, 1}, {0, std::int64_t{INT32_MAX} * 4}, {mpi_int, mpi_int});
  AllRules newest(types.store());
  EXPECT_EQ(newest.releases()[BoundsRule::openmpi].name, "Open MPI 6.0.0rc2");
  EXPECT_EQ(newest[BoundsRule::openmpi].bounds(id).lb, Exact(0));
  ChosenReleases old;
  old.choose(modelled_releases(BoundsRule::openmpi).front());
  AllRules oldest(types.store(), old);
  EXPECT_EQ(oldest[BoundsRule::openmpi].bounds(id).lb, Exact(-8589934596));
  EXPECT_EQ(oldest.releases()[BoundsRule::mpich].name, "MPICH 5.0.2");
}

TEST(AllRules, PlaceEntriesAlikeWhereTheyAgreeOnOldtypes) {
  int agreeing = 0;
  int different = 0;
  for_each_random_type(400, [&](TestStore& types, Oracle&, DefinitionId id) {
    AllRules rules(types.store());
    const bool agree = rules.agree_on_oldtypes(id);
    const std::vector<std::optional<Fingerprint>> layouts = layouts_by_model(rules, id);
    const bool alike = std::count(layouts.begin(), layouts.end(), layouts[0]) == std::ssize(layouts);
    if (agree) {
      EXPECT_TRUE(alike);
    }
    for (const BoundsModel model : bounds_models) {
      const auto i = static_cast<std::size_t>(model);
      if (rules.places_as_before(model, id)) {
        EXPECT_EQ(layouts[i], layouts[i - 1]) << name_of(model);
      }
    }
    agreeing += agree ? 1 : 0;
    different += alike ? 0 : 1;
  });
  EXPECT_GT(agreeing, 100);
  EXPECT_GT(different, 10);
}

}  // namespace
}  // namespace ddtscope::test::bounds_test
