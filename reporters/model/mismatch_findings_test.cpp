// Types of one call that must fit each other: which pairs are wrong, and how badly, by MPI-4.1 3.3.1, 6.5, 12.3
// and 14.3.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "reporters/model/call_pairs_fixture.h"
#include "reporters/model/findings_of_calls.h"

namespace ddtscope::reporters::mismatch_findings_test {
namespace {

class MismatchesTest : public test::CallPairsFixture {
 protected:
  MismatchesTest() { ranks(2); }

  struct Side {
    DefinitionId type;
    std::uint64_t elements;
    const char* argument;
    const char* access;
  };
  void call(const char* called, const Side& own, const Side& other, int rank = 0) {
    add_pair("local-mismatch", {called, own.type, own.elements, own.argument, own.access, site_},
             {called, other.type, other.elements, other.argument, other.access, site_},
             {.is_of_same_call = true, .rank = rank});
  }
  void gather(DefinitionId sent, std::uint64_t count, DefinitionId received, std::uint64_t other_count, int rank = 0) {
    call("MPI_Gather", {sent, count, "sendtype", "reads"}, {received, other_count, "recvtype", "writes"}, rank);
  }
  void put(DefinitionId origin, std::uint64_t count, DefinitionId target, std::uint64_t other_count) {
    call("MPI_Put", {origin, count, "origin_datatype", "reads"}, {target, other_count, "target_datatype", "none"});
  }
  void get(DefinitionId origin, std::uint64_t count, DefinitionId target, std::uint64_t other_count) {
    call("MPI_Get", {origin, count, "origin_datatype", "writes"}, {target, other_count, "target_datatype", "none"});
  }
  void view(DefinitionId etype, DefinitionId filetype) {
    call("MPI_File_set_view", {etype, 1, "etype", "none"}, {filetype, 1, "filetype", "none"});
  }
  /// Severity and message of the only one, and forgets it.
  std::pair<Severity, std::string> only() {
    const std::vector<JobFinding> all = findings_of_mismatches(job_);
    job_.call_findings.clear();
    if (all.size() != 1) return {Severity::note, std::to_string(all.size()) + " findings"};
    return {all[0].severity, all[0].message};
  }
  std::pair<Severity, std::string> none() const { return {Severity::note, "0 findings"}; }

  FrameIndex site_ = frame(1);
};

TEST_F(MismatchesTest, ARootsOwnPartMustBeEqual) {
  const DefinitionId column = job_.type(vector(6, 1, 5)).definition;
  gather(column, 1, named("MPI_DOUBLE"), 6);
  gather(named("MPI_INT"), 0, named("MPI_INT"), 0);
  EXPECT_EQ(only(), none());
  gather(column, 1, named("MPI_DOUBLE"), 7);  // longer, which a receive might be
  EXPECT_EQ(only(), std::pair(Severity::error,
                              std::string("MPI_Gather is given 1 x T1 as sendtype and 7 x MPI_DOUBLE as recvtype: "
                                          "sendtype has 6 entries, recvtype 7.")));
  gather(named("MPI_INT"), 4, named("MPI_FLOAT"), 4);
  EXPECT_EQ(only(), std::pair(Severity::error,
                              std::string("MPI_Gather is given 4 x MPI_INT as sendtype and 4 x MPI_FLOAT as recvtype: "
                                          "entry 0 is MPI_INT in sendtype and is MPI_FLOAT in recvtype.")));
}

TEST_F(MismatchesTest, WhatArrivesAsTheSameBytesIsAWarning) {
  gather(named("MPI_DOUBLE"), 2, named("MPI_BYTE"), 16);
  EXPECT_EQ(only().first, Severity::warning);
  gather(named("MPI_DOUBLE"), 2, named("MPI_BYTE"), 15);
  EXPECT_EQ(only().first, Severity::error);
}

TEST_F(MismatchesTest, AnOriginIsTheBeginningOfItsTargetAndTheOtherWayRound) {
  put(named("MPI_INT"), 3, named("MPI_INT"), 4);
  get(named("MPI_INT"), 4, named("MPI_INT"), 3);
  EXPECT_EQ(only(), none());
  put(named("MPI_INT"), 4, named("MPI_INT"), 3);
  EXPECT_EQ(only(), std::pair(Severity::error,
                              std::string("MPI_Put is given 4 x MPI_INT as origin_datatype and 3 x MPI_INT as "
                                          "target_datatype: entry 3 is MPI_INT in origin_datatype and is not there in "
                                          "target_datatype.")));
  get(named("MPI_INT"), 3, named("MPI_INT"), 4);
  EXPECT_EQ(only().first, Severity::error);
}

TEST_F(MismatchesTest, AFiletypeIsMadeOfItsEtype) {
  const DefinitionId ints = job_.type(vector(3, 2, 4, "MPI_INT")).definition;
  view(named("MPI_INT"), ints);
  EXPECT_EQ(only(), none());
  view(named("MPI_DOUBLE"), ints);
  EXPECT_EQ(only().first, Severity::error);
  view(named("MPI_BYTE"), ints);
  EXPECT_EQ(only().first, Severity::note);
}

TEST_F(MismatchesTest, OneCallIsToldOnce) {
  gather(named("MPI_DOUBLE"), 2, named("MPI_BYTE"), 16, 0);
  gather(named("MPI_DOUBLE"), 3, named("MPI_BYTE"), 24, 1);
  gather(named("MPI_DOUBLE"), 3, named("MPI_BYTE"), 23, 1);  // worse
  const std::vector<JobFinding> all = findings_of_mismatches(job_);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].severity, Severity::error);
  EXPECT_EQ(all[0].count, 3u);
  ASSERT_EQ(all[0].ranks.ranges().size(), 1u);
  EXPECT_EQ(all[0].ranks.ranges()[0].first, 0);
  EXPECT_EQ(all[0].ranks.ranges()[0].last, 1);
  ASSERT_TRUE(all[0].other);
  EXPECT_EQ(all[0].other->argument, "recvtype");
}

}  // namespace
}  // namespace ddtscope::reporters::mismatch_findings_test
