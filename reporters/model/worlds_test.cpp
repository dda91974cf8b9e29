// Jobs that spawned processes: `spawned_openmpi` has two ranks, which spawned two, which spawned one.
#include "reporters/model/worlds.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace ddtscope::reporters::worlds_test {
namespace {

namespace fs = std::filesystem;

const fs::path golden = fs::path(DDTSCOPE_TESTDATA) / "v3";

LoadResult load(const std::vector<fs::path>& paths) { return load_job(paths); }

/// Numbers, sizes, who spawned them, and whether they are complete.
std::string text_of_worlds(const Job& job) {
  std::string text;
  for (const JobWorld& world : worlds_of(job)) {
    text += (text.empty() ? "" : "; ") + std::to_string(world.number.value) + ": " +
            std::to_string(world.size.value_or(-1)) + " by " +
            std::to_string(world.spawned_by.value_or(WorldNumber{0}).value) + (world.complete ? "" : ", incomplete");
  }
  return text;
}

class Worlds : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("worlds_test_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void copy(const char* trace, const std::vector<const char*>& files) {
    for (const char* file : files) {
      fs::copy(golden / trace / file, folder_ / file, fs::copy_options::overwrite_existing);
    }
  }
  std::unique_ptr<Job> loaded(const std::vector<fs::path>& paths) {
    auto result = load(paths);
    const auto* problem = std::get_if<TraceProblem>(&result);
    EXPECT_EQ(problem, nullptr) << problem->sentence;
    return problem == nullptr ? std::move(std::get<0>(result)) : std::make_unique<Job>(LibraryConstants{});
  }
  TraceProblem refused(const std::vector<fs::path>& paths) {
    auto result = load(paths);
    EXPECT_TRUE(std::holds_alternative<TraceProblem>(result));
    return std::holds_alternative<TraceProblem>(result) ? std::get<TraceProblem>(result) : TraceProblem{};
  }
  /// What is said of the merged trace of all worlds, edited.
  std::string sentence_of(const std::string& piece, const std::string& replacement) {
    std::ifstream stream(golden / "merged_openmpi" / "trace.jsonl");
    std::string text(std::istreambuf_iterator<char>(stream), {});
    const auto at = text.find(piece);
    EXPECT_NE(at, std::string::npos) << piece;
    std::ofstream(folder_ / "edited.jsonl") << text.replace(at, piece.size(), replacement);
    const TraceProblem problem = refused({folder_ / "edited.jsonl"});
    EXPECT_EQ(problem.kind, TraceProblem::Kind::unreadable);
    return problem.sentence;
  }
  fs::path folder_;
};

TEST_F(Worlds, AreToldFromTheRanksFilesFromTheWorldsAndFromThatOfAll) {
  for (const char* trace : {"spawned_openmpi", "joined_openmpi", "merged_openmpi"}) {
    SCOPED_TRACE(trace);
    const auto job = loaded({golden / trace});
    EXPECT_EQ(text_of_worlds(*job), "1: 2 by 0; 2: 2 by 1; 3: 1 by 2");
    EXPECT_TRUE(job->complete());
    EXPECT_TRUE(has_spawned_worlds(*job));
    std::string ranks;
    for (const JobRank& rank : job->ranks) {
      ranks += text_of(*rank.header.rank) + " ";
    }
    EXPECT_EQ(ranks, "0 1 2.0 2.1 3.0 ");
    ASSERT_EQ(job->types.size(), 6U);
    EXPECT_EQ(text_of((*job->instances.of(job->types[0].number).begin()).ranks()), "0-1, 2.0-2.1, 3.0");
    EXPECT_EQ(job->instances.total(job->types[0].number).created, 5U);
    EXPECT_EQ(text_of((*job->instances.of(job->types[4].number).begin()).ranks()), "2.1");
  }
}

TEST_F(Worlds, AJobThatSpawnsNothingHasOne) {
  const auto job = loaded({golden.parent_path() / "v1" / "demo_halo_openmpi"});
  EXPECT_EQ(text_of_worlds(*job), "1: 2 by 0");
  EXPECT_FALSE(has_spawned_worlds(*job));
}

TEST_F(Worlds, MissAndEndEachByItself) {
  copy("spawned_openmpi", {"rank-0.jsonl", "rank-1.jsonl", "rank-2.0.jsonl", "rank-3.0.jsonl"});
  const auto job = loaded({folder_});
  EXPECT_EQ(job->missing_ranks, (std::vector<Rank>{{{2}, 1}}));
  EXPECT_FALSE(job->complete());
  EXPECT_EQ(text_of_worlds(*job), "1: 2 by 0; 2: 2 by 1, incomplete; 3: 1 by 2");
}

TEST_F(Worlds, OneMayBeJoinedWhileTheRanksOfAnotherStandApart) {
  copy("joined_openmpi", {"trace.jsonl", "trace-2.jsonl", "trace-3.jsonl"});
  // What was joined and could not be removed says nothing more; another world's is no reason to leave it out.
  copy("spawned_openmpi", {"rank-0.jsonl", "rank-2.1.jsonl"});
  EXPECT_EQ(text_of_worlds(*loaded({folder_})), "1: 2 by 0; 2: 2 by 1; 3: 1 by 2");
  fs::remove(folder_ / "trace-2.jsonl");
  const auto job = loaded({folder_});
  EXPECT_EQ(text_of_worlds(*job), "1: 2 by 0; 2: 2 by 1, incomplete; 3: 1 by 2");
  EXPECT_EQ(job->missing_ranks, (std::vector<Rank>{{{2}, 0}}));
}

TEST_F(Worlds, AFileOfAllLeavesOutTheRanksThatItHas) {
  copy("merged_openmpi", {"trace.jsonl"});
  copy("spawned_openmpi", {"rank-0.jsonl", "rank-2.1.jsonl"});
  EXPECT_EQ(text_of_worlds(*loaded({folder_})), "1: 2 by 0; 2: 2 by 1; 3: 1 by 2");
  // A world that is not in it is not left out in silence.
  std::ifstream stream(golden / "spawned_openmpi" / "rank-2.0.jsonl");
  std::string text(std::istreambuf_iterator<char>(stream), {});
  std::ofstream(folder_ / "rank-4.0.jsonl") << text.replace(text.find("\"world\":2"), 9, "\"world\":4");
  EXPECT_EQ(refused({folder_}).kind, TraceProblem::Kind::usage);
}

TEST_F(Worlds, AFileOfAWorldIsGivenWithoutThoseOfItsRanks) {
  EXPECT_EQ(text_of_worlds(
                *loaded({golden / "joined_openmpi" / "trace-3.jsonl", golden / "spawned_openmpi" / "rank-2.0.jsonl"})),
            "2: 2 by 1, incomplete; 3: 1 by 2");
  TraceProblem problem =
      refused({golden / "joined_openmpi" / "trace-2.jsonl", golden / "spawned_openmpi" / "rank-2.0.jsonl"});
  EXPECT_EQ(problem.kind, TraceProblem::Kind::usage);
  EXPECT_NE(problem.sentence.find("all ranks of world 2"), std::string::npos) << problem.sentence;
  problem = refused({golden / "merged_openmpi" / "trace.jsonl", golden / "joined_openmpi" / "trace-3.jsonl"});
  EXPECT_EQ(problem.kind, TraceProblem::Kind::usage);
  EXPECT_NE(problem.sentence.find("give it alone"), std::string::npos) << problem.sentence;
}

TEST_F(Worlds, OneRankInTwoFilesIsRefused) {
  copy("spawned_openmpi", {"rank-0.jsonl", "rank-2.0.jsonl"});
  fs::copy(golden / "spawned_openmpi" / "rank-2.0.jsonl", folder_ / "rank-4.0.jsonl");
  const TraceProblem problem = refused({folder_});
  EXPECT_EQ(problem.kind, TraceProblem::Kind::unreadable);
  EXPECT_NE(problem.sentence.find("rank 2.0 stands in"), std::string::npos) << problem.sentence;
}

TEST_F(Worlds, DamageIsNamed) {
  const auto has = [&](const std::string& piece, const std::string& replacement, const std::string& words) {
    const std::string sentence = sentence_of(piece, replacement);
    EXPECT_NE(sentence.find(words), std::string::npos) << replacement << ": " << sentence;
  };
  for (const char* number : {"\"world\":0", "\"world\":1", "\"world\":-3"}) {
    has("\"world\":2", number, "a number from 1 on that is larger");
  }
  has("\"world\":2", "\"world\":9223372036854775808", "an integer of 64 bits");
  has("\"world\":3", "\"world\":7", "\"rank\" must be null or a rank of one of the header's worlds");
  has("\"spawned_by\":1", "\"spawned_by\":0", "spawned_by must be");
  has("\"merged\":true,", "", "\"worlds\" stands in the header of a file of one world");
  has("\"merged\":true,", "\"merged\":true,\"world\":2,\"spawned_by\":1,",
      "stands in the header of a file of one world");
  has("\"worlds\":[{\"world\":1,",
      "\"worlds\":[{\"world\":1,\"spawned_by\":null,\"size\":2,\"program\":\"a\",\"arguments\":[]},{\"world\":1,",
      "a number from 1 on that is larger");
  has("{\"world\":2,", "{\"world\":2,\"spawned_by\":1,\"size\":2,\"program\":\"a\",\"arguments\":[]},{\"world\":-2,",
      "a number from 1 on that is larger");
  has("\"rank\":\"2.1\"", "\"rank\":\"2.0\"", "order of ranks");
  has("\"rank\":\"2.1\"", "\"rank\":\"2.\"", "\"rank\" must be null or a rank");
  has("\"rank\":\"2.1\"", "\"rank\":\"2.1 \"", "\"rank\" must be null or a rank");
  has("\"rank\":\"2.1\"", "\"rank\":\"2.-1\"", "\"rank\" must be null or a rank");
  has("\"rank\":\"2.1\"", "\"rank\":\"2.9223372036854775808\"", "\"rank\" must be null or a rank");
  for (const char* ranks : {"[\"2.0\",\"3.1\"]", "[\"2.1\",\"2.0\"]", "[1,\"2.1\"]", "[\"9.0\",\"9.1\"]"}) {
    has("5,[[0,1],[\"2.0\",\"2.1\"]", std::string("5,[[0,1],") + ranks,
        "ranks must be [[first, last], ...], ascending, each of one of the header's worlds");
  }
  has("\"size\":2,\"program\"", "\"size\":2,\"pragma\"", "program is missing");
}

TEST_F(Worlds, AWorldWithoutProcessesIsRefusedInAMergedTrace) {
  const std::string sentence = sentence_of(
      "{\"world\":3,", "{\"world\":3,\"spawned_by\":1,\"size\":2,\"program\":\"a\",\"arguments\":[]},{\"world\":4,");
  EXPECT_NE(sentence.find("no process of world 4"), std::string::npos) << sentence;
}

TEST_F(Worlds, NumbersOfOneFileAreChecked) {
  for (const char* number : {"0", "1", "-1", "9223372036854775808", "\"two\""}) {
    std::ifstream stream(golden / "spawned_openmpi" / "rank-2.0.jsonl");
    std::string text(std::istreambuf_iterator<char>(stream), {});
    std::ofstream(folder_ / "rank-2.0.jsonl")
        << text.replace(text.find("\"world\":2"), 9, std::string("\"world\":") + number);
    const TraceProblem problem = refused({folder_});
    EXPECT_EQ(problem.kind, TraceProblem::Kind::unreadable);
    EXPECT_NE(problem.sentence.find("\"world\" must be"), std::string::npos) << problem.sentence;
  }
}

TEST(RankRanges, KeepWorldsApart) {
  RankRanges ranks;
  ranks.add(RankRange{0, 3, {}});
  ranks.add(Rank{{2}, 4});
  ranks.add(Rank{{2}, 5});
  ranks.add(Rank{{3}, 6});
  ranks.add(Rank{{2}, 9});  // below what came before
  ranks.add(RankRange{5, INT64_MAX, {3}});
  ranks.add(Rank{{3}, INT64_MAX});
  EXPECT_EQ(text_of(ranks), "0-3, 2.4-2.5, 3.6-3.9223372036854775807");
}

}  // namespace
}  // namespace ddtscope::reporters::worlds_test
