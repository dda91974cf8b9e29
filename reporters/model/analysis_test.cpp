// Differences that the library is known for, and those that nobody explains.
#include "reporters/model/analysis.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

namespace ddtscope {
namespace {

/// T3 is a struct of MPI_INT at 0 and, at 8, a type resized to [0, 16): its markers stand at 8 and 24 (MPI-4.1 5.1.7),
/// and MPICH 4.0.2 answered 0 and 24.
class Explanations : public testing::Test {
 protected:
  Explanations() {
    const std::filesystem::path paths[] = {std::filesystem::path(DDTSCOPE_TESTDATA) / "v1" / "known_bounds_mpich"};
    job_ = std::move(std::get<0>(load_job(paths)));
    analysis_ = std::make_unique<Analysis>(*job_);
  }
  std::optional<BoundsRule> explanation(const std::string& subject, const std::string& computed,
                                        const std::string& library) {
    return analysis_->explanation({TypeNumber{3}, {}, subject, computed, library});
  }

  std::unique_ptr<Job> job_;
  std::unique_ptr<Analysis> analysis_;
};

TEST_F(Explanations, TheLibrarysRuleExplainsWhatItPredicts) {
  ASSERT_EQ(job_->differences.size(), 2U);
  for (const JobDifference& difference : job_->differences) {
    EXPECT_EQ(analysis_->explanation(difference), BoundsRule::mpich) << difference.subject;
  }
  EXPECT_EQ(analysis_->differences().explained.size(), 2U);
  EXPECT_TRUE(analysis_->differences().unexplained.empty());
}

TEST_F(Explanations, OtherAnswersAreUnexplained) {
  EXPECT_EQ(explanation("lb", "8", "0"), BoundsRule::mpich);
  EXPECT_EQ(explanation("lb", "8", "4"), std::nullopt);
  EXPECT_EQ(explanation("lb", "8", "null"), std::nullopt);
  EXPECT_EQ(explanation("size", "20", "0"), std::nullopt);
  EXPECT_EQ(explanation("envelope", "8", "0"), std::nullopt);
  EXPECT_EQ(explanation("error", "null", "\"0\""), std::nullopt);
}

TEST_F(Explanations, WhatThePluginComputedMustBeWhatTheDefinitionGives) {
  EXPECT_EQ(explanation("lb", "16", "0"), std::nullopt);
}

TEST_F(Explanations, UnexplainedOnesStandApart) {
  job_->differences.push_back({TypeNumber{3}, {}, "true_lb", "0", "4"});
  const SortedDifferences sorted = analysis_->differences();
  ASSERT_EQ(sorted.unexplained.size(), 1U);
  EXPECT_EQ(sorted.unexplained[0]->subject, "true_lb");
  EXPECT_EQ(sorted.explained.size(), 2U);
}

TEST_F(Explanations, AnotherLibraryIsNotExcused) {
  for (const char* name : {"openmpi", "unknown"}) {
    job_->ranks.front().header.library_name = name;
    analysis_ = std::make_unique<Analysis>(*job_);
    EXPECT_EQ(explanation("lb", "8", "0"), std::nullopt) << name;
  }
}

TEST(ExplanationOfLargeValues, ReadsDecimalStrings) {
  Job job(LibraryConstants{56, 57, 121, 122, 123, -49767});
  JobRank rank;
  rank.header.library_name = "mpich";
  job.ranks.push_back(rank);
  PredefinedType type;
  type.name = "MPI_CHAR";
  type.size = type.extent = type.alignment = 1;
  const DefinitionId mpi_char = job.store.add_predefined(type);
  type.name = "MPI_INT";
  type.size = type.extent = type.alignment = 4;
  const DefinitionId mpi_int = job.store.add_predefined(type);
  const auto make = [&](Combiner combiner, const Contents& contents) {
    CallFromContents call;
    EXPECT_TRUE(call.build(combiner, Form::int_counts, contents)) << call.problem();
    const DefinitionId id = job.store.intern(call.call()).id;
    JobType made;
    made.number = TypeNumber{static_cast<std::uint32_t>(job.types.size() + 1)};
    made.definition = id;
    job.types.push_back(made);
    return id;
  };
  const DefinitionId resized = make(Combiner::resized, {{}, {0, 1}, {}, {mpi_char}});
  // The markers at 2^60 and 2^60 + 1 hold by the standard; MPICH begins at 0 and rounds up to the alignment of MPI_INT.
  make(Combiner::structure, {{2, 1, 1}, {0, 1152921504606846976}, {}, {mpi_int, resized}});
  Analysis analysis(job);
  const auto explanation = [&](const char* subject, const char* computed, const char* library) {
    return analysis.explanation({TypeNumber{2}, {}, subject, computed, library});
  };
  EXPECT_EQ(explanation("lb", "\"1152921504606846976\"", "0"), BoundsRule::mpich);
  EXPECT_EQ(explanation("extent", "1", "\"1152921504606846980\""), BoundsRule::mpich);
  EXPECT_EQ(explanation("extent", "1", "\"1152921504606846977\""), std::nullopt);
}

}  // namespace
}  // namespace ddtscope
