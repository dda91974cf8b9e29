// Findings of whole jobs: what is told of call sites, in which order, and what a filter leaves out. The expected
// numbers are counted by hand from the lives that each test makes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "reporters/model/job_findings.h"
#include "reporters/model/job_fixture.h"
#include "reporters/model/site_frames.h"
#include "reporters/model/summary.h"

namespace ddtscope::reporters::job_findings_test {
namespace {

class LivesTest : public test::JobFixture {
 protected:
  std::vector<JobFinding> of_kind(FindingId id) {
    std::vector<JobFinding> found;
    for (JobFinding& finding : findings_of_job(job_, compare_messages(job_))) {
      if (finding.kind == &kind_of(id)) found.push_back(std::move(finding));
    }
    return found;
  }
};

TEST_F(LivesTest, NineLivesOfARankAreANoteAndTenAWarning) {
  ranks(1);
  lives(contiguous(2), frame(1), {9, 0, 9, 0});
  ASSERT_EQ(of_kind(FindingId::never_freed).size(), 1u);
  EXPECT_EQ(of_kind(FindingId::never_freed)[0].severity, Severity::note);
  lives(contiguous(3), frame(2), {10, 0, 10, 0});
  const auto found = of_kind(FindingId::never_freed);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_EQ(found[0].count, 10u);
  EXPECT_EQ(found[1].severity, Severity::note);
}

TEST_F(LivesTest, OneFindingStandsForACallSite) {
  ranks(1);
  const FrameIndex site = frame(1);
  const TypeNumber two = contiguous(2);
  const TypeNumber three = contiguous(3);
  lives(two, site, {100, 0, 100, 95});
  lives(three, site, {20, 0, 20, 2});
  lives(contiguous(4), site, {5, 0, 5, 5});
  const auto found = of_kind(FindingId::never_freed);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].count, 23u);
  EXPECT_EQ(found[0].type, job_.type(three).definition);
  EXPECT_EQ(found[0].message,
            "23 of the 125 types made here were never freed; 102 were freed. Of these, 18 are T2; the rest are 1 other "
            "definition.");
}

TEST_F(LivesTest, LivesOfManyRanksAreCountedForTheRankThatHasMost) {
  ranks(10);
  // Two on each rank.
  lives(contiguous(2), frame(1), {20, 0, 20, 0}, {0, 9, {}});
  EXPECT_EQ(of_kind(FindingId::never_freed)[0].severity, Severity::note);
  // All on one of them, as the ranks' own totals say.
  for (JobRank& rank : job_.ranks) rank.counters = Counters{};
  job_.ranks[3].counters = Counters{20, 0, 20, 0};
  EXPECT_EQ(of_kind(FindingId::never_freed)[0].severity, Severity::warning);
}

TEST_F(LivesTest, WhileAJobRunsTypesAreLiveNow) {
  ranks(1, "");
  lives(contiguous(2), frame(1), {50, 0, 50, 0});
  const auto found = of_kind(FindingId::never_freed);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::note);
  EXPECT_EQ(found[0].message, "50 of the 50 types made here are live now; 0 were freed.");
}

TEST_F(LivesTest, FreedAndPredefinedTypesAreNoLeaks) {
  ranks(1);
  lives(contiguous(2), frame(1), {50, 0, 50, 50});
  lives(make(Combiner::f90_integer, {{9}, {}, {}, {}}), frame(2), {50, 0, 0, 0});
  EXPECT_TRUE(of_kind(FindingId::never_freed).empty());
}

// MPI-4.1 5.1.10: the duplicate of a committed type is committed.
TEST_F(LivesTest, ADupOfACommittedTypeIsCommitted) {
  ranks(1);
  const TypeNumber committed = contiguous(2);
  const TypeNumber other = contiguous(3);
  lives(committed, frame(1), {1, 0, 1, 1});
  lives(dup(committed), frame(2), {1, 0, 0, 1});
  lives(make(Combiner::dup, {{}, {}, {}, {*job_.store.find_predefined("MPI_INT")}}), frame(3), {1, 0, 0, 1});
  EXPECT_TRUE(of_kind(FindingId::never_committed).empty());
  EXPECT_TRUE(summarise(job_).never_committed.empty());
  lives(other, frame(4), {1, 0, 0, 1});
  const TypeNumber copy = dup(other);
  lives(copy, frame(5), {1, 0, 0, 1});
  // `other` is part of its duplicate.
  const auto found = of_kind(FindingId::never_committed);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].type, job_.type(copy).definition);
  EXPECT_EQ(found[0].severity, Severity::note);
}

TEST_F(LivesTest, FailedCallsAreAWarningUnlessProgramsProvokeThem) {
  ranks(1);
  job_.failed_calls.push_back({"MPI_Type_contiguous", "c", "MPI_ERR_COUNT", frame(1), 3, {}});
  job_.failed_calls.push_back({"MPI_File_open", "c", "MPI_ERR_NO_SUCH_FILE", frame(2), 1, {}});
  job_.failed_calls.push_back({"MPI_Recv", "c", "MPI_ERR_TRUNCATE", frame(3), 1, {}});
  job_.failed_calls.push_back({"MPI_Type_commit", "c", "", frame(4), 1, {}});
  const auto found = of_kind(FindingId::failed_call);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_EQ(found[0].message, "MPI_Type_contiguous returned MPI_ERR_COUNT 3 times.");
  EXPECT_EQ(found[0].type, std::nullopt);
  EXPECT_EQ(found[1].severity, Severity::note);
  EXPECT_EQ(found[2].severity, Severity::note);
  EXPECT_EQ(found[3].severity, Severity::warning);
}

TEST_F(LivesTest, ChurnIsAHundredLivesOfOneDefinitionOnARank) {
  ranks(4);
  lives(contiguous(2), frame(1), {100, 0, 100, 100});
  lives(contiguous(3), frame(2), {99, 0, 99, 99});
  lives(contiguous(4), frame(3), {200, 0, 200, 200}, {0, 3, {}});  // 50 on each rank
  lives(contiguous(5), frame(4), {100, 0, 100, 0});                // a leak
  const auto found = of_kind(FindingId::churn);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].count, 100u);
  EXPECT_EQ(found[0].type, job_.type(TypeNumber{1}).definition);
}

TEST_F(LivesTest, ChurnIsOfTypesThatAreUsedOnceEach) {
  ranks(1);
  for (JobRank& rank : job_.ranks) rank.header.uses = true;
  const TypeNumber once = contiguous(2), often = contiguous(3), never = contiguous(4), at_two_sites = contiguous(5);
  for (const TypeNumber type : {once, often, never}) lives(type, frame(type.value), {100, 0, 100, 100});
  lives(at_two_sites, frame(10), {100, 0, 100, 100});
  lives(at_two_sites, frame(11), {300, 0, 300, 300});
  const auto uses = [&](TypeNumber type, std::uint64_t calls) {
    TypeUse use{};
    use.type = job_.type(type).definition;
    use.counts.calls = calls;
    job_.uses.push_back(use);
  };
  uses(once, 100);
  uses(often, 101);
  uses(at_two_sites, 400);
  std::vector<std::uint64_t> counts;
  for (const JobFinding& finding : of_kind(FindingId::churn)) {
    EXPECT_NE(finding.type, job_.type(often).definition);
    EXPECT_EQ(finding.message.find("not recorded"), std::string::npos) << finding.message;
    counts.push_back(finding.count);
  }
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{300, 100, 100, 100}));
  const auto message = [&](TypeNumber type) {
    for (const JobFinding& finding : of_kind(FindingId::churn)) {
      if (finding.type == job_.type(type).definition) return finding.message;
    }
    return std::string();
  };
  EXPECT_TRUE(message(never).ends_with("; it was used 0 times.")) << message(never);
  make(Combiner::contiguous, {{7}, {}, {}, {job_.type(never).definition}});
  EXPECT_TRUE(message(never).ends_with("; it was used 0 times by itself, and other types were made of it."))
      << message(never);
}

TEST_F(LivesTest, OrderIsSeverityThenKind) {
  ranks(1);
  // Copies that overlap are a warning about a type, told before leaks.
  const TypeNumber tight = make(Combiner::resized, {{}, {0, 4}, {}, {*job_.store.find_predefined("MPI_DOUBLE")}});
  lives(tight, frame(1), {1, 0, 1, 1});
  lives(contiguous(2), frame(2), {30, 0, 30, 0});
  job_.failed_calls.push_back({"MPI_Type_contiguous", "c", "MPI_ERR_COUNT", frame(3), 3, {}});
  Analysis analysis(job_);
  JobFindings findings(job_, analysis);
  std::vector<std::string_view> ids;
  findings.each(Severity::warning, [&](const JobFinding& finding) { ids.push_back(finding.kind->id); });
  EXPECT_EQ(ids, (std::vector<std::string_view>{"copies-overlap", "failed-call", "never-freed"}));
  EXPECT_EQ(findings.counts().warnings, 3u);
  for (std::uint64_t limit = 0; limit <= 3; ++limit) {
    std::uint64_t seen = 0;
    findings.each(Severity::warning, [&](const JobFinding&) { ++seen; }, {.all = limit});
    EXPECT_EQ(seen, limit);
  }
  lives(contiguous(3), frame(4), {30, 0, 30, 0});
  JobFindings more(job_, analysis);
  EXPECT_EQ(more.number_of(Severity::warning, FindingId::never_freed), 2u);
  std::uint64_t seen = 0;
  more.each(Severity::warning, [&](const JobFinding&) { ++seen; }, {.of_kind = 1});
  EXPECT_EQ(seen, 3u);
  EXPECT_TRUE(findings.any_from(Severity::warning));
  EXPECT_FALSE(findings.any_from(Severity::error));
}

TEST_F(LivesTest, WhatIsLeftOutIsCounted) {
  ranks(1);
  const FrameIndex in_library = frame(1);
  const FrameIndex own = frame(2);
  const TypeNumber both = make(Combiner::resized, {{}, {0, 4}, {}, {*job_.store.find_predefined("MPI_DOUBLE")}});
  lives(both, in_library, {1, 0, 1, 1});
  lives(contiguous(2), in_library, {30, 0, 30, 0});
  lives(contiguous(3), own, {30, 0, 30, 0});
  Analysis analysis(job_);
  const auto is_in_library = [&](const FindingKind&, FrameIndex site) { return site == in_library; };
  JobFindings ignoring(job_, analysis, {{FindingId::never_freed}});
  EXPECT_EQ(ignoring.left_out().ignored, 2u);
  EXPECT_EQ(ignoring.counts().warnings, 1u);
  JobFindings suppressing(job_, analysis, {{}, is_in_library});
  EXPECT_EQ(suppressing.counts().warnings, 1u);
  EXPECT_GE(suppressing.left_out().suppressed, 2u);
  // A type that the program makes, too, is told.
  lives(both, own, {1, 0, 1, 1});
  JobFindings told(job_, analysis, {{}, is_in_library});
  EXPECT_EQ(told.counts().warnings, 2u);
}

TEST_F(LivesTest, AWrapperIsToldWithItsCallers) {
  ranks(1);
  const FrameIndex main_a = frame(1000);
  const FrameIndex main_b = frame(2000);
  const FrameIndex maker_a = frame(10, frame(100, main_a));  // the same wrapper, called by one function
  const FrameIndex maker_b = frame(10, frame(100, main_b));
  const FrameIndex alone = frame(30, main_b);
  for (const FrameIndex site : {maker_a, maker_b, alone}) lives(contiguous(2), site, {1, 0, 1, 0});
  const SiteFrames frames(job_);
  EXPECT_EQ(frames.telling(maker_a), 3u);
  EXPECT_EQ(frames.telling(maker_b), 3u);
  EXPECT_EQ(frames.telling(alone), 1u);
}

}  // namespace
}  // namespace ddtscope::reporters::job_findings_test
