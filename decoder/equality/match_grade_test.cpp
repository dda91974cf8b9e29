// Grades of messages whose types are known to differ, by MPI-4.1 3.3.1 and by what the types are on this machine.
#include "decoder/equality/match_grade.h"

#include <gtest/gtest.h>

#include "decoder/testing/test_store.h"

namespace ddtscope::test::match_grade_test {
namespace {

class MatchGradeTest : public testing::Test {
 protected:
  MatchGrade grade(DefinitionId send, Exact n, DefinitionId receive, Exact m) {
    const MessageSide sent{fingerprints, types.layouts(), send, n};
    const MessageSide received{fingerprints, types.layouts(), receive, m};
    return grade_of(sent, received, match(sent, received));
  }
  DefinitionId named(std::string_view name) const { return types.named(name); }

  mutable TestStore types{mpich_constants, many_predefined_types()};
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
  EXPECT_EQ(grade(one, 1000000000, other, 1000000000), MatchGrade::wrong);  // more than anybody looks at
  EXPECT_EQ(grade(one, 1000, other, 1000), MatchGrade::same_bytes);
  EXPECT_EQ(grade(one, 1000, other, 2000), MatchGrade::same_bytes);
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
