// Types of text have the bounds that the rules give, and errors their place.
#include "reporters/model/job_of_text.h"

#include <gtest/gtest.h>

#include "reporters/model/analysis.h"

namespace ddtscope::reporters::job_of_text_test {
namespace {

std::string problem(const std::string& text) {
  const auto made = job_of_text(text, BoundsRule::standard);
  const auto* wrong = std::get_if<TextProblem>(&made);
  return wrong == nullptr ? "none" : wrong->sentence + "\n" + wrong->excerpt;
}

TEST(JobOfText, HasTheTypeAndItsPartsWithTheBoundsOfTheRule) {
  const auto made =
      job_of_text("MPI_Type_create_resized(MPI_Type_vector(6, 1, 8, MPI_DOUBLE), 0, 8)", BoundsRule::standard);
  const auto* read = std::get_if<JobOfText>(&made);
  ASSERT_NE(read, nullptr);
  const Job& job = *read->job;
  ASSERT_EQ(job.types.size(), 2U);
  EXPECT_EQ(text_of(read->type), "T2");
  const ObservedBounds vector = job.observed(job.types[0]);
  EXPECT_EQ(vector.size, 48);
  EXPECT_EQ(vector.extent, 328);  // (5 * 8 + 1) * 8
  const ObservedBounds resized = job.observed(job.types[1]);
  EXPECT_EQ(resized.extent, 8);
  EXPECT_EQ(resized.true_extent, 328);
}

TEST(JobOfText, ReadsTheShortNotation) {
  const auto call = job_of_text("MPI_Type_vector(3, 1, 2, MPI_DOUBLE)", BoundsRule::openmpi);
  const auto notation = job_of_text(" U7(V:d:3:1:2) ", BoundsRule::openmpi);
  ASSERT_TRUE(std::holds_alternative<JobOfText>(call) && std::holds_alternative<JobOfText>(notation));
  EXPECT_EQ(std::get<JobOfText>(call).job->types[0].key, std::get<JobOfText>(notation).job->types[0].key);
  EXPECT_EQ(problem("U1(V:d:3:1)"), "expected is \":\", at character 11:\n  U1(V:d:3:1)\n            ^\n");
}

TEST(JobOfText, ShowsThePlaceOfAnErrorInItsLine) {
  EXPECT_EQ(problem("MPI_Type_vector(6, -1, 8, MPI_DOUBLE)"),
            "blocklength (-1) is negative, at character 20:\n  MPI_Type_vector(6, -1, 8, MPI_DOUBLE)\n"
            "                     ^\n");
  EXPECT_EQ(problem(std::string(1000, ' ') + "MPI_Type_dup(\x1b[31mMPI_INT\n)"),
            "a datatype is expected, at character 1014:\n  ...                           MPI_Type_dup(?[31mMPI_INT\n" +
                std::string(45, ' ') + "^\n");
  EXPECT_EQ(problem("t = MPI_INT;"), "MPI_INT is a predefined datatype: nothing makes it.\n");
}

}  // namespace
}  // namespace ddtscope::reporters::job_of_text_test
