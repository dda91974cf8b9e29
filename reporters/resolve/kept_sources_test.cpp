// What the sources say stays with a trace whose program is nowhere: the golden trace made by hand.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "reporters/resolve/kept_files_fixture.h"
#include "reporters/resolve/kept_sources.h"

namespace ddtscope::reporters::kept_sources_test {
namespace {

class KeptSourcesTest : public KeptFilesTest {
 protected:
  DrawnFindings drawn() const {
    JobFinding finding{};
    finding.kind = find_finding_kind("source-type");
    finding.severity = Severity::warning;
    finding.message = "MPI_Send sends 2 x T1 from `x` (int x[4], app.c:3): it is not.";
    finding.advice = "Think.";
    finding.type = job_->types.front().definition;
    finding.called = "MPI_Send";
    finding.argument = "datatype";
    finding.ranks.add(RankRange{0, 3, {}});
    finding.ranks.add(RankRange{1, 1, WorldNumber{2}});
    finding.count = std::uint64_t{1} << 60;
    for (std::uint32_t i = 0; i < job_->frames.size(); ++i) finding.sites.push_back(FrameIndex{i});
    finding.sites.push_back(std::nullopt);
    JobFinding of_basic = finding;
    of_basic.kind = find_finding_kind("buffer-too-small");
    of_basic.severity = Severity::error;
    of_basic.type = job_->store.find_predefined("MPI_INT");
    of_basic.called = {};
    return {{finding, of_basic}, {"other.so: has no debugging information."}, KnownBuffers{7, 5}};
  }

  std::optional<DrawnFindings> read(Job& job) const {
    std::optional<DrawnFindings> kept;
    EXPECT_EQ(read_kept_sources(folder_, job, kept), std::nullopt);
    return kept;
  }
  std::string text() const {
    std::ifstream stream(folder_ / sources_file_name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void write(const std::string& text) const { std::ofstream(folder_ / sources_file_name) << text; }
};

void expect_same(const JobFinding& one, const JobFinding& other) {
  EXPECT_EQ(one.kind, other.kind);
  EXPECT_EQ(one.severity, other.severity);
  EXPECT_EQ(one.message, other.message);
  EXPECT_EQ(one.advice, other.advice);
  EXPECT_EQ(one.type, other.type);
  EXPECT_EQ(one.called, other.called);
  EXPECT_EQ(one.argument, other.argument);
  EXPECT_EQ(text_of(one.ranks), text_of(other.ranks));
  EXPECT_EQ(one.count, other.count);
  EXPECT_EQ(one.sites, other.sites);
}

TEST_F(KeptSourcesTest, AnotherReadingOfTheTraceGetsThemAll) {
  ASSERT_EQ(write_kept_sources(folder_, *job_, drawn()), std::nullopt);
  const std::unique_ptr<Job> again = loaded();
  const auto kept = read(*again);
  ASSERT_TRUE(kept);
  const DrawnFindings wanted = drawn();
  ASSERT_EQ(kept->findings.size(), wanted.findings.size());
  for (std::size_t i = 0; i < wanted.findings.size(); ++i) expect_same(kept->findings[i], wanted.findings[i]);
  EXPECT_EQ(kept->remarks, wanted.remarks);
  ASSERT_TRUE(kept->buffers);
  EXPECT_EQ(kept->buffers->recorded, 7U);
  EXPECT_EQ(kept->buffers->known, 5U);
}

TEST_F(KeptSourcesTest, NoFileSaysNothing) { EXPECT_FALSE(read(*job_)); }

TEST_F(KeptSourcesTest, AnotherJobsOrAnotherPartOfItIsLeftAlone) {
  ASSERT_EQ(write_kept_sources(folder_, *job_, drawn()), std::nullopt);
  const std::string written = text();
  const std::string job = "\"" + job_->header().job + "\"";
  std::string other = written;
  for (std::size_t at = 0; (at = other.find(job, at)) != std::string::npos; at += 3)
    other.replace(at, job.size(), "\"other\"");
  write(other);
  EXPECT_FALSE(read(*job_));
  write(written);
  job_->types.pop_back();
  EXPECT_FALSE(read(*job_));
}

TEST_F(KeptSourcesTest, DamageIsSaid) {
  ASSERT_EQ(write_kept_sources(folder_, *job_, drawn()), std::nullopt);
  const std::string written = text();
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string other = written;
    other.replace(other.find(from), from.size(), to);
    return other;
  };
  const std::string damaged[] = {written.substr(0, written.size() / 2),
                                 replaced("\"warning\"", "\"grave\""),
                                 replaced("\"source-type\"", "\"source-kind\""),
                                 replaced("\"predefined\": \"MPI_INT\"", "\"predefined\": \"MPI_INTS\""),
                                 replaced("\"key\": \"", "\"key\": \"0"),
                                 replaced("\"1152921504606846976\"", "\"many\""),
                                 "[]",
                                 ""};
  for (const std::string& one : damaged) {
    write(one);
    std::optional<DrawnFindings> kept;
    const auto problem = read_kept_sources(folder_, *job_, kept);
    ASSERT_TRUE(problem) << one;
    EXPECT_NE(problem->find("ddtscope resolve"), std::string::npos) << *problem;
    EXPECT_FALSE(kept);
  }
}

TEST_F(KeptSourcesTest, WhatSaysNothingIsNotWorthKeeping) {
  EXPECT_FALSE(is_worth_keeping({}));
  EXPECT_FALSE(is_worth_keeping({{}, {"app: has no debugging information."}, KnownBuffers{7, 0}}));
  EXPECT_TRUE(is_worth_keeping({{}, {}, KnownBuffers{7, 1}}));
  EXPECT_TRUE(is_worth_keeping(drawn()));
}

}  // namespace
}  // namespace ddtscope::reporters::kept_sources_test
