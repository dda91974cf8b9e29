// Findings that follow from counted uses, and from what processes found before their calls. Jobs are made by hand; what
// is right and wrong is by MPI-4.1 5.1.11, and by counting on paper.
#include <gtest/gtest.h>

#include <string>

#include "reporters/model/findings_of_calls.h"
#include "reporters/model/job_fixture.h"
#include "reporters/model/uses.h"
#include "reporters/trace/format/counter_file.h"

namespace ddtscope::reporters::use_findings_test {
namespace {

using trace::UseParameter;

class UsesTest : public test::JobFixture {
 protected:
  UsesTest() {
    ranks(1);
    job_.ranks[0].header.uses = true;
  }

  struct Call {
    const char* called;
    UseParameter parameter;
  };
  static constexpr Call send{"MPI_Send", UseParameter::datatype}, receive{"MPI_Recv", UseParameter::datatype};

  void use(TypeNumber type, const Call& call, const trace::UseCounts& counts) {
    use(job_.type(type).definition, call, counts);
  }
  void use(DefinitionId type, const Call& call, const trace::UseCounts& counts) {
    use_at(frame(1), type, call, counts);
  }
  void use_at(FrameIndex site, DefinitionId type, const Call& call, const trace::UseCounts& counts) {
    TypeUse use{type, job_.word(call.called), job_.word("c"), call.parameter, site, counts, {}};
    use.ranks.add(Rank{{}, 0});
    job_.uses.push_back(use);
  }
  std::vector<JobFinding> of_kind(FindingId id) const {
    std::vector<JobFinding> found;
    for (JobFinding& finding : findings_of_uses(job_)) {
      if (finding.kind == &kind_of(id)) found.push_back(std::move(finding));
    }
    return found;
  }
  std::size_t number_of(FindingId id) const { return of_kind(id).size(); }
};

TEST_F(UsesTest, ATypeThatTouchesAByteTwiceMayBeSentAndNotReceived) {
  const TypeNumber overlapping = vector(3, 4, 2);
  use(overlapping, send, {1, 1, 1, 1});
  EXPECT_EQ(number_of(FindingId::receive_overlap), 0u);
  use(overlapping, receive, {1, 0, 0, 0});  // nothing was received
  EXPECT_EQ(number_of(FindingId::receive_overlap), 0u);
  use(overlapping, receive, {2, 1, 0, 1});
  const auto found = of_kind(FindingId::receive_overlap);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::error);
  EXPECT_EQ(found[0].called, "MPI_Recv");
  EXPECT_EQ(found[0].argument, "datatype");
}

TEST_F(UsesTest, WhatIsOnlyReadIsKnownOfTypesAndOfWhatTheyAreMadeOf) {
  const auto is_read = [&](TypeNumber type) {
    return bool(definitions_only_read(job_)[job_.type(type).definition.value]);
  };
  const TypeNumber row = vector(3, 4, 2);
  const auto rows = [&](std::int64_t count) {
    return make(Combiner::contiguous, {{count}, {}, {}, {job_.type(row).definition}});
  };
  const TypeNumber both = rows(2), others = rows(3), unused = rows(4);
  EXPECT_FALSE(is_read(row));
  for (const Call& call :
       {send, Call{"MPI_File_write_at_all", UseParameter::datatype}, Call{"mpi_allgather_f08_", UseParameter::sendtype},
        Call{"MPI_Rput", UseParameter::origin_datatype}, Call{"MPI_Get_c", UseParameter::target_datatype},
        Call{"MPI_Send_init", UseParameter::datatype}, Call{"MPI_Start", UseParameter::datatype}}) {
    use(both, call, {1, 1, 1, 1});
    EXPECT_TRUE(is_read(both)) << call.called;
    EXPECT_TRUE(is_read(row)) << call.called;
  }
  EXPECT_FALSE(is_read(unused));
  for (const Call& call :
       {receive, Call{"MPI_File_read", UseParameter::datatype}, Call{"MPI_Allgather", UseParameter::recvtype},
        Call{"MPI_Get", UseParameter::origin_datatype}, Call{"MPI_Put", UseParameter::target_datatype},
        Call{"MPI_Bcast", UseParameter::datatype}, Call{"MPI_Recv_init", UseParameter::datatype},
        Call{"MPI_File_set_view", UseParameter::filetype}, Call{"MPI_Type_of_a_day_to_come", UseParameter::datatype}}) {
    const auto uses = job_.uses;
    use(others, call, {1, 1, 1, 1});
    EXPECT_FALSE(is_read(others)) << call.called;
    EXPECT_FALSE(is_read(row)) << call.called;
    EXPECT_TRUE(is_read(both)) << call.called;
    job_.uses = uses;
  }
  job_.ranks[0].header.uses = false;
  EXPECT_FALSE(is_read(both));
}

TEST_F(UsesTest, DisplacementsOfAViewMayNotDecrease) {
  constexpr Call view{"MPI_File_set_view", UseParameter::filetype};
  const auto indexed = [&](std::int64_t second, std::int64_t of_first) {
    return make(Combiner::indexed, {{2, of_first, 1, 0, second}, {}, {}, {named("MPI_INT")}});
  };
  use(indexed(7, 3), view, {1, 0, 0, 0});
  use(vector(3, 1, 4), view, {1, 0, 0, 0});
  EXPECT_TRUE(findings_of_views(job_).empty());
  use(indexed(1, 3), view, {2, 0, 0, 0});  // the second entry, after the third
  use(vector(3, 1, -4), view, {1, 0, 0, 0});
  use(vector(3, 1, -4), send, {1, 1, 1, 1});
  const std::vector<JobFinding> found = findings_of_views(job_);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].message,
            "MPI_File_set_view is given as filetype a type whose displacements decrease on the way "
            "through its typemap.");
  EXPECT_EQ(found[0].count, 2u);
  EXPECT_EQ(found[1].message, "MPI_File_set_view is given as filetype a type with a negative displacement, -64.");
}

TEST_F(UsesTest, EntriesOfAViewMayOverlapWhereNothingIsWritten) {
  constexpr Call view{"MPI_File_set_view", UseParameter::filetype},
      write{"mpi_file_iwrite_at_", UseParameter::datatype}, read{"MPI_File_read", UseParameter::datatype};
  const auto severity = [&] {
    const std::vector<JobFinding> found = findings_of_views(job_);
    EXPECT_EQ(found.size(), 1u);
    EXPECT_EQ(found.at(0).kind, &kind_of(FindingId::receive_overlap));
    return found.at(0).severity;
  };
  // The third entry again: no step back.
  use(make(Combiner::indexed, {{2, 3, 1, 0, 2}, {}, {}, {named("MPI_INT")}}), view, {1, 0, 0, 0});
  EXPECT_EQ(severity(), Severity::note);
  use(named("MPI_INT"), write, {1, 4, 4, 4});
  EXPECT_EQ(severity(), Severity::error);
  use(named("MPI_INT"), read, {1, 4, 4, 4});  // through this view, or through another one
  EXPECT_EQ(severity(), Severity::note);
}

TEST_F(UsesTest, EntriesOfAViewMayOverlapWhereItsFileIsOpenForReading) {
  const TypeNumber again = make(Combiner::indexed, {{2, 3, 1, 0, 2}, {}, {}, {named("MPI_INT")}});
  use(again, {"MPI_File_set_view", UseParameter::filetype}, {1, 0, 0, 0});
  use(named("MPI_INT"), {"MPI_File_write", UseParameter::datatype}, {1, 4, 4, 4});
  const auto opened = [&](const char* name, const char* mode) {
    job_.files.push_back({.name = name,
                          .communicator = {},
                          .mode = job_.word(mode),
                          .called = {},
                          .binding = {},
                          .site = {},
                          .ranks = {}});
    job_.views.push_back({.file = {static_cast<std::uint32_t>(job_.files.size() - 1)},
                          .etype = named("MPI_INT"),
                          .filetype = job_.type(again).definition,
                          .datarep = {},
                          .lowest = 0,
                          .highest = 0,
                          .called = job_.uses[0].called,
                          .binding = {},
                          .site = job_.uses[0].site,
                          .count = 1,
                          .ranks = {}});
    return findings_of_views(job_);
  };
  EXPECT_TRUE(opened("a", "MPI_MODE_RDONLY").empty());  // it is another file that is written
  const std::vector<JobFinding> found = opened("b", "MPI_MODE_CREATE | MPI_MODE_RDWR");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::error);
  EXPECT_EQ(found[0].message,
            "MPI_File_set_view is given as filetype a type that touches some byte of the file twice, which is "
            "erroneous in a file that is open for writing, as \"b\" is.");
  EXPECT_EQ(opened("c", "MPI_MODE_RDONLY").size(), 1u);
  // Of a view that the library refused nobody knows which file it was, unless all are open alike.
  job_.views.clear();
  EXPECT_EQ(findings_of_views(job_)[0].severity, Severity::note);
  job_.files.erase(job_.files.begin());
  job_.files.pop_back();
  EXPECT_NE(findings_of_views(job_)[0].message.find("as \"b\" is"), std::string::npos);
  job_.files[0].mode = job_.word("MPI_MODE_RDONLY");
  EXPECT_TRUE(findings_of_views(job_).empty());
}

TEST_F(UsesTest, WhatAPersistentRequestReceivesIsToldWhereItIsMade) {
  constexpr Call init{"MPI_Recv_init", UseParameter::datatype}, start{"MPI_Startall", UseParameter::datatype},
      send_init{"mpi_send_init_f08_large_", UseParameter::datatype};
  const DefinitionId pair = job_.type(make(Combiner::contiguous, {{2}, {}, {}, {named("MPI_DOUBLE")}})).definition;
  const TypeNumber tight = make(Combiner::resized, {{}, {0, 8}, {}, {pair}});
  use(tight, init, {1, 0, 0, 0});
  EXPECT_EQ(number_of(FindingId::receive_overlap), 0u);  // never started
  use(tight, start, {3, 3, 1, 1});
  EXPECT_EQ(number_of(FindingId::receive_overlap), 0u);
  use(tight, start, {3, 6, 2, 2});
  ASSERT_EQ(number_of(FindingId::receive_overlap), 1u);
  EXPECT_EQ(of_kind(FindingId::receive_overlap)[0].called, "MPI_Recv_init");
  use(tight, send_init, {1, 0, 0, 0});  // whose start it may have been
  EXPECT_EQ(number_of(FindingId::receive_overlap), 0u);
}

TEST_F(UsesTest, ACollectiveWritesACopyForEachProcess) {
  const DefinitionId pair = job_.type(make(Combiner::contiguous, {{2}, {}, {}, {named("MPI_DOUBLE")}})).definition;
  const TypeNumber tight = make(Combiner::resized, {{}, {0, 8}, {}, {pair}});
  constexpr trace::UseCounts of_four{2, 8, 1, 1};  // calls of four processes
  const Call apart[] = {{"MPI_Alltoall", UseParameter::sendtype},
                        {"MPI_Gatherv", UseParameter::recvtype},  // blocks have places of their own
                        {"MPI_Neighbor_allgather", UseParameter::recvtype}};
  for (const Call& call : apart) use(tight, call, of_four);
  EXPECT_EQ(number_of(FindingId::receive_overlap), 0u);
  use(tight, {"MPI_Iallgather", UseParameter::recvtype}, of_four);
  ASSERT_EQ(number_of(FindingId::receive_overlap), 1u);
  EXPECT_EQ(of_kind(FindingId::receive_overlap)[0].severity, Severity::error);
  EXPECT_EQ(of_kind(FindingId::receive_overlap)[0].message,
            "MPI_Iallgather writes up to 4 copies of a type at once, which touch some byte twice; what stands there "
            "afterwards is undefined.");
  use(tight, {"mpi_scatter_", UseParameter::sendtype}, of_four);
  ASSERT_EQ(number_of(FindingId::receive_overlap), 2u);
  EXPECT_EQ(of_kind(FindingId::receive_overlap)[1].severity, Severity::note);
}

TEST_F(UsesTest, CopiesOverlapFromACountOfTwoOn) {
  // 4 doubles, 48 bytes apart; copies begin 8 bytes apart and interleave up to the sixth.
  const TypeNumber column = make(Combiner::resized, {{}, {0, 8}, {}, {job_.type(vector(4, 1, 6)).definition}});
  use(column, receive, {1, 6, 6, 6});
  EXPECT_EQ(number_of(FindingId::receive_overlap), 0u);
  use(column, receive, {1, 7, 7, 7});
  EXPECT_EQ(number_of(FindingId::receive_overlap), 1u);
}

TEST_F(UsesTest, EveryWayToWriteIsLookedAt) {
  const TypeNumber overlapping = vector(3, 4, 2);
  const Call writing[] = {{"MPI_Alltoall", UseParameter::recvtype},
                          {"MPI_Alltoallw", UseParameter::recvtypes},
                          {"MPI_Get", UseParameter::origin_datatype},
                          {"MPI_Rput", UseParameter::target_datatype},
                          {"PMPI_File_read_at", UseParameter::datatype},
                          {"MPI_Unpack_c", UseParameter::datatype},
                          {"mpi_irecv_", UseParameter::datatype},
                          {"mpi_recv_f08ts_", UseParameter::datatype},
                          {"MPI_Get_accumulate", UseParameter::result_datatype}};
  for (const Call& call : writing) use(overlapping, call, {1, 1, 1, 1});
  EXPECT_EQ(number_of(FindingId::receive_overlap), std::size(writing));
  const Call reading[] = {{"MPI_Alltoall", UseParameter::sendtype},   {"MPI_Put", UseParameter::origin_datatype},
                          {"MPI_Get", UseParameter::target_datatype}, {"MPI_File_write", UseParameter::datatype},
                          {"MPI_Pack", UseParameter::datatype},       {"MPI_Recv_init", UseParameter::datatype},
                          {"mpi_isend_f08_", UseParameter::datatype}};
  for (const Call& call : reading) use(overlapping, call, {1, 1, 1, 1});
  EXPECT_EQ(number_of(FindingId::receive_overlap), std::size(writing));
}

TEST_F(UsesTest, TwoGibibytesInOneCallAreANote) {
  const std::uint64_t doubles = std::uint64_t{1} << 28;
  use(named("MPI_DOUBLE"), send, {1, doubles - 1, doubles - 1, doubles - 1});
  use(named("MPI_DOUBLE"), send, {4, doubles, 1, doubles / 4});  // in several calls
  EXPECT_EQ(number_of(FindingId::over_2gib), 0u);
  use(named("MPI_DOUBLE"), send, {1, doubles, doubles, doubles});
  const auto found = of_kind(FindingId::over_2gib);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message, "MPI_Send moves 2,147,483,648 bytes or more in one call, through datatype.");
}

TEST_F(UsesTest, SmallBlocksAreToldFromAThousandOn) {
  const TypeNumber column = vector(4, 1, 6);  // 4 blocks of 8 bytes
  use(column, send, {10, 249, 1, 100});
  EXPECT_EQ(number_of(FindingId::small_blocks), 0u);
  use(column, receive, {10, 1000, 1, 100});  // counted where it is sent
  EXPECT_EQ(number_of(FindingId::small_blocks), 0u);
  use(column, send, {1, 1, 1, 1});
  const auto found = of_kind(FindingId::small_blocks);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message, "250 elements were moved in 1,000 blocks of 8 bytes each, in 11 calls.");
  EXPECT_EQ(found[0].count, 11u);
  EXPECT_FALSE(found[0].ranks.empty());
}

TEST_F(UsesTest, OfRequestsThatAreStartedThoseThatSendMoveBytes) {
  constexpr Call start{"mpi_startall_", UseParameter::datatype};
  const TypeNumber column = vector(4, 1, 6);
  use(column, start, {20, 2000, 1, 100});
  EXPECT_EQ(number_of(FindingId::small_blocks), 0u);
  EXPECT_TRUE(moved_types(job_).empty());
  use(column, start, {20, 2000, 1, 100, 9, 300});
  const auto found = of_kind(FindingId::small_blocks);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message, "300 elements were moved in 1,200 blocks of 8 bytes each, in 9 calls.");
  const std::vector<MovedType> moved = moved_types(job_);
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].bytes, Exact(300 * 32));
  EXPECT_EQ(moved[0].calls, 9u);
}

TEST_F(UsesTest, SmallBlocksOfOneCallAreToldOnce) {
  const FrameIndex site = frame(1);
  for (const std::int64_t blocks : {4, 6, 5})
    use_at(site, job_.type(vector(blocks, 1, 9)).definition, send, {9, 500, 1, 99});
  use(vector(2, 1, 9), send, {9, 500, 1, 99});  // elsewhere
  const auto found = of_kind(FindingId::small_blocks);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(
      found[0].message,
      "500 elements were moved in 3,000 blocks of 8 bytes each, in 9 calls. 2 other types that the call moves lie so, "
      "too.");
  EXPECT_EQ(found[1].message, "500 elements were moved in 1,000 blocks of 8 bytes each, in 9 calls.");
}

TEST_F(UsesTest, LargeBlocksAndSingleOnesAreNotTold) {
  use(vector(100, 8, 16), send, {1, 100000, 1, 1});   // blocks of 64 bytes
  use(contiguous(3), send, {1, 100000, 1, 1});        // one block
  use(named("MPI_DOUBLE"), send, {1, 100000, 1, 1});  // no derived type
  EXPECT_EQ(number_of(FindingId::small_blocks), 0u);
}

TEST_F(UsesTest, ATypeIsUsedThroughWhatIsMadeOfIt) {
  const TypeNumber inner = contiguous(2);
  const TypeNumber outer = dup(inner);
  const TypeNumber other = contiguous(5);
  for (const TypeNumber type : {inner, outer, other}) lives(type, frame(2), {1, 0, 1, 1});
  use(outer, send, {1, 1, 1, 1});
  const auto found = of_kind(FindingId::unused_type);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].type, job_.type(other).definition);
}

TEST_F(UsesTest, OfTypesThatAreMadeOfEachOtherTheOutermostIsToldAsUnused) {
  const TypeNumber inner = contiguous(2);
  const TypeNumber outer = dup(inner);
  for (const TypeNumber type : {inner, outer}) lives(type, frame(2), {1, 0, 1, 1});
  const auto found = of_kind(FindingId::unused_type);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].type, job_.type(outer).definition);
}

TEST_F(UsesTest, WhatWasNeverCommittedIsNotToldAsUnusedToo) {
  lives(contiguous(5), frame(2), {1, 0, 0, 1});
  EXPECT_EQ(number_of(FindingId::unused_type), 0u);
}

TEST_F(UsesTest, NothingIsUnusedInAJobThatHasNotEndedOrDoesNotSay) {
  lives(contiguous(5), frame(2), {1, 0, 1, 1});
  EXPECT_EQ(number_of(FindingId::unused_type), 1u);
  job_.ranks[0].header.uses = false;
  EXPECT_EQ(number_of(FindingId::unused_type), 0u);
  job_.ranks[0].header.uses = true;
  job_.unrecorded.push_back({"MPI_Type_vector", trace::no_memory, {}, 1, {}});
  EXPECT_EQ(number_of(FindingId::unused_type), 1u);
  job_.unrecorded.push_back({"MPI_Send", trace::no_memory_for_uses, {}, 1, {}});
  EXPECT_EQ(number_of(FindingId::unused_type), 0u);
  job_.unrecorded.clear();
  job_.ranks[0].end.reset();
  EXPECT_EQ(number_of(FindingId::unused_type), 0u);
}

TEST_F(UsesTest, WhatAProcessFoundIsToldWithWhereTheTypeWasFreed) {
  const TypeNumber type = contiguous(2);
  CallFinding found;
  found.finding = "freed-type";
  found.severity = "error";
  found.type = job_.type(type).definition;
  found.called = "MPI_Send";
  found.argument = "datatype";
  found.site = frame(1);
  found.message = "MPI_Send uses a type that was freed before, as datatype.";
  found.freed_by = "MPI_Type_free";
  found.freed_at = frame(2);
  found.count = 2;
  job_.call_findings.push_back(found);
  found.finding = "of-a-later-version";
  job_.call_findings.push_back(found);
  const auto findings = findings_of_calls(job_);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].message, "MPI_Send uses a type that was freed before, as datatype. It does so 2 times.");
  EXPECT_EQ(findings[0].count, 2u);
  ASSERT_TRUE(findings[0].other);
  EXPECT_EQ(findings[0].other->called, "MPI_Type_free");
  EXPECT_EQ(findings[0].other->site, found.freed_at);
  // Of the second call nobody kept which count it had.
  found.finding = "negative-count";
  found.message = "MPI_Send is given a count of -1 for datatype.";
  job_.call_findings = {found};
  EXPECT_EQ(findings_of_calls(job_)[0].message,
            "MPI_Send is given a count of -1 for datatype. The first of 2 such calls; others may have other values.");
}

}  // namespace
}  // namespace ddtscope::reporters::use_findings_test
