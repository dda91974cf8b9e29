// The normal form: each rewrite by an example, what must not be rewritten, and random types against the oracle.
#include "decoder/normal_form/simplify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

#include "decoder/bounds/bounds.h"
#include "decoder/normal_form/rewrites.h"
#include "decoder/testing/each_random_type.h"
#include "decoder/testing/test_store.h"
#include "decoder/testing/typemap_oracle.h"

namespace ddtscope::test::simplify_test {
namespace {

std::string name_of(DefinitionId id) { return "T" + std::to_string(id.value); }

class SimplifyTest : public testing::Test {
 protected:
  /// The simpler call, or "" where there is none.
  std::string simpler(DefinitionId id) {
    Simplifier simplifier(types.store(), types.layouts());
    const std::optional<Simpler> result = simplifier.simpler(id, name_of);
    names.clear();
    if (!result) return "";
    names.insert(result->rewrites.begin(), result->rewrites.end());
    return result->call;
  }

  TestStore types;
  std::set<std::string_view> names;  // of the last one's rewrites
  DefinitionId mpi_char = types.named("MPI_CHAR");
  DefinitionId mpi_int = types.named("MPI_INT");
  DefinitionId mpi_double = types.named("MPI_DOUBLE");
  // Elements of 12 bytes, 16 apart: not the same as so many of something else.
  DefinitionId record = types.structure({1, 1}, {0, 8}, {mpi_double, mpi_int});
  DefinitionId padded = types.resized(types.contiguous(3, mpi_int), 0, 16);
};

struct Example {
  std::string_view rewrite;
  DefinitionId id;
  std::string call;
};

TEST_F(SimplifyTest, EachRewriteHasAnExample) {
  const std::int64_t c = types.constants().order_c;
  const std::int64_t block = types.constants().distribute_block;
  const std::int64_t default_argument = types.constants().distribute_dflt_darg;
  const std::string named_padded = name_of(padded);
  const Example examples[] = {
      {"dup", types.dup(types.vector(3, 2, 5, mpi_double)), "MPI_Type_vector(3, 2, 5, MPI_DOUBLE)"},
      {"dup", types.dup(mpi_int), "MPI_INT"},
      {"resized to its own bounds", types.resized(types.vector(3, 2, 5, mpi_double), 0, 96),
       "MPI_Type_vector(3, 2, 5, MPI_DOUBLE)"},
      {"resized twice", types.resized(types.resized(mpi_int, 0, 12), -4, 8), "MPI_Type_create_resized(MPI_INT, -4, 8)"},
      {"subarray of all", types.subarray({3, 4}, {3, 4}, {0, 0}, c, mpi_int), "MPI_Type_contiguous(12, MPI_INT)"},
      {"darray of one process",
       types.darray({1, 0, {3, 4}, {block, block}, {default_argument, default_argument}, {1, 1}, c}, mpi_int),
       "MPI_Type_contiguous(12, MPI_INT)"},
      {"no blocks", types.vector(0, 3, 5, mpi_int), "MPI_Type_contiguous(0, MPI_INT)"},
      {"blocks of length 0", types.indexed({2, 0, 1}, {4, 5, 9}, mpi_int),
       "MPI_Type_indexed(2, {2, 1}, {4, 9}, MPI_INT)"},
      {"blocks of length 0", types.indexed({0, 0}, {0, 0}, mpi_int), "MPI_Type_contiguous(0, MPI_INT)"},
      {"elements of contiguous", types.contiguous(3, types.contiguous(4, mpi_int)), "MPI_Type_contiguous(12, MPI_INT)"},
      {"elements of contiguous", types.vector(3, 1, 2, types.contiguous(4, mpi_int)),
       "MPI_Type_vector(3, 4, 8, MPI_INT)"},
      {"elements of contiguous", types.hvector(3, 2, 100, types.contiguous(4, padded)),
       "MPI_Type_create_hvector(3, 8, 100, " + named_padded + ")"},
      {"elements of contiguous", types.indexed({1, 2}, {3, 7}, types.contiguous(2, mpi_int)),
       "MPI_Type_indexed(2, {2, 4}, {6, 14}, MPI_INT)"},
      {"elements of contiguous", types.hindexed({1, 2}, {3, 47}, types.contiguous(2, mpi_char)),
       "MPI_Type_indexed(2, {2, 4}, {3, 47}, MPI_CHAR)"},
      {"elements of contiguous",
       types.make(Combiner::indexed_block, Form::int_counts, {{3}, {2}, {3, 7, 20}}, {types.contiguous(2, mpi_int)}),
       "MPI_Type_create_indexed_block(3, 4, {6, 14, 40}, MPI_INT)"},
      {"elements of contiguous", types.structure({1, 2}, {0, 24}, {types.contiguous(3, mpi_double), mpi_int}),
       "MPI_Type_create_struct(2, {3, 2}, {0, 24}, {MPI_DOUBLE, MPI_INT})"},
      {"struct of one kind", types.structure({1, 2, 1}, {8, 32, 80}, {padded, padded, padded}),
       "MPI_Type_create_hindexed(3, {1, 2, 1}, {8, 32, 80}, " + named_padded + ")"},
      {"struct of one kind", types.structure({3}, {0}, {record}), "MPI_Type_contiguous(3, " + name_of(record) + ")"},
      {"adjoining blocks", types.indexed({2, 1, 1}, {4, 6, 9}, mpi_int),
       "MPI_Type_indexed(2, {3, 1}, {4, 9}, MPI_INT)"},
      {"adjoining blocks", types.hindexed({1, 1, 1}, {-8, 8, 25}, padded),
       "MPI_Type_create_hindexed(2, {2, 1}, {-8, 25}, " + named_padded + ")"},
      {"adjoining blocks", types.make(Combiner::indexed_block, Form::int_counts, {{4}, {1}, {5, 6, 9, 10}}, {mpi_int}),
       "MPI_Type_create_indexed_block(2, 2, {5, 9}, MPI_INT)"},
      {"blocks of one length", types.indexed({2, 2, 2}, {4, 7, 11}, mpi_int),
       "MPI_Type_create_indexed_block(3, 2, {4, 7, 11}, MPI_INT)"},
      {"blocks of one length", types.hindexed({2, 2, 2}, {1, 37, 91}, padded),
       "MPI_Type_create_hindexed_block(3, 2, {1, 37, 91}, " + named_padded + ")"},
      {"blocks one step apart", types.indexed({2, 2, 2}, {0, 5, 10}, mpi_int), "MPI_Type_vector(3, 2, 5, MPI_INT)"},
      {"blocks one step apart", types.indexed({2, 2, 2}, {0, -5, -10}, mpi_int), "MPI_Type_vector(3, 2, -5, MPI_INT)"},
      {"blocks one step apart", types.hindexed({2, 2, 2}, {0, 37, 74}, padded),
       "MPI_Type_create_hvector(3, 2, 37, " + named_padded + ")"},
      {"blocks one step apart", types.hindexed({4}, {0}, padded), "MPI_Type_contiguous(4, " + named_padded + ")"},
      {"bytes that are whole elements", types.hindexed({2, 2, 2}, {16, 48, 88}, mpi_double),
       "MPI_Type_create_indexed_block(3, 2, {2, 6, 11}, MPI_DOUBLE)"},
      {"bytes that are whole elements", types.structure({2, 1}, {16, 48}, {mpi_double, mpi_double}),
       "MPI_Type_indexed(2, {2, 1}, {2, 6}, MPI_DOUBLE)"},
      {"bytes that are whole elements", types.hindexed({2, 2, 2}, {0, -32, -64}, mpi_double),
       "MPI_Type_vector(3, 2, -4, MPI_DOUBLE)"},
      {"loop of loops", types.hvector(3, 1, 40, types.vector(2, 1, 5, mpi_int)), "MPI_Type_vector(6, 1, 5, MPI_INT)"},
      {"loop of loops", types.vector(5, 1, 3, types.hvector(1000, 2, 12, mpi_char)), ""},
      {"blocks without gaps", types.vector(3, 4, 4, mpi_int), "MPI_Type_contiguous(12, MPI_INT)"},
      {"blocks without gaps", types.vector(1, 4, 7, mpi_int), "MPI_Type_contiguous(4, MPI_INT)"},
      {"blocks without gaps", types.hvector(3, 4, 64, padded), "MPI_Type_contiguous(12, " + named_padded + ")"},
      {"contiguous of one", types.contiguous(1, record),
       "MPI_Type_create_struct(2, {1, 1}, {0, 8}, {MPI_DOUBLE, MPI_INT})"},
  };
  std::set<std::string_view> seen;
  for (const Example& example : examples) {
    EXPECT_EQ(simpler(example.id), example.call);
    if (example.call.empty()) continue;
    EXPECT_TRUE(names.contains(example.rewrite)) << example.rewrite << " of " << example.call;
    seen.insert(example.rewrite);
  }
  for (const Rewrite& rewrite : rewrites()) EXPECT_TRUE(seen.contains(rewrite.name)) << rewrite.name;
}

TEST_F(SimplifyTest, WhatIsSimpleAlreadyIsLeftAlone) {
  EXPECT_EQ(simpler(mpi_int), "");
  EXPECT_EQ(simpler(types.contiguous(2, mpi_int)), "");
  EXPECT_EQ(simpler(types.vector(3, 2, 5, mpi_int)), "");
  EXPECT_EQ(simpler(types.indexed({1, 2}, {0, 5}, mpi_int)), "");
  EXPECT_EQ(simpler(types.resized(mpi_int, 0, 8)), "");
  EXPECT_EQ(simpler(record), "");
  EXPECT_EQ(simpler(types.contiguous(3, padded)), "");  // not 9 of MPI_INT: there are gaps
}

TEST_F(SimplifyTest, AnotherUnitAloneIsNotSimpler) {
  EXPECT_EQ(simpler(types.hvector(3, 2, 16, mpi_int)), "");
  EXPECT_EQ(simpler(types.hindexed({1, 2}, {0, 16}, mpi_int)), "");
  EXPECT_EQ(simpler(types.structure({3}, {8}, {mpi_int})), "");
}

// One line per field describes a C struct best.
TEST_F(SimplifyTest, MembersOfStructsAreNotJoined) {
  EXPECT_EQ(simpler(types.structure({1, 1, 1}, {0, 4, 8}, {mpi_int, mpi_int, mpi_double})), "");
}

TEST_F(SimplifyTest, OrderMatters) {
  EXPECT_EQ(simpler(types.indexed({1, 1, 1}, {2, 1, 0}, mpi_int)),
            "MPI_Type_create_indexed_block(3, 1, {2, 1, 0}, MPI_INT)");  // not contiguous
}

TEST_F(SimplifyTest, BoundsMatter) {
  EXPECT_EQ(simpler(types.subarray({3, 4}, {3, 3}, {0, 0}, types.constants().order_c, mpi_int)), "");
  EXPECT_EQ(simpler(types.resized(types.contiguous(3, mpi_int), 0, 13)), "");
  EXPECT_EQ(simpler(types.resized(types.contiguous(3, mpi_int), 1, 12)), "");
}

TEST_F(SimplifyTest, OnlyTheOldtypesMatterIsTheOldtypes) {
  const DefinitionId inner = types.vector(3, 4, 4, mpi_int);
  EXPECT_EQ(simpler(types.resized(inner, 0, 100)), "");
  EXPECT_EQ(simpler(inner), "MPI_Type_contiguous(12, MPI_INT)");
}

TEST_F(SimplifyTest, OldtypesAreSimplifiedFirst) {
  const DefinitionId one = types.dup(types.structure({1}, {0}, {types.resized(mpi_int, 0, 4)}));
  EXPECT_EQ(simpler(types.hindexed({1, 1, 1}, {0, 4, 8}, one)), "MPI_Type_contiguous(3, MPI_INT)");
}

TEST_F(SimplifyTest, OldtypesAreNamedAsTheStoreHasThem) {
  const DefinitionId column = types.vector(3, 1, 5, mpi_int);
  const DefinitionId same = types.dup(column);
  EXPECT_EQ(simpler(types.vector(2, 1, 1, same)), "MPI_Type_contiguous(2, " + name_of(column) + ")");
}

// In a struct around it, the explicit upper bound keeps the struct from being rounded up.
TEST_F(SimplifyTest, ExplicitBoundsThatMatterElsewhereStay) {
  const DefinitionId tight = types.resized(mpi_int, 0, 4);
  const DefinitionId other = types.resized(mpi_char, 0, 1);
  EXPECT_EQ(simpler(tight), "MPI_INT");
  types.structure({1, 1}, {0, 4}, {tight, mpi_char});
  EXPECT_EQ(simpler(tight), "");
  EXPECT_EQ(simpler(other), "MPI_CHAR");
}

TEST_F(SimplifyTest, TheFormStays) {
  const auto vector = [&](Form form, std::int64_t n, DefinitionId old) {
    return types.make(Combiner::vector, form, {{n}, {4}, {4}}, {old});
  };
  EXPECT_EQ(simpler(vector(Form::large_counts, 3, mpi_int)), "MPI_Type_contiguous_c(12, MPI_INT)");
  EXPECT_EQ(simpler(vector(Form::int_counts, 3, mpi_int)), "MPI_Type_contiguous(12, MPI_INT)");
  // A call that MPI-3.1 does not have is no advice for a program that made do without.
  EXPECT_EQ(simpler(vector(Form::int_counts, INT32_MAX, mpi_int)), "");
  EXPECT_EQ(simpler(types.contiguous(INT32_MAX, types.contiguous(2, mpi_int))), "");
  const DefinitionId large = types.contiguous(INT64_C(3000000000), mpi_char);
  EXPECT_EQ(simpler(types.contiguous(2, large)), "MPI_Type_contiguous_c(6000000000, MPI_CHAR)");
}

TEST_F(SimplifyTest, NumbersThatDoNotFitStopTheRewrite) {
  DefinitionId id = types.make(Combiner::contiguous, Form::large_counts, {{INT64_MAX}}, {mpi_char});
  for (int i = 0; i < 4; ++i) id = types.make(Combiner::contiguous, Form::large_counts, {{INT64_MAX}}, {id});
  EXPECT_EQ(simpler(id), "");
}

// MPICH 4.0.2 lets blocks of length 0 move the bounds, and Open MPI 4.1.4 takes a stride of -1 for contiguous: what
// would change a type in one of the libraries is no advice.
TEST_F(SimplifyTest, WhatALibrarySeesOtherwiseStays) {
  const DefinitionId id = types.vector(3, 0, 5, mpi_int);
  AllRules rules(types.store());
  ASSERT_FALSE(rules[BoundsRule::mpich].bounds(id).extent == rules[BoundsRule::standard].bounds(id).extent);
  EXPECT_EQ(simpler(id), "");
}

TEST_F(SimplifyTest, TheExtentsInUseCount) {
  const DefinitionId id = types.hvector(3, 2, 32, record);
  EXPECT_EQ(simpler(id), "MPI_Type_contiguous(6, " + name_of(record) + ")");
  TestStore others;
  DefinitionStore store(mpich_constants);
  Layouts layouts(store);
  for (std::uint32_t i = 0; i <= id.value; ++i) {  // the same, but the job's record is as long as no rule foretells
    const Definition& definition = types.store()[DefinitionId{i}];
    if (definition.call.combiner == Combiner::named) {
      layouts.add(store.add_predefined(types.store().predefined()[definition.predefined]));
    } else {
      layouts.add(store.intern(definition.call).id);
    }
    if (i == record.value) layouts.observe(record, ObservedBounds{12, 0, 24, 0, 12});
  }
  Simplifier simplifier(store, layouts);
  EXPECT_FALSE(simplifier.simpler(id, name_of).has_value());
}

TEST_F(SimplifyTest, DeepNestsAndSharedPartsTakeLinearTime) {
  DefinitionId deep = mpi_int;
  for (int i = 0; i < 10000; ++i) deep = types.contiguous(1, deep);
  EXPECT_EQ(simpler(deep), "MPI_INT");
  DefinitionId wide = mpi_int;
  for (int i = 0; i < 60; ++i) wide = types.structure({1, 1}, {0, INT64_C(4) << std::min(i, 50)}, {wide, wide});
  EXPECT_NE(simpler(wide), "");
}

// With a struct made for each member that can be simplified, there are as many of 800 members.
TEST_F(SimplifyTest, OneMemberAmongManyIsFoundInFewTrials) {
  constexpr std::int64_t members = 800;
  const DefinitionId tight = types.resized(mpi_double, 0, 8);  // the struct's bounds
  std::vector<std::int64_t> ones = {1}, at = {0};
  std::vector<DefinitionId> vectors = {tight};
  for (std::int64_t k = 1; k < members; ++k) {
    ones.push_back(1);
    at.push_back(at.back() + 8 * k);
    vectors.push_back(types.vector(1, k, k, mpi_double));
  }
  const DefinitionId id = types.structure(ones, at, vectors);
  Simplifier simplifier(types.store(), types.layouts());
  EXPECT_TRUE(simplifier.is_held(tight));
  for (std::size_t k = 1; k < vectors.size(); ++k) EXPECT_FALSE(simplifier.is_held(vectors[k])) << k;
  EXPECT_EQ(simplifier.simpler(vectors[5], name_of)->call, "MPI_Type_contiguous(5, MPI_DOUBLE)");
  const DefinitionStore& forms = simplifier.normal_forms();
  const ConstructorCall& call = forms[simplifier.normal_form(id)].call;
  ASSERT_EQ(call.datatypes.size(), vectors.size());
  EXPECT_EQ(forms[call.datatypes[0]].call.combiner, Combiner::resized);
  for (std::size_t k = 1; k < vectors.size(); ++k) {
    EXPECT_EQ(forms[call.datatypes[k]].call.combiner, Combiner::named) << k;
    EXPECT_EQ(call.array("array_of_blocklengths")[k], static_cast<std::int64_t>(k));
  }
  int structs = 0;
  for (std::uint32_t i = 0; i < forms.size(); ++i) {
    structs += forms[DefinitionId{i}].call.combiner == Combiner::structure ? 1 : 0;
  }
  EXPECT_LT(structs, 200);
}

/// Bounds by name, for messages.
std::vector<std::string> texts(const Bounds& b) {
  return {b.size.to_string(), b.lb.to_string(), b.ub.to_string(), b.true_lb.to_string(), b.true_ub.to_string()};
}

/// A store's normal forms, and the normal forms of these.
struct FormsOfStore {
  explicit FormsOfStore(TestStore& types)
      : simplifier(types.store(), types.layouts()),
        forms(simplifier.normal_forms()),
        oracle(forms),
        rules_before(types.store()),
        rules_after(forms),
        layouts(forms),
        again(forms, layouts) {}

  DefinitionId normal_form(DefinitionId id) {
    const DefinitionId normal = simplifier.normal_form(id);
    while (layouts.size() < forms.size()) layouts.add(DefinitionId{static_cast<std::uint32_t>(layouts.size())});
    return normal;
  }

  Simplifier simplifier;
  const DefinitionStore& forms;
  Oracle oracle;
  AllRules rules_before, rules_after;
  Layouts layouts;
  Simplifier again;
  std::uint32_t last = 0;
};

TEST(Simplify, RandomTypesKeepTheirMeaning) {
  std::unique_ptr<FormsOfStore> forms;
  int simplified = 0;
  for_each_random_type(2000, [&](TestStore& types, Oracle& oracle, DefinitionId id) {
    if (!forms || id.value < forms->last) forms = std::make_unique<FormsOfStore>(types);  // a new round, a new store
    forms->last = id.value;
    const DefinitionId normal = forms->normal_form(id);
    const std::string where = constructor_call_text(types.store(), id, name_of) + " -> " +
                              constructor_call_text(forms->forms, normal, name_of);
    const OracleTypemap wanted = oracle.entries(id);
    const OracleTypemap entries = forms->oracle.entries(normal);
    ASSERT_EQ(entries.size(), wanted.size()) << where;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(types.store().predefined()[wanted[i].type].name, forms->forms.predefined()[entries[i].type].name)
          << where;
      ASSERT_EQ(wanted[i].displacement, entries[i].displacement) << where;
    }
    EXPECT_EQ(oracle.bounds(id).lb, forms->oracle.bounds(normal).lb) << where;
    EXPECT_EQ(oracle.bounds(id).ub, forms->oracle.bounds(normal).ub) << where;
    for (const BoundsModel model : bounds_models) {
      EXPECT_EQ(texts(forms->rules_before[model].bounds(id)), texts(forms->rules_after[model].bounds(normal))) << where;
    }
    const DefinitionId twice = forms->again.normal_form(normal);
    EXPECT_EQ(forms->again.normal_forms()[twice].key, forms->forms[normal].key)
        << where << " -> " << constructor_call_text(forms->again.normal_forms(), twice, name_of);
    if (const std::optional<Simpler> simpler = forms->simplifier.simpler(id, name_of)) {
      EXPECT_FALSE(simpler->rewrites.empty()) << where;
      ++simplified;
    }
  });
  EXPECT_GT(simplified, 100);
}

}  // namespace
}  // namespace ddtscope::test::simplify_test
