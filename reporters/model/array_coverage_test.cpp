// Types in a user's array: the elements that are touched are worked out by hand from the constructors' arguments.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reporters/model/array_coverage.h"
#include "reporters/model/job_fixture.h"

namespace ddtscope::reporters::array_coverage_test {
namespace {

class ArrayCoverageTest : public test::JobFixture {
 protected:
  ArrayCoverage covered(TypeNumber type, const UserArray& array, std::int64_t count = 1) {
    const auto result = coverage_of_array(job_, type, array, count);
    const auto* problem = std::get_if<std::string>(&result);
    EXPECT_EQ(problem, nullptr) << *problem;
    return problem == nullptr ? std::get<ArrayCoverage>(result) : ArrayCoverage{};
  }
  std::string refused(TypeNumber type, const UserArray& array) {
    const auto result = coverage_of_array(job_, type, array, 1);
    const auto* problem = std::get_if<std::string>(&result);
    return problem == nullptr ? "" : *problem;
  }
  /// Rows of digits, '.' for 0.
  static std::string text_of(const ArrayCoverage& coverage) {
    std::string text;
    for (std::size_t i = 0; i < coverage.times.size(); ++i) {
      const int times = coverage.times[i];
      text += times == 0 ? '.' : static_cast<char>('0' + times);
      if ((i + 1) % static_cast<std::size_t>(coverage.columns) == 0) text += '/';
    }
    return text;
  }
};

TEST_F(ArrayCoverageTest, AColumnStandsUnderItself) {
  const ArrayCoverage right = covered(vector(3, 1, 5), {{4, 5}, "MPI_DOUBLE", {1, 2}, {}});
  EXPECT_EQ(text_of(right), "...../..1../..1../..1../");
  EXPECT_EQ(right.touched, 3u);
  EXPECT_EQ(right.buffer, Exact(56));
  EXPECT_EQ(right.outside, 0u);
}

TEST_F(ArrayCoverageTest, AWrongStrideIsADiagonal) {
  EXPECT_EQ(text_of(covered(vector(4, 1, 6), {{4, 5}, "MPI_DOUBLE", {}, {}})), "1..../.1.../..1../...1./");
}

TEST_F(ArrayCoverageTest, CopiesAndOverlapAreCounted) {
  // Three copies of a block of 2, one element apart.
  const TypeNumber tight = make(Combiner::resized, {{}, {0, 8}, {}, {job_.type(vector(1, 2, 2)).definition}});
  const ArrayCoverage coverage = covered(tight, {{1, 5}, "MPI_DOUBLE", {}, {}}, 3);
  EXPECT_EQ(text_of(coverage), "1221./");
  EXPECT_EQ(coverage.touched, 4u);
  EXPECT_EQ(coverage.touched_twice, 2u);
}

TEST_F(ArrayCoverageTest, RowsMayBePadded) {
  // Rows of 3 ints, 16 bytes apart: the fourth of a row is no element.
  const ArrayCoverage coverage = covered(vector(1, 6, 6, "MPI_INT"), {{2, 3}, "MPI_INT", {}, 16});
  EXPECT_EQ(text_of(coverage), "111/11./");
  EXPECT_EQ(coverage.outside, 1u);
  EXPECT_EQ(coverage.first_outside, Exact(12));
}

TEST_F(ArrayCoverageTest, WhatLiesBeforeAndBehindIsCounted) {
  const ArrayCoverage behind = covered(contiguous(4), {{2, 2}, "MPI_DOUBLE", {1, 0}, {}});
  EXPECT_EQ(text_of(behind), "../11/");
  EXPECT_EQ(behind.outside, 2u);
  EXPECT_EQ(behind.first_outside, Exact(32));
  const ArrayCoverage before = covered(contiguous(2), {{2, 2}, "MPI_DOUBLE", {0, -1}, {}});
  EXPECT_EQ(text_of(before), "1./../");
  EXPECT_EQ(before.first_outside, Exact(-8));
}

TEST_F(ArrayCoverageTest, EntriesThatAreNoElementsTouchThemInPart) {
  // 3 ints on doubles: the first double by two, the second by one.
  const ArrayCoverage coverage = covered(vector(1, 3, 3, "MPI_INT"), {{1, 3}, "MPI_DOUBLE", {}, {}});
  EXPECT_EQ(coverage.partly, 2u);
  EXPECT_EQ(coverage.touched, 2u);
}

TEST_F(ArrayCoverageTest, ThreeDimensionsAreRowsOfTheLast) {
  const ArrayCoverage coverage = covered(contiguous(1), {{2, 2, 3}, "", {1, 0, 2}, {}});
  EXPECT_EQ(text_of(coverage), ".../.../..1/.../");
  EXPECT_EQ(indices_of({{2, 2, 3}, "", {}, {}}, 2, 1), "[1][0][1]");
}

TEST_F(ArrayCoverageTest, ArraysThatCannotBeAreRefused) {
  const TypeNumber type = contiguous(1);
  EXPECT_NE(refused(type, {{4, 5}, "MPI_NOTHING", {}, {}}).find("no basic type \"MPI_NOTHING\""), std::string::npos);
  EXPECT_NE(refused(type, {{1 << 20, 1 << 20}, "", {}, {}}).find("1 to 16777216 elements"), std::string::npos);
  EXPECT_NE(refused(type, {{4, 5}, "", {}, 39}).find("cannot stand 39 bytes apart"), std::string::npos);
  EXPECT_NE(refused(type, {{4, 5}, "", {1, 2, 3}, {}}).find("3 indices"), std::string::npos);
}

}  // namespace
}  // namespace ddtscope::reporters::array_coverage_test
