// A merged trace says all that the ranks' files said.
#include "reporters/merge/merge.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "reporters/json/read_back.h"
#include "reporters/json/type_json.h"
#include "reporters/model/findings_of_calls.h"
#include "reporters/model/uses.h"

namespace ddtscope::reporters::merge_test {
namespace {

namespace fs = std::filesystem;

std::function<void()> at_sync;  // called before a file goes to the disk

const fs::path testdata = fs::path(DDTSCOPE_TESTDATA) / "v1";
const fs::path spawned = fs::path(DDTSCOPE_TESTDATA) / "v3" / "spawned_openmpi";
const fs::path merged_spawned = fs::path(DDTSCOPE_TESTDATA) / "v3" / "merged_openmpi" / "trace.jsonl";
const fs::path merged_hand = fs::path(DDTSCOPE_TESTDATA) / "v2" / "merged_hand" / "trace.jsonl";

const fs::path version_4 = fs::path(DDTSCOPE_TESTDATA) / "v4";
const fs::path version_5 = fs::path(DDTSCOPE_TESTDATA) / "v5";
const fs::path version_6 = fs::path(DDTSCOPE_TESTDATA) / "v6";
const fs::path version_7 = fs::path(DDTSCOPE_TESTDATA) / "v7";
const fs::path version_8 = fs::path(DDTSCOPE_TESTDATA) / "v8";
const fs::path version_9 = fs::path(DDTSCOPE_TESTDATA) / "v9";

/// What is written now, with the number of an older version.
std::string as_of_version(int version, std::string text) {
  const std::string newer = "\"version\":" + std::to_string(trace::format_version) + ",";
  EXPECT_NE(text.find(newer), text.npos);
  return text.replace(text.find(newer), newer.size(), "\"version\":" + std::to_string(version) + ",");
}

std::string text_of_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

class Merge : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("merge_test_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::unique_ptr<Job> load(const fs::path& path) {
    const fs::path paths[] = {path};
    auto result = load_job(paths);
    const auto* problem = std::get_if<TraceProblem>(&result);
    EXPECT_EQ(problem, nullptr) << problem->sentence;
    return problem == nullptr ? std::move(std::get<0>(result)) : nullptr;
  }
  TraceProblem refused(const std::string& text) {
    const fs::path file = folder_ / "edited.jsonl";
    std::ofstream(file, std::ios::binary) << text;
    const fs::path paths[] = {file};
    auto result = load_job(paths);
    EXPECT_TRUE(std::holds_alternative<TraceProblem>(result));
    return std::holds_alternative<TraceProblem>(result) ? std::get<TraceProblem>(result) : TraceProblem{};
  }
  fs::path merge(const Job& job) {
    fs::path file = folder_ / "trace.jsonl";
    fs::remove(file);
    const auto problem = write_merged(job, file);
    EXPECT_FALSE(problem) << problem->sentence;
    return file;
  }
  std::string text_of_merged(const fs::path& trace) {
    std::ifstream stream(merge(*load(trace)), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }
  /// Of two ranks, whose headers have these members where both say that uses and messages are recorded.
  std::unique_ptr<Job> load_with(const std::array<std::string_view, 2>& members) {
    const fs::path apart = folder_ / "apart";
    fs::create_directories(apart);
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
      const std::string name = "rank-" + std::to_string(rank) + ".jsonl";
      std::string text = text_of_file(version_9 / "mismatches_openmpi" / name);
      const std::size_t place = text.find(both_recorded);
      EXPECT_NE(place, text.npos);
      text.replace(place, both_recorded.size(), members[rank]);
      std::ofstream(apart / name, std::ios::binary) << text;
    }
    return load(apart);
  }
  static constexpr std::string_view both_recorded = R"("uses":true,"messages":true,)";
  fs::path folder_;
};

/// All that is told of a job, but for the names of the files.
std::vector<std::string> reports(const Job& job) {
  Analysis analysis(job);
  Symbols symbols;
  Json summary = test::summary_json(job, analysis, symbols);
  for (Json& rank : summary["ranks"]) rank.erase("file");
  std::vector<std::string> texts = {summary.dump(2), test::check_json(job, analysis, symbols).dump(2)};
  for (const JobType& type : job.types) texts.push_back(type_json(job, type.number, analysis, symbols).dump(2));
  return texts;
}

TEST_F(Merge, SaysWhatTheRanksFilesSaid) {
  int traces = 0;
  std::vector<fs::path> folders(fs::directory_iterator(testdata), {});
  folders.push_back(spawned);
  for (const char* name : {"apart_openmpi", "constructors_mpich", "merged_openmpi"})
    folders.push_back(version_4 / name);
  folders.push_back(version_5 / "uses_openmpi");
  for (const char* name : {"judged_openmpi", "judged_mpich"}) folders.push_back(version_6 / name);
  for (const char* name : {"controlled_openmpi", "pending_openmpi"}) folders.push_back(version_7 / name);
  folders.push_back(version_8 / "communicators_mpich");
  folders.push_back(version_9 / "mismatches_openmpi");
  for (const auto& folder : folders) {
    SCOPED_TRACE(folder.string());
    const auto job = load(folder);
    const auto merged = load(merge(*job));
    EXPECT_EQ(reports(*merged), reports(*job));
    // A merged trace merged again is the same file.
    const fs::path again = folder_ / "again.jsonl";
    fs::remove(again);
    ASSERT_FALSE(write_merged(*merged, again));
    std::ifstream a(folder_ / "trace.jsonl"), b(again);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(a), {}), std::string(std::istreambuf_iterator<char>(b), {}));
    ++traces;
  }
  EXPECT_GE(traces, 4);
}

TEST_F(Merge, ADefinitionStandsOnceWithItsRanks) {
  const std::string text = text_of_merged(testdata / "demo_halo_openmpi");
  const auto of_both = text.find("\"ranks\":[[0,1]]");
  EXPECT_NE(of_both, std::string::npos);
  std::size_t definitions = 0;
  for (auto at = text.find("\"record\":\"definition\""); at != std::string::npos;
       at = text.find("\"record\":\"definition\"", at + 1)) {
    ++definitions;
  }
  EXPECT_EQ(definitions, load(testdata / "demo_halo_openmpi")->types.size());
}

TEST_F(Merge, ReadsVersion2AsItWas) { EXPECT_EQ(reports(*load(merged_hand)), reports(*load(testdata / "hand"))); }

TEST_F(Merge, ReadsVersion3AsItWas) { EXPECT_EQ(reports(*load(merged_spawned)), reports(*load(spawned))); }

/// Where nothing is of a newer version, what is written differs from it in the number alone.
TEST_F(Merge, WritesAndReadsVersion4AsItWas) {
  const std::pair<const char*, fs::path> merged_of[] = {{"merged_hand", testdata / "hand"},
                                                        {"merged_spawned", spawned}};
  for (const auto& [name, apart] : merged_of) {
    SCOPED_TRACE(name);
    EXPECT_EQ(as_of_version(4, text_of_merged(apart)), text_of_file(version_4 / name / "trace.jsonl"));
    EXPECT_EQ(reports(*load(version_4 / name)), reports(*load(apart)));
  }
}

TEST_F(Merge, WritesAndReadsVersion5AsItWas) {
  EXPECT_EQ(as_of_version(5, text_of_merged(version_5 / "uses_openmpi")),
            text_of_file(version_5 / "merged_uses" / "trace.jsonl"));
  EXPECT_EQ(reports(*load(version_5 / "merged_uses")), reports(*load(version_5 / "uses_openmpi")));
  EXPECT_FALSE(load(version_5 / "merged_uses")->uses.empty());
}

TEST_F(Merge, WritesAndReadsVersion6AsItWas) {
  EXPECT_EQ(as_of_version(6, text_of_merged(version_6 / "judged_mpich")),
            text_of_file(version_6 / "merged_judged" / "trace.jsonl"));
  EXPECT_EQ(reports(*load(version_6 / "merged_judged")), reports(*load(version_6 / "judged_mpich")));
  const auto job = load(version_6 / "merged_judged");
  ASSERT_EQ(job->call_findings.size(), 1u);
  EXPECT_EQ(job->call_findings[0].finding, "freed-type");
  EXPECT_EQ(job->call_findings[0].count, 2u);
  EXPECT_EQ(text_of(job->call_findings[0].ranks), "0-1");
  EXPECT_EQ(job->call_findings[0].freed_by, "MPI_Type_free");
  EXPECT_TRUE(job->call_findings[0].freed_at);
  const auto counted = load(version_6 / "judged_openmpi");
  ASSERT_EQ(counted->call_findings.size(), 1u);
  EXPECT_EQ(counted->call_findings[0].count, 6u);
}

TEST_F(Merge, KeepsPairsOfArguments) {
  EXPECT_EQ(as_of_version(7, text_of_merged(version_7 / "pending_openmpi")),
            text_of_file(version_7 / "merged_pending" / "trace.jsonl"));
  EXPECT_EQ(reports(*load(version_7 / "merged_pending")), reports(*load(version_7 / "pending_openmpi")));
  for (const char* name : {"pending_openmpi", "merged_pending"}) {
    const auto job = load(version_7 / name);
    std::map<std::string_view, std::vector<std::string>> ranks_of;
    for (const JobFinding& finding : findings_of_pairs(*job))
      ranks_of[finding.called].push_back(text_of(finding.ranks));
    for (const JobFinding& finding : findings_of_mismatches(*job)) {
      ranks_of[finding.called].push_back(text_of(finding.ranks));
    }
    EXPECT_EQ(ranks_of["MPI_Irecv"], std::vector<std::string>{"0"});
    EXPECT_EQ(ranks_of["MPI_Gather"], std::vector<std::string>{"1"});
    EXPECT_EQ(ranks_of["MPI_Sendrecv"], (std::vector<std::string>{"2", "2"}));
    EXPECT_EQ(ranks_of.size(), 3u);
    EXPECT_FALSE(job->uses.empty());
  }
}

TEST_F(Merge, KeepsWhereTheProgramStoppedTheRecording) {
  EXPECT_EQ(as_of_version(7, text_of_merged(version_7 / "controlled_openmpi")),
            text_of_file(version_7 / "merged_controlled" / "trace.jsonl"));
  EXPECT_EQ(reports(*load(version_7 / "merged_controlled")), reports(*load(version_7 / "controlled_openmpi")));
  for (const char* name : {"controlled_openmpi", "merged_controlled"}) {
    const auto job = load(version_7 / name);
    ASSERT_EQ(job->switches.size(), 3u);
    const RecordingSwitch& stop = job->switches[0];
    EXPECT_TRUE(stop.is_off);
    EXPECT_EQ(stop.of, "uses");
    EXPECT_EQ(stop.level, 0);
    EXPECT_EQ(stop.called, "MPI_Pcontrol");
    EXPECT_EQ(stop.count, 6u);
    EXPECT_EQ(text_of(stop.ranks), "0-1");
    EXPECT_TRUE(stop.site);
    EXPECT_FALSE(job->switches[1].is_off);
    EXPECT_EQ(job->switches[1].level, 2);
    EXPECT_FALSE(uses_are_recorded(*job));
  }
}

TEST_F(Merge, KeepsWhatAllProcessesHadSwitchedOff) {
  const auto merged_with = [&](std::string_view of_rank_1) {
    const auto job = load_with({R"("switched_off":["DDTSCOPE_MESSAGES","DDTSCOPE_SOURCES"],)", of_rank_1});
    return load(merge(*job))->ranks[0].header.switched_off;
  };
  EXPECT_EQ(merged_with(R"("switched_off":["DDTSCOPE_MESSAGES"],)"), std::vector<std::string>{"DDTSCOPE_MESSAGES"});
  EXPECT_EQ(merged_with(""), std::vector<std::string>{});
}

TEST_F(Merge, KeepsWhatEachProcessRecorded) {
  EXPECT_TRUE(uses_are_recorded(*load_with({both_recorded, both_recorded})));
  constexpr std::string_view sources = R"("sources":true,)";
  const std::array<std::string_view, 2> headers[] = {{both_recorded, sources}, {sources, both_recorded}};
  for (const auto& of_ranks : headers) {
    const auto job = load_with(of_ranks);
    const auto merged = load(merge(*job));
    EXPECT_FALSE(uses_are_recorded(*job));
    EXPECT_FALSE(uses_are_recorded(*merged));
    ASSERT_EQ(merged->ranks.size(), 2u);
    for (std::size_t rank = 0; rank < 2; ++rank) {
      for (const RecordedPart& part : recorded_parts) {
        EXPECT_EQ(merged->ranks[rank].header.*part.of_header, job->ranks[rank].header.*part.of_header)
            << part.name << " of rank " << rank;
      }
    }
  }
}

TEST_F(Merge, KeepsTheLibrarysControlVariables) {
  const std::string variable = R"({"name":"mpi_ddt_\"copy\"","value":"true","description":"how it is copied"})";
  const std::string cvars = std::string(both_recorded) + "\"cvars\":[" + variable + "," + variable + "],";
  const auto merged = load(merge(*load_with({cvars, both_recorded})));
  ASSERT_TRUE(merged->header().control_variables);
  ASSERT_EQ(merged->header().control_variables->size(), 2u);
  const HeaderRecord::ControlVariable& read = merged->header().control_variables->back();
  EXPECT_EQ(read.name, "mpi_ddt_\"copy\"");
  EXPECT_EQ(read.value, "true");
  EXPECT_EQ(read.description, "how it is copied");
  EXPECT_FALSE(merged->ranks[1].header.control_variables) << "each of many ranks keeps what rank 0 said";
}

TEST_F(Merge, KeepsWhatWentFromProcessToProcess) {
  EXPECT_EQ(text_of_merged(version_9 / "mismatches_openmpi"),
            text_of_file(version_9 / "merged_mismatches" / "trace.jsonl"));
  for (const char* name : {"mismatches_openmpi", "merged_mismatches"}) {
    const auto job = load(version_9 / name);
    const MessageComparison comparison = compare_messages(*job);
    EXPECT_EQ(comparison.wrong, 400u);
    EXPECT_EQ(comparison.matched.messages, 16u);
    ASSERT_EQ(comparison.mismatches.size(), 1u);
    EXPECT_EQ(comparison.mismatches[0].message, 16u);
    EXPECT_EQ(comparison.mismatches[0].place.tag, 3);
    EXPECT_EQ(text_of(comparison.mismatches[0].receivers), "1");
    EXPECT_TRUE(comparison.unknown_ranks.empty());
  }
}

TEST_F(Merge, KeepsTheNamesOfCommunicators) {
  EXPECT_EQ(as_of_version(8, text_of_merged(version_8 / "communicators_mpich")),
            text_of_file(version_8 / "merged_communicators" / "trace.jsonl"));
  EXPECT_EQ(reports(*load(version_8 / "merged_communicators")), reports(*load(version_8 / "communicators_mpich")));
  for (const char* name : {"communicators_mpich", "merged_communicators"}) {
    const auto job = load(version_8 / name);
    std::map<Key, std::string> ranks_of;
    std::size_t without_name = 0;
    std::size_t between_groups = 0;
    for (const JobCommunicator& one : job->communicators) {
      if (!one.name) {
        ++without_name;
        EXPECT_TRUE(one.groups.empty());
        continue;
      }
      EXPECT_TRUE(ranks_of.emplace(*one.name, text_of(one.ranks)).second);
      EXPECT_TRUE(one.site);
      ASSERT_FALSE(one.groups.empty());
      if (one.groups.size() == 2) ++between_groups;
      // Each of two ranks made what both are in.
      std::int64_t members = 0;
      for (const GroupRuns& group : one.groups) {
        for (const RankRun& run : group) members += (run.last - run.first) / run.step + 1;
      }
      EXPECT_EQ(text_of(one.ranks).size(), members == 2 ? 3u : 1u) << text_of(one.ranks);
    }
    EXPECT_EQ(without_name, 1u);
    EXPECT_EQ(between_groups, 6u);
    EXPECT_GT(ranks_of.size(), 40u);
  }
}

TEST_F(Merge, OfOneSpawnedWorldSaysWhichItIs) {
  for (const char* file : {"rank-2.0.jsonl", "rank-2.1.jsonl"}) fs::copy_file(spawned / file, folder_ / file);
  const auto job = load(folder_);
  const auto merged = load(merge(*job));
  EXPECT_EQ(reports(*merged), reports(*job));
  EXPECT_EQ(merged->header().world, WorldNumber{2});
  EXPECT_EQ(merged->header().spawned_by, WorldNumber{1});
  EXPECT_EQ(merged->header().launcher_job, job->header().launcher_job);
  EXPECT_EQ(text_of((*merged->instances.of(merged->types.front().number).begin()).ranks()), "2.0-2.1");
}

TEST_F(Merge, NeverOverwrites) {
  const auto job = load(testdata / "hand");
  const std::string before = text_of_file(merge(*job));
  const auto problem = write_merged(*load(spawned), folder_ / "trace.jsonl");
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->sentence.find("cannot be written"), std::string::npos);
  EXPECT_EQ(text_of_file(folder_ / "trace.jsonl"), before);
  EXPECT_FALSE(fs::exists(folder_ / "trace.jsonl.unfinished"));
}

TEST_F(Merge, GetsItsNameWhenItIsWholeAndOnTheDisk) {
  const fs::path unfinished = folder_ / "trace.jsonl.unfinished";
  std::ofstream(unfinished) << "{\"record\":\"header\",";  // of a merge that was killed
  std::string on_disk;
  bool has_name = false;
  at_sync = [&] {
    on_disk = text_of_file(unfinished);
    has_name = fs::exists(folder_ / "trace.jsonl");
  };
  const std::string text = text_of_merged(testdata / "hand");
  at_sync = nullptr;
  EXPECT_FALSE(has_name);
  EXPECT_EQ(on_disk, text);
  EXPECT_FALSE(fs::exists(unfinished));
}

TEST_F(Merge, IsReadAloneOnly) {
  const auto job = load(testdata / "hand");
  const fs::path paths[] = {merge(*job), testdata / "hand" / "rank-1.jsonl"};
  const auto result = load_job(paths);
  ASSERT_TRUE(std::holds_alternative<TraceProblem>(result));
  EXPECT_EQ(std::get<TraceProblem>(result).kind, TraceProblem::Kind::usage);
  EXPECT_NE(std::get<TraceProblem>(result).sentence.find("give it alone"), std::string::npos);
}

TEST_F(Merge, WhatWasJoinedAndNotYetRemovedIsNotReadTwice) {
  const auto job = load(testdata / "hand");
  merge(*job);
  for (const char* rank : {"rank-0.jsonl", "rank-1.jsonl"}) fs::copy_file(testdata / "hand" / rank, folder_ / rank);
  EXPECT_EQ(reports(*load(folder_)), reports(*job));
  // Another job's is not left out in silence.
  fs::copy_file(testdata / "demo_halo_openmpi" / "rank-0.jsonl", folder_ / "rank-7.jsonl");
  const fs::path paths[] = {folder_};
  const auto result = load_job(paths);
  ASSERT_TRUE(std::holds_alternative<TraceProblem>(result));
  EXPECT_EQ(std::get<TraceProblem>(result).kind, TraceProblem::Kind::usage);
}

TEST_F(Merge, ACutFileIsRefused) {
  const std::string text = text_of_merged(testdata / "hand");
  EXPECT_NE(refused(text.substr(0, text.rfind("{\"record\":\"end\""))).sentence.find("not whole"), std::string::npos);
}

TEST_F(Merge, DamageIsNamed) {
  const std::string text = text_of_merged(testdata / "hand");
  const auto with = [&](const std::string& piece, const std::string& replacement) {
    std::string edited = text;
    const auto at = edited.find(piece);
    EXPECT_NE(at, std::string::npos) << piece;
    return edited.replace(at, piece.size(), replacement);
  };
  EXPECT_NE(refused(with(",[[0,1]]]", ",[[1,0]]]")).sentence.find("ranks must be"), std::string::npos);
  EXPECT_NE(refused(with(",[[0,1]]]", "]")).sentence.find("\"counts\" must hold"), std::string::npos);
  EXPECT_NE(refused(with("\"rank\":1,", "\"rank\":0,")).sentence.find("order of ranks"), std::string::npos);
  EXPECT_NE(refused(with("\"pid\":", "\"pad\":")).sentence.find("\"pid\" is missing"), std::string::npos);
  std::string without_processes = text;
  for (auto at = without_processes.find("{\"record\":\"process\""); at != std::string::npos;
       at = without_processes.find("{\"record\":\"process\"")) {
    without_processes.erase(at, without_processes.find('\n', at) + 1 - at);
  }
  EXPECT_NE(refused(without_processes).sentence.find("not whole"), std::string::npos);
}

}  // namespace

/// In the place of the C library's.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): that has a reserved one
extern "C" int fsync(int file) {
  if (at_sync) at_sync();
  return static_cast<int>(syscall(SYS_fsync, file));
}

}  // namespace ddtscope::reporters::merge_test
