// What is written of errors in calls, and when: once each, counted, and withdrawn where nothing was wrong after all.
#include "plugin/judge/verdicts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ddtscope::plugin::verdicts_test {
namespace {

constexpr EntryPoint send{"MPI_Send", "c"}, receive{"MPI_Recv", "c"};

class VerdictsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = std::filesystem::temp_directory_path() / ("verdicts_test." + std::to_string(getpid()));
    std::filesystem::remove(file_);
    ASSERT_TRUE(writer_.create(file_.string()));
  }
  void TearDown() override { std::filesystem::remove(file_); }

  static Verdict verdict(FindingId id, std::uint32_t site, const EntryPoint& called = send) {
    Verdict verdict;
    verdict.id = id;
    verdict.called = &called;
    verdict.argument = "datatype";
    verdict.site = CallSiteId{site};
    verdict.message = "What is wrong.";
    return verdict;
  }
  static Verdict provisional(std::uint32_t site) {
    Verdict unknown = verdict(FindingId::null_type, site);
    unknown.certainty = Certainty::provisional;
    return unknown;
  }
  /// "finding 0", "count 0 3": what the file has.
  std::vector<std::string> lines() const {
    std::vector<std::string> result;
    std::ifstream in(file_);
    const auto number = [](const std::string& line, const char* member) {
      const std::string key = "\"" + std::string(member) + "\":";
      return line.substr(line.find(key) + key.size(),
                         line.find_first_of(",}", line.find(key)) - line.find(key) - key.size());
    };
    for (std::string line; std::getline(in, line);) {
      const bool is_count = line.find("\"finding_count\"") != line.npos;
      result.push_back(is_count ? "count " + number(line, "finding") + " " + number(line, "count")
                                : "finding " + number(line, "id"));
    }
    return result;
  }

  std::filesystem::path file_;
  trace::Writer writer_;
  Verdicts verdicts_{writer_, 8};
};

using Lines = std::vector<std::string>;

TEST_F(VerdictsTest, EachIsWrittenAtOnceAndCountedFromThenOn) {
  EXPECT_TRUE(verdicts_.record(verdict(FindingId::freed_type, 1)));
  EXPECT_EQ(lines(), Lines{"finding 0"});
  EXPECT_FALSE(verdicts_.record(verdict(FindingId::freed_type, 1)));
  EXPECT_FALSE(verdicts_.record(verdict(FindingId::freed_type, 1)));
  EXPECT_TRUE(verdicts_.record(verdict(FindingId::freed_type, 2)));
  EXPECT_EQ(lines(), (Lines{"finding 0", "count 0 2", "finding 1"}));
  verdicts_.write_counts();
  EXPECT_EQ(lines(), (Lines{"finding 0", "count 0 2", "finding 1", "count 0 3"}));
}

// Nobody writes counts at the end of a process that is killed.
TEST_F(VerdictsTest, AtLeastHalfOfACountIsInTheTraceAtAnyTime) {
  for (int i = 0; i < 1000; ++i) verdicts_.record(verdict(FindingId::freed_type, 1));
  EXPECT_EQ(lines().size(), 10u);
  EXPECT_EQ(lines().back(), "count 0 512");
}

TEST_F(VerdictsTest, OnlyTheFirstErrorOfAKindAtACallSiteIsTold) {
  EXPECT_TRUE(verdicts_.record(verdict(FindingId::freed_type, 1)));
  EXPECT_FALSE(verdicts_.record(verdict(FindingId::freed_type, 1, receive)));  // written, not told
  EXPECT_TRUE(verdicts_.record(verdict(FindingId::null_buffer, 1)));
  Verdict warning = verdict(FindingId::null_type, 2);
  warning.severity = Severity::warning;
  EXPECT_FALSE(verdicts_.record(warning));
  EXPECT_EQ(lines().size(), 4u);
}

TEST_F(VerdictsTest, WhatTheLibraryTakesIsWithdrawnForGood) {
  EXPECT_FALSE(verdicts_.record(provisional(1)));
  EXPECT_EQ(lines(), Lines{"finding 0"});
  EXPECT_FALSE(verdicts_.settle(&send, CallSiteId{1}, CallOutcome::succeeded));
  EXPECT_EQ(lines(), (Lines{"finding 0", "count 0 0"}));
  // Neither does it come again and again.
  EXPECT_FALSE(verdicts_.record(provisional(1)));
  EXPECT_FALSE(verdicts_.settle(&send, CallSiteId{1}, CallOutcome::succeeded));
  verdicts_.write_counts();
  EXPECT_EQ(lines(), (Lines{"finding 0", "count 0 0"}));
}

TEST_F(VerdictsTest, WhatTheLibraryRefusesIsAnErrorAndTold) {
  EXPECT_FALSE(verdicts_.record(provisional(1)));
  const auto settled = verdicts_.settle(&send, CallSiteId{1}, CallOutcome::failed);
  ASSERT_TRUE(settled);
  EXPECT_TRUE(settled->is_error);
  EXPECT_EQ(settled->id, FindingId::null_type);
  verdicts_.write_counts();
  EXPECT_EQ(lines(), Lines{"finding 0"});
}

TEST_F(VerdictsTest, AHandleThatIsRefusedWhereOthersWereTakenIsAnError) {
  verdicts_.record(provisional(1));
  verdicts_.settle(&send, CallSiteId{1}, CallOutcome::succeeded);
  verdicts_.record(provisional(1));
  const auto settled = verdicts_.settle(&send, CallSiteId{1}, CallOutcome::failed);
  ASSERT_TRUE(settled);
  EXPECT_TRUE(settled->is_error);
  EXPECT_EQ(lines(), (Lines{"finding 0", "count 0 0", "count 0 1"}));
}

TEST_F(VerdictsTest, BeyondTheLimitTheyAreOnlyCounted) {
  for (std::uint32_t site = 0; site < 10; ++site) verdicts_.record(verdict(FindingId::freed_type, site));
  EXPECT_EQ(lines().size(), 8u);
  verdicts_.write_counts();
  EXPECT_EQ(lines().size(), 9u);  // a note
}

TEST_F(VerdictsTest, AtMostTwentyAreTold) {
  Verdicts many(writer_);
  int told = 0;
  for (std::uint32_t site = 0; site < 30; ++site) told += many.record(verdict(FindingId::freed_type, site)) ? 1 : 0;
  EXPECT_EQ(told, 20);
}

}  // namespace
}  // namespace ddtscope::plugin::verdicts_test
