// Fingerprints against the typemaps that they stand for.
#include "decoder/equality/fingerprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "decoder/bounds/bounds.h"
#include "decoder/testing/random_types.h"
#include "decoder/testing/sanitizers.h"
#include "decoder/testing/test_store.h"
#include "decoder/testing/typemap_oracle.h"

namespace ddtscope::test::fingerprint_test {
namespace {

class FingerprintTest : public testing::Test {
 protected:
  std::string layout(DefinitionId id) { return text(fingerprints.layout(types.layouts().root(id))); }
  std::string signature(DefinitionId id) { return text(fingerprints.signature(types.layouts().root(id))); }
  /// Of the first entries of as many copies as have them.
  std::string prefix(DefinitionId id, Exact length) {
    return text(Fingerprint{fingerprints.prefix_hash(types.layouts().root(id), length.value()).value.words()});
  }
  static std::string text(const std::optional<Fingerprint>& fingerprint) {
    return fingerprint ? text_of(*fingerprint) : "does not fit";
  }
  DefinitionId named(std::string_view name) const { return types.named(name); }

  TestStore types{mpich_constants, many_predefined_types()};
  Fingerprints fingerprints{types.layouts()};
  const DefinitionId mpi_int = named("MPI_INT");
  const DefinitionId mpi_double = named("MPI_DOUBLE");
  const std::string empty = std::string(32, '0');
};

// Traces of different runs and versions are compared by these.
TEST_F(FingerprintTest, ConstantsStayAsTheyAre) {
  EXPECT_EQ(layout(mpi_int), "17e7fddc58a6d64a0598690bfcb25595");
  EXPECT_EQ(signature(mpi_int), "14ad13006006f54d1794482f8fda53fe");
  const DefinitionId record = types.structure({1, 2}, {0, 8}, {mpi_int, mpi_double});
  EXPECT_EQ(layout(record), "0391fb8c2c5a8f4b0a7b544876e26836");
  EXPECT_EQ(signature(record), "086c874a165818e10b95e5c4b1db5d63");
  EXPECT_EQ(layout(types.hvector(1000000, 3, -400, record)), "0aae8ed828e5905f089cb050991b0d78");
  EXPECT_EQ(signature(types.contiguous(1000000, record)), "1dd875171bdb8b180dfa4f71c4808de4");
  const DefinitionId f90 =
      types.make_f90(Combiner::f90_real, {{15}, {307}}, {{}, PredefinedKind::basic, 8, 8, 8, {}, {}, 0});
  EXPECT_EQ(layout(f90), "1b00c68be4d39fa9014c185f3f4e8bb6");
}

TEST_F(FingerprintTest, TheSameTypemapHasTheSameFingerprintHoweverItWasBuilt) {
  // Two columns of a 6 x 5 matrix, seen as six pairs.
  const DefinitionId vector = types.vector(6, 2, 5, mpi_int);
  const DefinitionId row = types.contiguous(2, mpi_int);
  const std::vector<std::int64_t> rows = {0, 20, 40, 60, 80, 100};
  const std::vector<DefinitionId> others = {
      types.hvector(6, 2, 20, mpi_int),
      types.hvector(6, 1, 20, row),
      types.hvector(3, 1, 40, types.hvector(2, 1, 20, row)),
      types.contiguous(6, types.resized(row, 0, 20)),
      types.indexed({2, 2, 2, 2, 2, 2}, {0, 5, 10, 15, 20, 25}, mpi_int),
      types.indexed({2, 2, 1, 1, 2, 2, 2}, {0, 5, 10, 11, 15, 20, 25}, mpi_int),
      types.hindexed({1, 1, 1, 1, 1, 1}, rows, row),
      types.make(Combiner::hindexed_block, Form::int_counts, {{6}, {2}, rows}, {mpi_int}),
      types.make(Combiner::indexed_block, Form::large_counts, {{6}, {2}, {0, 5, 10, 15, 20, 25}}, {mpi_int}),
      types.structure({2, 2, 2, 1, 2, 1, 1}, {0, 20, 40, 60, 76, 100, 104},
                      {mpi_int, mpi_int, mpi_int, row, types.resized(types.hindexed({1}, {4}, mpi_int), 0, 4), mpi_int,
                       types.dup(mpi_int)}),
      types.subarray({6, 5}, {6, 2}, {0, 0}, types.constants().order_c, mpi_int),
      types.subarray({5, 6}, {2, 6}, {0, 0}, types.constants().order_fortran, mpi_int),
      types.darray({3, 0, {6, 5}, {123, 121}, {-49767, 2}, {1, 3}, 56}, mpi_int),
      types.structure({1, 0, 1}, {0, 7, 60},
                      {types.hvector(3, 2, 20, mpi_int), mpi_double, types.hvector(3, 2, 20, mpi_int)}),
      types.dup(types.resized(vector, -8, 400)),
  };
  for (const DefinitionId other : others) {
    EXPECT_EQ(layout(other), layout(vector)) << other.value;
    EXPECT_EQ(signature(other), signature(vector)) << other.value;
  }
}

TEST_F(FingerprintTest, EntriesAndTheirOrderCount) {
  const DefinitionId record = types.structure({1, 1}, {0, 8}, {mpi_int, mpi_double});
  std::set<std::string> layouts, signatures;
  const std::vector<DefinitionId> different = {
      record,
      types.structure({1, 1}, {8, 0}, {mpi_double, mpi_int}),                     // order
      types.structure({1, 1}, {0, 16}, {mpi_int, mpi_double}),                    // one displacement
      types.hindexed({1}, {1}, record),                                           // all displacements
      types.hindexed({1}, {-1}, record),                                          //
      types.structure({1, 1}, {0, 8}, {mpi_int, named("MPI_DOUBLE_PRECISION")}),  // one type
      types.structure({1, 1, 1}, {0, 8, 0}, {mpi_int, mpi_double, mpi_int}),      // one more
      types.hindexed({1, 1}, {0, INT64_MAX}, mpi_int),                            // far apart
      types.hindexed({1, 1}, {INT64_MIN, 0}, mpi_int),                            //
      types.hindexed({1, 1}, {0, (std::int64_t{1} << 61) - 1}, mpi_int),          // a multiple of one prime
      types.hindexed({1, 1}, {0, 0}, mpi_int),                                    //
  };
  for (const DefinitionId id : different) {
    layouts.insert(layout(id));
    signatures.insert(signature(id));
  }
  EXPECT_EQ(layouts.size(), different.size());
  EXPECT_EQ(signatures.size(), 5u);
  for (const std::string& one : layouts) EXPECT_FALSE(signatures.contains(one));
}

TEST_F(FingerprintTest, BlocksOfLengthZeroDoNotCount) {
  EXPECT_EQ(layout(types.indexed({0, 2, 0, 1}, {99, 3, -7, 9}, mpi_int)),
            layout(types.indexed({2, 1}, {3, 9}, mpi_int)));
  const DefinitionId nothing = types.resized(types.contiguous(0, mpi_int), 3, 100);
  EXPECT_EQ(layout(types.structure({1, 5}, {0, 40}, {mpi_double, nothing})), layout(mpi_double));
}

TEST_F(FingerprintTest, EmptyTypemapsShareOne) {
  const DefinitionId nothing = types.contiguous(0, mpi_int);
  for (const DefinitionId id :
       {nothing, types.structure({0}, {5}, {mpi_double}), types.contiguous(7, nothing), types.resized(nothing, -4, 9),
        named("MPI_UB"), types.structure({1, 1}, {0, 8}, {named("MPI_LB"), named("MPI_UB")})}) {
    EXPECT_EQ(layout(id), empty);
    EXPECT_EQ(signature(id), empty);
    EXPECT_EQ(prefix(id, 0), empty);
  }
}

TEST_F(FingerprintTest, PairsAreTwoEntries) {
  EXPECT_EQ(layout(named("MPI_DOUBLE_INT")), layout(types.structure({1, 1}, {0, 8}, {mpi_double, mpi_int})));
  EXPECT_EQ(layout(named("MPI_2INT")), layout(types.contiguous(2, mpi_int)));
}

TEST_F(FingerprintTest, CountsBeyond64BitsAreExact) {
  for (const std::int64_t n : {std::int64_t{INT32_MAX} + 1, std::int64_t{1} << 53, std::int64_t{INT64_MAX}}) {
    const DefinitionId record = types.resized(types.structure({1, 1}, {0, 3}, {mpi_int, mpi_double}), 0, 1);
    const DefinitionId one_way = types.contiguous(n, types.contiguous(n / 16 - 1, record));
    const DefinitionId other_way = types.contiguous(n / 16 - 1, types.contiguous(n, record));
    EXPECT_EQ(signature(one_way), signature(other_way));
    EXPECT_EQ(layout(one_way), layout(other_way));
    const DefinitionId by_turns = types.contiguous(n / 16, types.contiguous(n - 1, record));
    EXPECT_NE(signature(one_way), signature(by_turns));
    // The longer one, its last copy cut off.
    const Exact length = types.facts(one_way).entries;
    EXPECT_EQ(prefix(types.contiguous(2, one_way), length), signature(one_way));
    EXPECT_EQ(prefix(other_way, length * Exact(4)), prefix(types.contiguous(2, one_way), length * Exact(4)));
  }
}

TEST_F(FingerprintTest, WhatExceeds128BitsHasNone) {
  DefinitionId far = mpi_double;
  for (int i = 0; i < 2; ++i) far = types.contiguous(INT64_MAX, far);
  EXPECT_FALSE(types.facts(far).true_ub.fits());
  EXPECT_EQ(layout(far), "does not fit");
  EXPECT_NE(signature(far), "does not fit");
  EXPECT_EQ(signature(types.contiguous(INT64_MAX, far)), "does not fit");
  EXPECT_EQ(layout(types.contiguous(0, far)), empty);
}

TEST_F(FingerprintTest, DeepNestsAndSharedOnesAreLinear) {
  DefinitionId chain = mpi_int;
  for (int i = 0; i < 10000; ++i) chain = types.structure({1, 1}, {0, 4 * (i + 1)}, {chain, mpi_int});
  EXPECT_EQ(layout(chain), layout(types.contiguous(10001, mpi_int)));
  EXPECT_EQ(prefix(chain, 15000), signature(types.contiguous(15000, mpi_int)));

  const DefinitionId record = types.resized(types.structure({1, 1}, {0, 4}, {mpi_int, named("MPI_FLOAT")}), 0, 8);
  DefinitionId doubled = record;
  for (int i = 0; i < 60; ++i)
    doubled = types.structure({1, 0, 1}, {0, 1, std::int64_t{8} << i}, {doubled, mpi_int, doubled});
  EXPECT_EQ(types.facts(doubled).entries, Exact(std::int64_t{2} << 60));
  EXPECT_EQ(layout(doubled), layout(types.contiguous(std::int64_t{1} << 60, record)));
  EXPECT_EQ(prefix(doubled, (std::int64_t{1} << 60) - 77), prefix(record, (std::int64_t{1} << 60) - 77));
}

// With each member of one looked through for each of the other, the test comes by its time limit.
TEST_F(FingerprintTest, ManyMembersOfManyMembersAreLinear) {
  constexpr int members = has_sanitizer ? 50000 : 200000;
  std::vector<std::int64_t> at;
  std::vector<DefinitionId> of_inner, of_outer;
  const DefinitionId mpi_float = named("MPI_FLOAT");
  for (int i = 0; i < members; ++i) {
    at.push_back(std::int64_t{16} * i + 4 * (i % 3));
    of_inner.push_back(i % 2 == 0 ? mpi_int : mpi_float);
  }
  const std::vector<std::int64_t> ones(members, 1);
  const DefinitionId inner = types.structure(ones, at, of_inner);
  for (int i = 0; i < members; ++i) of_outer.push_back(i % 2 == 0 ? inner : mpi_int);
  const DefinitionId outer = types.structure(ones, at, of_outer);
  AllRules rules(types.store());
  for (const BoundsModel model : bounds_models) {
    const Layouts& by_rule = rules[model].layouts();
    Fingerprints of_rule(by_rule);
    EXPECT_EQ(text(of_rule.layout(by_rule.root(outer))), layout(outer)) << static_cast<int>(model);
  }
}

/// What a fingerprint stands for, as text: of one store or another.
std::string names_of(const DefinitionStore& store, const OracleTypemap& entries) {
  std::string text;
  for (const OracleEntry& entry : entries) text += store.predefined()[entry.type].name + ',';
  return text;
}
std::string typemap_of(const DefinitionStore& store, const OracleTypemap& entries) {
  std::string text;
  for (const OracleEntry& entry : entries) {
    text += store.predefined()[entry.type].name + '@' + std::to_string(entry.displacement) + ',';
  }
  return text;
}

/// One to one, both ways.
class Pairing {
 public:
  void add(const std::string& meaning, const std::string& fingerprint) {
    const auto of_meaning = by_meaning_.try_emplace(meaning, fingerprint).first;
    EXPECT_EQ(of_meaning->second, fingerprint) << meaning;
    const auto of_fingerprint = by_fingerprint_.try_emplace(fingerprint, meaning).first;
    EXPECT_EQ(of_fingerprint->second, meaning) << fingerprint;
  }
  std::size_t size() const { return by_meaning_.size(); }

 private:
  std::map<std::string, std::string> by_meaning_, by_fingerprint_;
};

TEST(Fingerprint, OfRandomTypesIsEqualExactlyWhereTypemapsAre) {
  Pairing layouts, signatures;
  std::size_t made = 0;
  for (std::uint64_t round = 0; made < (has_sanitizer ? 20000 : 100000); ++round) {
    // The basic types have other numbers in every other store.
    std::vector<PredefinedType> predefined = many_predefined_types();
    if (round % 2 == 1) {
      std::reverse(predefined.begin(), predefined.end());
      std::stable_partition(predefined.begin(), predefined.end(),
                            [](const PredefinedType& type) { return type.kind == PredefinedKind::basic; });
    }
    TestStore types(round % 4 < 2 ? mpich_constants : openmpi_constants, predefined);
    RandomTypesOptions options;
    options.seed = 500 + round;
    options.most_entries = 60;
    RandomTypes random(types, options);
    Oracle oracle(types.store());
    Fingerprints fingerprints(types.layouts());
    for (int i = 0; i < 5000; ++i) {
      const DefinitionId id = random.next();
      if (!id.valid()) continue;
      ++made;
      const OracleTypemap entries = oracle.entries(id);
      const LayoutId root = types.layouts().root(id);
      layouts.add(typemap_of(types.store(), entries), text_of(*fingerprints.layout(root)));
      signatures.add(names_of(types.store(), entries), text_of(*fingerprints.signature(root)));
      ASSERT_FALSE(testing::Test::HasFailure()) << "round " << round << ", D" << id.value;
      if (entries.empty()) continue;

      const std::int64_t length = static_cast<std::int64_t>(entries.size());
      const std::int64_t copies = 1 + i % 3;
      const std::int64_t cut = i % (length * copies + 1);
      OracleTypemap beginning;
      for (std::int64_t k = 0; k < cut; ++k) beginning.push_back(entries[static_cast<std::size_t>(k % length)]);
      signatures.add(names_of(types.store(), beginning),
                     text_of(Fingerprint{fingerprints.prefix_hash(root, cut).value.words()}));
    }
  }
  EXPECT_GT(layouts.size(), made / 5);
  EXPECT_GT(signatures.size(), made / 10);
}

}  // namespace
}  // namespace ddtscope::test::fingerprint_test
