// Pairs of buffers that processes saw lying over each other: which of them share a byte, counted on paper.
#include <gtest/gtest.h>

#include <string>

#include "reporters/model/call_pairs_fixture.h"
#include "reporters/model/findings_of_calls.h"

namespace ddtscope::reporters::pair_findings_test {
namespace {

class PairsTest : public test::CallPairsFixture {
 protected:
  PairsTest() { ranks(1); }

  struct Side {
    DefinitionId type;
    std::uint64_t elements;
    const char* access;
  };
  void pair(const Side& own, const Side& other, std::int64_t distance, bool is_of_same_call = false) {
    const char* const called = is_of_same_call ? "MPI_Sendrecv" : "MPI_Irecv";
    const char* const other_called = is_of_same_call ? "MPI_Sendrecv" : "MPI_Isend";
    add_pair("buffers-overlap", {called, own.type, own.elements, "datatype", own.access, site_},
             {other_called, other.type, other.elements, "datatype", other.access, other_site_},
             {.is_of_same_call = is_of_same_call, .distance = distance});
  }
  std::vector<JobFinding> found() const { return findings_of_pairs(job_); }

  FrameIndex site_ = frame(1), other_site_ = frame(2);
};

TEST_F(PairsTest, TheFirstByteThatBothTouchIsNamed) {
  pair({named("MPI_DOUBLE"), 10, "writes"}, {named("MPI_DOUBLE"), 10, "reads"}, 72);
  const std::vector<JobFinding> all = found();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].severity, Severity::error);
  EXPECT_EQ(
      all[0].message,
      "MPI_Irecv writes (datatype, 10 x MPI_DOUBLE) memory that the pending MPI_Isend reads (datatype, 10 x "
      "MPI_DOUBLE): the first byte that both touch is byte 72 from the address of its own buffer, byte 0 from that "
      "of the other.");
  ASSERT_TRUE(all[0].other);
  EXPECT_EQ(all[0].other->called, "MPI_Isend");
  EXPECT_EQ(all[0].other->site, other_site_);
}

TEST_F(PairsTest, ColumnsThatShareNoByteAreRight) {
  const DefinitionId column = job_.type(vector(6, 1, 5)).definition;
  for (const std::int64_t distance : {8, -8, 32}) pair({column, 1, "writes"}, {column, 1, "writes"}, distance);
  EXPECT_TRUE(found().empty());
  pair({column, 1, "writes"}, {column, 1, "writes"}, 40);  // a row below
  ASSERT_EQ(found().size(), 1u);
  EXPECT_NE(found()[0].message.find("byte 40 from the address of its own buffer, byte 0 "), std::string::npos);
}

TEST_F(PairsTest, TwoCallsAreToldOnce) {
  for (const std::int64_t distance : {0, 8, 16}) {
    pair({named("MPI_DOUBLE"), 3, "writes"}, {named("MPI_DOUBLE"), 3, "writes"}, distance);
  }
  const std::vector<JobFinding> all = found();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].count, 3u);
  EXPECT_NE(all[0].message.find("with 2 other pairs of buffers."), std::string::npos);
}

TEST_F(PairsTest, OfAProcessThatWasKilledNotAllAreKnown) {
  pair({named("MPI_DOUBLE"), 3, "writes"}, {named("MPI_DOUBLE"), 3, "writes"}, 0);
  job_.call_findings[0].count = 128;
  EXPECT_TRUE(found()[0].message.ends_with(" It does so 128 times.")) << found()[0].message;
  job_.ranks[0].end.reset();
  EXPECT_TRUE(found()[0].message.ends_with(" It does so at least 128 times.")) << found()[0].message;
}

TEST_F(PairsTest, OneCallReadsAndWritesTheSame) {
  pair({named("MPI_INT"), 4, "reads"}, {named("MPI_INT"), 4, "writes"}, 0, true);
  const std::vector<JobFinding> all = found();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NE(all[0].message.find("MPI_Sendrecv reads (datatype, 4 x MPI_INT) memory that it writes, too"),
            std::string::npos);
}

TEST_F(PairsTest, BlocksOfOneArgumentShareBytes) {
  const auto blocks = [&](const char* called, const char* argument, const char* access) {
    add_pair("receive-overlap", {called, named("MPI_DOUBLE"), 3, argument, access, site_},
             {called, named("MPI_DOUBLE"), 3, argument, access, site_}, {.is_of_same_call = true, .distance = -16});
  };
  blocks("MPI_Gatherv", "recvtype", "writes");
  blocks("MPI_Scatterv", "sendtype", "reads");
  const DefinitionId column = job_.type(vector(6, 1, 5)).definition;
  add_pair("receive-overlap", {"MPI_Alltoallw", column, 1, "recvtypes", "writes", site_},
           {"MPI_Alltoallw", column, 1, "recvtypes", "writes", site_}, {.is_of_same_call = true, .distance = 8});
  const std::vector<JobFinding> all = found();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].kind, &kind_of(FindingId::receive_overlap));
  EXPECT_EQ(all[0].severity, Severity::error);
  EXPECT_EQ(all[0].message,
            "MPI_Gatherv writes (recvtype, 3 x MPI_DOUBLE) memory that another block of it writes, too (recvtype, 3 x "
            "MPI_DOUBLE): the first byte that both touch is byte 0 from the address of its own buffer, byte 16 from "
            "that of the other.");
  EXPECT_EQ(all[1].severity, Severity::note);  // the root of a scatter
}

TEST_F(PairsTest, ABroadcastWritesAByteTwice) {
  const DefinitionId rows = job_.type(vector(3, 4, 2)).definition;
  const DefinitionId apart = job_.type(vector(3, 4, 4)).definition;
  for (const DefinitionId type : {rows, apart}) {
    add_pair("receive-overlap", {"MPI_Bcast", type, 1, "datatype", "writes", site_},
             {"MPI_Bcast", type, 1, "datatype", "none", site_}, {.is_of_same_call = true});
  }
  const std::vector<JobFinding> all = found();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].severity, Severity::error);
  EXPECT_EQ(all[0].type, rows);
  EXPECT_FALSE(all[0].other);
}

}  // namespace
}  // namespace ddtscope::reporters::pair_findings_test
