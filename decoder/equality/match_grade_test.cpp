// Grades of messages whose types are known to differ, by MPI-4.1 3.3.1 and by what the types are on this machine.
#include "decoder/equality/match_grade.h"

#include <gtest/gtest.h>

#include <vector>

#include "decoder/definition/basic_kind.h"
#include "decoder/testing/random_types.h"
#include "decoder/testing/sanitizers.h"
#include "decoder/testing/test_store.h"
#include "decoder/testing/typemap_oracle.h"

namespace ddtscope::test::match_grade_test {
namespace {

/// With two that only libraries have.
std::vector<PredefinedType> predefined_types() {
  std::vector<PredefinedType> types = many_predefined_types();
  for (const char* name : {"MPIX_C_FLOAT16", "MPIX_BFLOAT16"}) {
    types.push_back({name, PredefinedKind::basic, 2, 2, 2, {}, {}, 0});
  }
  return types;
}

class MatchGradeTest : public testing::Test {
 protected:
  MatchGrade grade(DefinitionId send, Exact n, DefinitionId receive, Exact m) {
    const MessageSide sent{fingerprints, types.layouts(), send, n};
    const MessageSide received{fingerprints, types.layouts(), receive, m};
    return grade_of(sent, received, match(sent, received));
  }
  DefinitionId named(std::string_view name) const { return types.named(name); }

  DefinitionId f90(Combiner combiner, std::int64_t precision, std::int64_t range, std::int64_t size) const {
    return types.make_f90(combiner, {{precision}, {range}}, {{}, PredefinedKind::basic, size, size, 16, {}, {}, 0});
  }

  mutable TestStore types{mpich_constants, predefined_types()};
  Fingerprints fingerprints{types.layouts()};
};

TEST_F(MatchGradeTest, WhatMatchesIsFine) {
  EXPECT_EQ(grade(named("MPI_INT"), 3, named("MPI_INT"), 3), MatchGrade::fine);
  EXPECT_EQ(grade(named("MPI_INT"), 3, named("MPI_INT"), 5), MatchGrade::fine);
  EXPECT_EQ(grade(named("MPI_INT"), 3, named("MPI_PACKED"), 12), MatchGrade::fine);
}

TEST_F(MatchGradeTest, AnotherNameForTheSameBytes) {
  EXPECT_EQ(grade(named("MPI_LONG"), 3, named("MPI_AINT"), 3), MatchGrade::same_bytes);
  EXPECT_EQ(grade(named("MPI_CHAR"), 3, named("MPI_CHARACTER"), 4), MatchGrade::same_bytes);
  const DefinitionId one = types.structure({1, 2}, {0, 8}, {named("MPI_LONG"), named("MPI_DOUBLE")});
  const DefinitionId other = types.structure({1, 2}, {0, 8}, {named("MPI_AINT"), named("MPI_DOUBLE")});
  EXPECT_EQ(grade(one, 1000, other, 1000), MatchGrade::same_bytes);
  EXPECT_EQ(grade(one, 1000, other, 2000), MatchGrade::same_bytes);
}

// 3.3.1 knows no length from which on a message is another one.
TEST_F(MatchGradeTest, ManyCopiesAreGradedAsFewAre) {
  const DefinitionId one = types.structure({1, 2}, {0, 8}, {named("MPI_LONG"), named("MPI_DOUBLE")});
  const DefinitionId other = types.structure({1, 2}, {0, 8}, {named("MPI_AINT"), named("MPI_DOUBLE")});
  const DefinitionId third = types.structure({1, 2}, {0, 8}, {named("MPI_UINT64_T"), named("MPI_DOUBLE")});
  const DefinitionId pair = types.structure({1, 1}, {0, 4}, {named("MPI_INT"), named("MPI_DOUBLE")});
  for (const std::int64_t n : {1000, 1000000, 1000000000}) {
    EXPECT_EQ(grade(one, n, other, n), MatchGrade::same_bytes) << n;
    EXPECT_EQ(grade(types.contiguous(n, one), 7, other, 7 * n), MatchGrade::same_bytes) << n;
    EXPECT_EQ(grade(one, n, third, n), MatchGrade::wrong) << n;
    const DefinitionId last_differs = types.structure({n - 1, 1}, {0, 24 * (n - 1)}, {other, third});
    EXPECT_EQ(grade(one, n, last_differs, 1), MatchGrade::wrong) << n;
    EXPECT_EQ(grade(one, n - 1, last_differs, 1), MatchGrade::same_bytes) << n;
    EXPECT_EQ(grade(named("MPI_BYTE"), 12 * n, pair, n), MatchGrade::same_bytes) << n;
    EXPECT_EQ(grade(named("MPI_BYTE"), 12 * n - 8, pair, n), MatchGrade::same_bytes) << n;
    EXPECT_EQ(grade(named("MPI_BYTE"), 12 * n - 4, pair, n), MatchGrade::wrong) << n;
    EXPECT_EQ(grade(named("MPI_BYTE"), 12 * n - 4, types.contiguous(n, pair), 1), MatchGrade::wrong) << n;
    EXPECT_EQ(grade(named("MPI_BYTE"), 12 * n + 12, pair, n), MatchGrade::wrong) << n;
    const MessageSide sent{fingerprints, types.layouts(), one, n};
    EXPECT_TRUE(is_alike_but_longer(sent, {fingerprints, types.layouts(), other, n - 1})) << n;
    EXPECT_FALSE(is_alike_but_longer(sent, {fingerprints, types.layouts(), third, n - 1})) << n;
  }
  const DefinitionId far = types.contiguous(INT64_MAX, types.contiguous(INT64_MAX / 2, pair));
  EXPECT_EQ(grade(named("MPI_BYTE"), 12, far, 1), MatchGrade::undecided);  // its size does not fit
}

// Section 3.3.1 by its letter, on expanded signatures.
TEST_F(MatchGradeTest, RandomSignaturesAreGradedAsTheirEntriesAre) {
  RandomTypesOptions options;
  options.seed = 77;
  options.most_entries = 12;
  RandomTypes random(types, options);
  Oracle oracle(types.store());
  std::vector<DefinitionId> made;
  while (made.size() < (has_sanitizer ? 400 : 2000)) {
    const DefinitionId id = random.next();
    if (id.valid()) made.push_back(id);
  }
  // Each beside one that has another type of the same kind and size, and one of another kind, at one entry or none.
  std::size_t same = 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const OracleTypemap entries = oracle.entries(made[i]);
    if (entries.empty()) continue;
    std::vector<std::int64_t> ones, at;
    std::vector<DefinitionId> members;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const PredefinedType& type = types.store().predefined()[entries[k].type];
      std::string_view name = type.name;
      if (name == "MPI_INT") name = i % 2 == 0 ? "MPI_INTEGER" : "MPI_INT";
      if (name == "MPI_DOUBLE") name = "MPI_DOUBLE_PRECISION";
      if (name == "MPI_FLOAT" && k % 2 == 0) name = i % 2 == 0 ? "MPI_LOGICAL" : "MPI_REAL";
      ones.push_back(1);
      at.push_back(static_cast<std::int64_t>(k) * 32);
      members.push_back(named(name));
    }
    const DefinitionId other = types.structure(ones, at, members);
    const OracleTypemap others = oracle.entries(other);
    const std::int64_t copies = 1 + static_cast<std::int64_t>(i % 3);
    bool is_equal = true;
    bool is_alike = true;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const PredefinedType& sent = types.store().predefined()[entries[k].type];
      const PredefinedType& received = types.store().predefined()[others[k].type];
      is_equal = is_equal && sent.name == received.name;
      is_alike = is_alike && (sent.name == received.name ||
                              (sent.size == received.size && basic_kind(sent.name) == basic_kind(received.name)));
    }
    const MatchGrade expected = is_equal ? MatchGrade::fine : is_alike ? MatchGrade::same_bytes : MatchGrade::wrong;
    EXPECT_EQ(grade(made[i], copies, other, copies), expected) << "D" << made[i].value;
    same += expected == MatchGrade::same_bytes ? 1 : 0;
    wrong += expected == MatchGrade::wrong ? 1 : 0;
  }
  EXPECT_GT(same, made.size() / 50);
  EXPECT_GT(wrong, made.size() / 200);
}

TEST_F(MatchGradeTest, RealsOf16BytesHaveTwoFormats) {
  const DefinitionId extended = f90(Combiner::f90_real, 18, 4931, 16);
  const DefinitionId quadruple = f90(Combiner::f90_real, 33, 4931, 16);
  EXPECT_EQ(grade(named("MPI_LONG_DOUBLE"), 1, named("MPI_REAL16"), 1), MatchGrade::wrong);
  EXPECT_EQ(grade(named("MPI_C_LONG_DOUBLE_COMPLEX"), 1, named("MPI_COMPLEX32"), 1), MatchGrade::wrong);
  EXPECT_EQ(grade(extended, 1, quadruple, 1), MatchGrade::wrong);
  EXPECT_EQ(grade(extended, 1, named("MPI_REAL16"), 1), MatchGrade::wrong);
  EXPECT_EQ(grade(extended, 1, named("MPI_LONG_DOUBLE"), 1), MatchGrade::same_bytes);
  EXPECT_EQ(grade(quadruple, 1, named("MPI_REAL16"), 1), MatchGrade::same_bytes);
  EXPECT_EQ(grade(f90(Combiner::f90_complex, 18, 4931, 32), 1, named("MPI_C_LONG_DOUBLE_COMPLEX"), 1),
            MatchGrade::same_bytes);
  EXPECT_EQ(grade(f90(Combiner::f90_complex, 15, 307, 16), 1, named("MPI_C_DOUBLE_COMPLEX"), 1),
            MatchGrade::same_bytes);
}

TEST_F(MatchGradeTest, TypesOfALibraryAloneAreAlikeByNameOnly) {
  EXPECT_EQ(grade(named("MPIX_C_FLOAT16"), 1, named("MPIX_BFLOAT16"), 1), MatchGrade::wrong);
  EXPECT_EQ(grade(named("MPIX_C_FLOAT16"), 1, named("MPIX_C_FLOAT16"), 2), MatchGrade::fine);
}

TEST_F(MatchGradeTest, BytesAloneMatchByLength) {
  EXPECT_EQ(grade(named("MPI_BYTE"), 8, named("MPI_INT"), 2), MatchGrade::same_bytes);
  EXPECT_EQ(grade(named("MPI_INT"), 2, named("MPI_BYTE"), 8), MatchGrade::same_bytes);
  EXPECT_EQ(grade(named("MPI_INT"), 2, named("MPI_BYTE"), 12), MatchGrade::same_bytes);  // a receive may be longer
  EXPECT_EQ(grade(named("MPI_BYTE"), 4, named("MPI_INT"), 2), MatchGrade::same_bytes);
  EXPECT_EQ(grade(named("MPI_BYTE"), 6, named("MPI_INT"), 2), MatchGrade::wrong);  // half of an integer
  EXPECT_EQ(grade(named("MPI_INT"), 2, named("MPI_BYTE"), 7), MatchGrade::wrong);
  EXPECT_EQ(grade(named("MPI_BYTE"), 9, named("MPI_INT"), 2), MatchGrade::wrong);
  const DefinitionId pair = types.structure({1, 1}, {0, 8}, {named("MPI_INT"), named("MPI_DOUBLE")});
  EXPECT_EQ(grade(named("MPI_BYTE"), 16, pair, 2), MatchGrade::same_bytes);  // 4, 8, 4
  EXPECT_EQ(grade(named("MPI_BYTE"), 20, pair, 2), MatchGrade::wrong);
  const DefinitionId mixed = types.structure({1, 4}, {0, 4}, {named("MPI_INT"), named("MPI_BYTE")});
  EXPECT_EQ(grade(mixed, 1, named("MPI_INT"), 2), MatchGrade::wrong);
}

TEST_F(MatchGradeTest, AnotherKindOrSizeIsWrong) {
  EXPECT_EQ(grade(named("MPI_INT"), 1, named("MPI_FLOAT"), 1), MatchGrade::wrong);
  EXPECT_EQ(grade(named("MPI_SHORT"), 1, named("MPI_UNSIGNED_SHORT"), 1), MatchGrade::wrong);
  EXPECT_EQ(grade(named("MPI_INT"), 2, named("MPI_LONG"), 1), MatchGrade::wrong);
  EXPECT_EQ(grade(named("MPI_INT"), 3, named("MPI_INT"), 2), MatchGrade::wrong);  // truncated
  // What differs comes behind what only has another name.
  const DefinitionId one = types.structure({1, 1}, {0, 8}, {named("MPI_LONG"), named("MPI_INT")});
  const DefinitionId other = types.structure({1, 1}, {0, 8}, {named("MPI_AINT"), named("MPI_FLOAT")});
  EXPECT_EQ(grade(one, 1, other, 1), MatchGrade::wrong);
}

TEST_F(MatchGradeTest, WhatIsOnlyTooLongIsAlike) {
  const auto is_alike_but_longer = [&](DefinitionId send, Exact n, DefinitionId receive, Exact m) {
    return ddtscope::is_alike_but_longer({fingerprints, types.layouts(), send, n},
                                         {fingerprints, types.layouts(), receive, m});
  };
  EXPECT_TRUE(is_alike_but_longer(named("MPI_LONG"), 10, named("MPI_AINT"), 5));
  EXPECT_FALSE(is_alike_but_longer(named("MPI_LONG"), 5, named("MPI_AINT"), 5));
  EXPECT_FALSE(is_alike_but_longer(named("MPI_LONG"), 5, named("MPI_AINT"), 10));
  EXPECT_FALSE(is_alike_but_longer(named("MPI_LONG"), 10, named("MPI_INT"), 5));
  EXPECT_TRUE(is_alike_but_longer(named("MPI_LONG"), 10, named("MPI_BYTE"), 79));
  EXPECT_FALSE(is_alike_but_longer(named("MPI_LONG"), 10, named("MPI_BYTE"), 80));
}

}  // namespace
}  // namespace ddtscope::test::match_grade_test
