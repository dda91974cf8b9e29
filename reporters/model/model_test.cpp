// Ranks joined into one job. The trace is reporters/trace/testdata/v1/hand, whose numbers are worked out by hand.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>

#include "decoder/notation/constructor_code.h"
#include "reporters/model/job.h"
#include "reporters/model/summary.h"
#include "reporters/model/types_by_key.h"

namespace ddtscope::reporters::model_test {
namespace {

namespace fs = std::filesystem;

const fs::path golden = fs::path(DDTSCOPE_TESTDATA) / "v1" / "hand";

std::unique_ptr<Job> load(const std::vector<fs::path>& paths) {
  auto result = load_job(paths);
  const auto* problem = std::get_if<TraceProblem>(&result);
  EXPECT_EQ(problem, nullptr) << problem->sentence;
  return problem == nullptr ? std::move(std::get<0>(result)) : nullptr;
}

/// Of the n-th type, counting from 0.
std::vector<Instances> instances_of(const Job& job, std::size_t n) {
  const InstancesTable::Range range = job.instances.of(job.types.at(n).number);
  return {range.begin(), range.end()};
}

TraceProblem refused(const std::vector<fs::path>& paths) {
  auto result = load_job(paths);
  EXPECT_TRUE(std::holds_alternative<TraceProblem>(result));
  return std::holds_alternative<TraceProblem>(result) ? std::get<TraceProblem>(result) : TraceProblem{};
}

/// A copy of the golden folder that a test may damage.
class EditedJob : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("model_test_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::copy(golden, folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void replace(const std::string& file, const std::string& piece, const std::string& replacement) {
    std::ifstream stream(folder_ / file);
    std::string text(std::istreambuf_iterator<char>(stream), {});
    const auto at = text.find(piece);
    ASSERT_NE(at, std::string::npos) << piece;
    std::ofstream(folder_ / file) << text.replace(at, piece.size(), replacement);
  }
  fs::path folder_;
};

TEST(Job, NumbersTypesByRankThenOrderOfCreation) {
  const auto job = load({golden});
  ASSERT_EQ(job->types.size(), 5U);
  const char* calls[] = {"MPI_Type_vector(3, 2, 5, MPI_DOUBLE)",
                         "MPI_Type_create_struct(2, {1, 2}, {0, 8}, {MPI_INT, T1})",
                         "MPI_Type_create_hvector_c(2, 1, 1152921504606846976, MPI_INT)",
                         "MPI_Type_create_resized(MPI_DOUBLE, 0, 4)", "MPI_Type_contiguous(4, MPI_2INT)"};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(
        constructor_call_text(job->store, job->types[i].definition, [&](DefinitionId id) { return job->name_of(id); }),
        calls[i]);
    EXPECT_EQ(job->number_of(job->types[i].definition).value, i + 1);
  }
}

TEST(Job, TakesRanksInAnyOrderOfFiles) {
  const auto job = load({golden / "rank-1.jsonl", golden / "rank-0.jsonl"});
  EXPECT_EQ(job->types[0].key, job->store[job->types[0].definition].key);
  EXPECT_EQ(job->ranks[0].header.rank, Rank{});
  EXPECT_EQ(job->types.size(), 5U);
}

TEST(Job, RecordedKeysAreTheStoresOwn) {
  const auto job = load({golden});
  EXPECT_TRUE(job->notes.empty()) << job->notes.front();
  for (const JobType& type : job->types) {
    EXPECT_EQ(key_text(type.key), key_text(job->store[type.definition].key));
  }
}

TEST_F(EditedJob, JoinsATypeThatIsMadeAtManyPlaces) {
  // T1 gets many call sites more in both ranks, whose files number definitions and modules otherwise.
  constexpr int places = 40;
  const auto add_places = [&](const std::string& file, const std::string& definition, const std::string& module) {
    std::string frames, counts;
    for (int i = 0; i < places; ++i) {
      frames += (i == 0 ? "[" : ",[") + module + "," + std::to_string(70000 + i) + "]";
      counts += (i == 0 ? "[" : ",[") + std::to_string(3 + i) + ",2,0,2,2]";
    }
    replace(file, "{\"record\":\"end\"",
            "{\"record\":\"frames\",\"first\":3,\"parent\":null,\"frames\":[" + frames +
                "]}\n{\"record\":\"instances\",\"definition\":" + definition +
                ",\"called\":\"MPI_Type_vector\",\"binding\":\"c\",\"counts\":[" + counts + "]}\n{\"record\":\"end\"");
  };
  const std::size_t before = instances_of(*load({golden}), 0).size();
  add_places("rank-0.jsonl", "0", "0");
  add_places("rank-1.jsonl", "1", "1");
  const auto job = load({folder_});
  const std::vector<Instances> vector = instances_of(*job, 0);
  ASSERT_EQ(vector.size(), before + places);
  int joined = 0;
  for (const Instances& instances : vector) {
    joined += text_of(instances.ranks()) == "0-1" && instances.counters->created == 4 ? 1 : 0;
  }
  EXPECT_EQ(joined, places);
}

TEST(Job, SumsCountersOverRanksAtTheSameCallSite) {
  const auto job = load({golden});
  const std::vector<Instances> vector = instances_of(*job, 0);
  // Rank 1's module has another path but the same build id; rank 2 has no counters.
  ASSERT_EQ(vector.size(), 3U);
  const Instances& shared = vector[0];
  EXPECT_EQ(text_of(shared.ranks()), "0-1");
  ASSERT_TRUE(shared.counters);
  EXPECT_EQ(shared.counters->created, 15U);
  EXPECT_EQ(shared.counters->adopted, 1U);
  EXPECT_EQ(shared.counters->committed, 16U);
  EXPECT_EQ(shared.counters->freed, 15U);
  EXPECT_EQ(live(*shared.counters, Combiner::vector), 1);
  const auto stack = job->stack(*shared.site);
  ASSERT_EQ(stack.size(), 2U);
  EXPECT_EQ(job->frame(stack[0]).offset, 200U);
  EXPECT_EQ(job->frame(stack[1]).offset, 100U);
  EXPECT_EQ(text_of(vector[1].ranks()), "0");
  EXPECT_EQ(text_of(vector[2].ranks()), "2");
  EXPECT_FALSE(vector[2].counters);
  EXPECT_EQ(vector[2].site, shared.site);
}

TEST(Job, LaysTypesOutWithObservedExtents) {
  const auto job = load({golden});
  // Two vectors of 96 bytes after byte 8 end at 200; the second one's first block joins the first one's last.
  const LayoutFacts& facts = job->layouts.facts(job->types[1].definition);
  EXPECT_EQ(facts.true_ub, Exact(200));
  EXPECT_EQ(facts.blocks, Exact(6));
  EXPECT_EQ(facts.entries, Exact(13));
  EXPECT_EQ(job->layouts.facts(job->types[4].definition).entries, Exact(8));  // four pairs
}

TEST(Job, KnowsWhichRanksAreIncompleteAndMissing) {
  const auto job = load({golden});
  EXPECT_FALSE(job->complete());
  EXPECT_TRUE(job->ranks[0].complete());
  EXPECT_FALSE(job->ranks[2].complete());
  EXPECT_TRUE(job->ranks[2].last_line_cut);
  EXPECT_EQ(job->missing_ranks, (std::vector<Rank>{{{}, 3}}));
}

TEST(Job, KeepsNamesDifferencesAndUnrecordedTypes) {
  const auto job = load({golden});
  EXPECT_EQ(job->names(TypeNumber{2}), std::vector<std::string>{"particle"});
  ASSERT_EQ(job->differences.size(), 2U);
  EXPECT_EQ(text_of(job->differences[0].type), "T4");
  EXPECT_EQ(text_of(job->differences[1].ranks), "1");
  EXPECT_EQ(job->differences[1].library, "\"undefined\"");
  ASSERT_EQ(job->unrecorded.size(), 1U);
  EXPECT_EQ(job->unrecorded[0].count, 2U);
}

/// Two processes did the same: with a rank it would be known that they were two.
TEST_F(EditedJob, ViewsOfProcessesWithoutARankStayApart) {
  replace("rank-0.jsonl", "\"rank\":0", "\"rank\":null");
  std::string header;
  std::ifstream rank_0(folder_ / "rank-0.jsonl");
  std::getline(rank_0, header);
  const auto line = [](const std::string& members) {
    return "{" + members + R"(,"called":"MPI_File_x","binding":"c","site":null})" + "\n";
  };
  for (const char* name : {"a.jsonl", "b.jsonl"}) {
    std::ofstream(folder_ / name)
        << header << "\n"
        << line(R"("record":"file","id":0,"name":"a","communicator":null,"mode":"MPI_MODE_RDWR")")
        << line(R"("record":"view","file":0,"etype":"MPI_INT","filetype":"MPI_INT","datarep":"native","lowest":0,)"
                R"("highest":8,"count":3)");
  }
  const auto job = load({folder_ / "a.jsonl", folder_ / "b.jsonl"});
  ASSERT_EQ(job->files.size(), 1U);
  EXPECT_EQ(job->views.size(), 2U);
}

TEST(Summary, CountsWhatWasLeftBehind) {
  const auto job = load({golden});
  const Summary summary = summarise(*job);
  EXPECT_EQ(summary.total.created, 26U);
  EXPECT_EQ(summary.total.adopted, 1U);
  EXPECT_EQ(summary.live, 6);
  EXPECT_EQ(summary.call_sites, 3U);
  EXPECT_FALSE(summary.counted);
  EXPECT_EQ(text_of(summary.most_made.front()), "T1");
  ASSERT_EQ(summary.never_freed.size(), 2U);
  EXPECT_EQ(text_of(summary.never_freed[0].type), "T1");
  EXPECT_EQ(summary.never_freed[0].lives, 4);
  EXPECT_EQ(job->frame(*summary.never_freed[0].site).offset, 300U);  // three of the four
  ASSERT_EQ(summary.never_committed.size(), 1U);
  EXPECT_EQ(text_of(summary.never_committed[0].type), "T3");
  EXPECT_FALSE(summary.never_committed[0].part_of_another);
}

TEST(Live, UnnamedPredefinedTypesAreNeverLive) {
  EXPECT_EQ(live({5, 0, 0, 0}, Combiner::f90_real), 0);
  EXPECT_EQ(live({5, 0, 0, 0}, Combiner::value_index), 0);
  EXPECT_EQ(live({5, 1, 0, 2}, Combiner::vector), 4);
}

TEST(FindType, ByIdKeyAndName) {
  const auto job = load({golden});
  EXPECT_EQ(std::get<TypeNumber>(find_type(*job, "T2")).value, 2U);
  EXPECT_EQ(std::get<TypeNumber>(find_type(*job, "particle")).value, 2U);
  EXPECT_EQ(std::get<TypeNumber>(find_type(*job, key_text(job->types[2].key))).value, 3U);
}

TEST(TypesByKey, FindsTheJobsOwn) {
  const auto job = load({golden});
  TypesByKey types(*job);
  for (const JobType& type : job->types) {
    ASSERT_TRUE(types.find(key_text(type.key)));
    EXPECT_EQ(*types.find(key_text(type.key)), type.number);
  }
  for (const char* text : {"0123456789abcdef", "T1", "particle", ""}) EXPECT_FALSE(types.find(text)) << text;
}

TEST(FindType, AnAmbiguousNameListsIds) {
  const auto job = load({golden});
  const auto problem = std::get<TraceProblem>(find_type(*job, "half"));
  EXPECT_EQ(problem.kind, TraceProblem::Kind::usage);
  EXPECT_NE(problem.sentence.find("T1, T4"), std::string::npos) << problem.sentence;
}

TEST(FindType, UnknownOnesAreUsageErrors) {
  const auto job = load({golden});
  for (const char* text : {"T0", "T6", "T99999999999999999999", "0123456789abcdef", "nothing", ""}) {
    const auto found = find_type(*job, text);
    ASSERT_TRUE(std::holds_alternative<TraceProblem>(found)) << text;
    EXPECT_EQ(std::get<TraceProblem>(found).kind, TraceProblem::Kind::usage);
    EXPECT_NE(std::get<TraceProblem>(found).sentence.find("T1 to T5"), std::string::npos);
  }
}

TEST(RankRanges, JoinsNeighbours) {
  RankRanges ranks;
  for (const int rank : {0, 1, 1, 2, 5, 7, 8}) {
    ranks.add(Rank{{}, rank});
  }
  EXPECT_EQ(text_of(ranks), "0-2, 5, 7-8");
}

TEST(RankRanges, ACopyIsASetOfItsOwn) {
  RankRanges ranks;
  EXPECT_TRUE(ranks.empty());
  EXPECT_TRUE(ranks.ranges().empty());
  for (const int rank : {3, 4, 9}) {
    ranks.add(Rank{{}, rank});
    RankRanges copy = ranks;
    copy.add(RankRange{20, 30, {}});
    RankRanges assigned;
    assigned = copy;
    EXPECT_EQ(text_of(copy), text_of(ranks) + ", 20-30");
    EXPECT_EQ(text_of(assigned), text_of(copy));
  }
  EXPECT_EQ(text_of(ranks), "3-4, 9");
}

TEST(RankRanges, ContainAndJoinAsSetsDo) {
  std::mt19937 random(7);
  for (int run = 0; run < 2000; ++run) {
    RankRanges ranks;
    std::set<Rank> wanted;
    for (auto joined = random() % 5; joined-- != 0;) {
      RankRanges more;
      for (std::int64_t number = random() % 4; number < 20 && random() % 6 != 0; number += 1 + random() % 4) {
        const Rank rank{WorldNumber{number / 8}, number % 8};
        more.add(rank);
        wanted.insert(rank);
      }
      join_ranks(ranks, more);
    }
    std::set<Rank> found;
    for (const RankRange& range : ranks.ranges()) {
      EXPECT_TRUE(ranks.contains(range));
      for (std::int64_t number = range.first; number <= range.last; ++number) found.insert({range.world, number});
    }
    ASSERT_EQ(found, wanted) << run;
    for (std::int64_t number = 0; number < 24; ++number) {
      const Rank rank{WorldNumber{number / 8}, number % 8};
      ASSERT_EQ(ranks.contains(rank), wanted.contains(rank)) << run << ": " << text_of(rank);
      const bool has_next = wanted.contains({rank.world, rank.number + 1});
      ASSERT_EQ(ranks.contains(RankRange{rank.number, rank.number + 1, rank.world}), wanted.contains(rank) && has_next);
    }
  }
}

TEST_F(EditedJob, TwoJobsAreAUsageErrorThatListsThem) {
  replace("rank-1.jsonl", "\"job\":\"4711.1\"", "\"job\":\"4712.1\"");
  const TraceProblem problem = refused({folder_});
  EXPECT_EQ(problem.kind, TraceProblem::Kind::usage);
  EXPECT_NE(problem.sentence.find("4711.1 (2 files"), std::string::npos) << problem.sentence;
  EXPECT_NE(problem.sentence.find("4712.1 (1 file"), std::string::npos);
}

TEST_F(EditedJob, OneRankInTwoFilesIsRefused) {
  fs::copy(folder_ / "rank-1.jsonl", folder_ / "rank-9.jsonl");
  EXPECT_NE(refused({folder_}).sentence.find("rank 1 stands in"), std::string::npos);
}

TEST_F(EditedJob, OneKeyForTwoDefinitionsIsRefused) {
  const auto job = load({golden});
  replace("rank-1.jsonl", key_text(job->types[4].key), key_text(job->types[1].key));
  const TraceProblem problem = refused({folder_});
  EXPECT_EQ(problem.kind, TraceProblem::Kind::unreadable);
  EXPECT_NE(problem.sentence.find("rank-1.jsonl:6: key"), std::string::npos) << problem.sentence;
  EXPECT_NE(problem.sentence.find("stands for T2 too"), std::string::npos);
}

TEST_F(EditedJob, KeysThatAreNotTheStoresOwnAreNoted) {
  const auto job = load({golden});
  replace("rank-1.jsonl", key_text(job->types[4].key), "00000000000000ff");
  EXPECT_EQ(load({folder_})->notes.size(), 1U);
}

TEST_F(EditedJob, ContentsThatNoConstructorTakesAreRefused) {
  replace("rank-0.jsonl", "\"integers\":[2,1,2]", "\"integers\":[3,1,2]");
  EXPECT_NE(refused({folder_}).sentence.find("rank-0.jsonl:5: the contents are not those of MPI_Type_create_struct"),
            std::string::npos);
}

TEST_F(EditedJob, AFileWithoutHeaderAmongGoodOnesIsNoted) {
  std::ofstream(folder_ / "rank-3.jsonl").close();
  const auto job = load({folder_});
  ASSERT_EQ(job->notes.size(), 1U);
  EXPECT_NE(job->notes[0].find("rank-3.jsonl"), std::string::npos);
}

TEST_F(EditedJob, MachinesWithOtherTypesAreNotJoined) {
  replace("rank-1.jsonl", "\"MPI_DOUBLE\",\"kind\":\"basic\",\"size\":8",
          "\"MPI_DOUBLE\",\"kind\":\"basic\",\"size\":16");
  EXPECT_NE(refused({folder_}).sentence.find("MPI_DOUBLE is another type here"), std::string::npos);
}

/// A chain of nested definitions deeper than any stack could follow recursively.
TEST_F(EditedJob, DeepChainsAreRead) {
  std::ifstream stream(golden / "rank-1.jsonl");
  std::string header;
  std::getline(stream, header);
  std::ofstream out(folder_ / "rank-1.jsonl");
  out << header << '\n';
  constexpr int depth = 20000;
  for (int i = 0; i < depth; ++i) {
    out << R"({"record":"definition","id":)" << i << R"(,"key":")" << key_text(0x1000 + static_cast<Key>(i))
        << R"(","site":null,"called":"MPI_Type_contiguous","adopted":false,"combiner":"MPI_COMBINER_CONTIGUOUS","constructor":"MPI_Type_contiguous",)"
        << R"("call":"","envelope":{"num_integers":1,"num_addresses":0,"num_large_counts":0,"num_datatypes":1},"contents":{"integers":[1],"addresses":[],"large_counts":[],"datatypes":[)"
        << (i == 0 ? std::string("\"MPI_INT\"") : std::to_string(i - 1))
        << R"(]},"size":4,"lb":0,"ub":4,"extent":4,"true_lb":0,"true_ub":4,"true_extent":4,"undefined":[],"alignment":4})"
        << '\n';
  }
  out.close();
  const auto job = load({folder_ / "rank-1.jsonl"});
  ASSERT_EQ(job->types.size(), static_cast<std::size_t>(depth));
  EXPECT_EQ(job->layouts.facts(job->types.back().definition).entries, Exact(1));
}

/// Keys, and so the identity of definitions, must not change between versions of ddtscope.
TEST(GoldenTraces, AreReadWithoutARemark) {
  std::size_t folders = 0;
  for (const auto& entry : fs::directory_iterator(golden.parent_path())) {
    const auto job = load({entry.path()});
    ASSERT_NE(job, nullptr);
    EXPECT_TRUE(job->notes.empty()) << entry.path() << ": " << job->notes.front();
    ++folders;
  }
  EXPECT_GE(folders, 5U);
}

TEST(GoldenTraces, AKilledProcessIsIncompleteAndItsCountsAreUnknown) {
  const auto job = load({golden.parent_path() / "killed_openmpi"});
  EXPECT_FALSE(job->complete());
  ASSERT_FALSE(job->types.empty());
  EXPECT_FALSE(summarise(*job).counted);
  EXPECT_FALSE(instances_of(*job, 0).at(0).counters);
  EXPECT_TRUE(instances_of(*job, 0).at(0).site);
}

TEST(GoldenTraces, AProgramWithoutTypesIsCompleteAndEmpty) {
  const auto job = load({golden.parent_path() / "no_types_openmpi"});
  EXPECT_TRUE(job->complete());
  EXPECT_TRUE(job->types.empty());
}

/// demo_halo.c: 50 steps on two ranks make a column each; `probe` is never freed, `interior` never committed.
TEST(GoldenTraces, DemoHaloCountsItsMistakes) {
  const auto job = load({golden.parent_path() / "demo_halo_openmpi"});
  ASSERT_EQ(job->types.size(), 4U);
  const Summary summary = summarise(*job);
  EXPECT_EQ(summary.total.created, 106U);
  ASSERT_EQ(summary.never_freed.size(), 1U);
  EXPECT_EQ(job->names(summary.never_freed[0].type), std::vector<std::string>{"probe"});
  EXPECT_EQ(summary.never_freed[0].lives, 2);
  ASSERT_EQ(summary.never_committed.size(), 1U);
  EXPECT_EQ(job->names(summary.never_committed[0].type), std::vector<std::string>{"interior"});
}

}  // namespace
}  // namespace ddtscope::reporters::model_test
