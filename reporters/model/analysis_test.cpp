// Differences that the library is known for, and those that nobody explains.
#include "reporters/model/analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <random>
#include <regex>
#include <span>
#include <string>
#include <vector>

#include "decoder/findings/finding_kinds.h"
#include "decoder/testing/random_types.h"
#include "decoder/testing/sanitizers.h"
#include "decoder/testing/test_store.h"

namespace ddtscope::reporters::analysis_test {
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

TEST_F(Explanations, TheReleaseThatRanIsTakenAndOfTheOtherLibraryTheNewest) {
  EXPECT_EQ(analysis_->releases()[BoundsRule::mpich].name, "MPICH 4.0.2");
  EXPECT_EQ(analysis_->releases()[BoundsRule::openmpi].name, newest_release(BoundsRule::openmpi).name);
  EXPECT_EQ(analysis_->remark_on_release(), "");
  job_->ranks.front().header.library_version = "MPICH Version:\t9.0\nMPICH Release date:\tone day";
  const Analysis newer(*job_);
  EXPECT_EQ(newer.releases()[BoundsRule::mpich].name, newest_release(BoundsRule::mpich).name);
  EXPECT_EQ(newer.remark_on_release(),
            "MPICH 9.0 is newer than what ddtscope models: the rule of MPICH 5.0.2 is taken.");
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

std::vector<std::pair<TypeNumber, FindingId>> ids_of_all(Analysis& analysis) {
  std::vector<std::pair<TypeNumber, FindingId>> ids;
  analysis.each_finding([&](TypeNumber type, const Finding& finding) { ids.emplace_back(type, id_of(*finding.kind)); });
  return ids;
}

/// A job of which every definition is a made type, as a library would report it.
std::unique_ptr<Job> job_of(test::TestStore& types) {
  const DefinitionStore& store = types.store();
  auto job = std::make_unique<Job>(store.constants());
  JobRank rank;
  rank.header.library_name = "mpich";
  job->ranks.push_back(rank);
  std::vector<DefinitionId> ids;
  for (std::uint32_t i = 0; i < store.size(); ++i) {
    const Definition& definition = store[DefinitionId{i}];
    if (definition.call.combiner == Combiner::named) {
      ids.push_back(job->store.add_predefined(store.predefined()[definition.predefined]));
      continue;
    }
    ConstructorCall call = definition.call;
    std::vector<DefinitionId> oldtypes;
    for (const DefinitionId oldtype : call.datatypes) oldtypes.push_back(ids[oldtype.value]);
    call.datatypes = oldtypes;
    JobType type;
    type.number = TypeNumber{static_cast<std::uint32_t>(job->types.size() + 1)};
    type.definition = job->store.intern(call).id;
    ids.push_back(type.definition);
    job->numbers.resize(job->store.size());
    job->numbers[type.definition.value] = type.number;
    job->observed_bounds.add(type.definition, as_answered(types.bounds(DefinitionId{i})));
    job->types.push_back(type);
  }
  return job;
}

/// All that is said of a type. Where equal types have no name of their own, a window names the first that it has: which
/// one is left out.
std::string all_of(Analysis& analysis, TypeNumber number) {
  std::string text;
  for (const Finding& finding : analysis.findings(number)) {
    text += std::string(finding.kind->id) + " " + std::string(text_of(finding.severity)) + ": " + finding.message +
            " " + finding.advice + "\n";
  }
  for (const std::string& reason : analysis.portability(number).reasons) text += reason + "\n";
  const std::optional<Simpler>& simpler = analysis.simpler(number);
  text += simpler ? simpler->call + "\n" : "";
  text = std::regex_replace(text, std::regex("T[0-9]+"), "T");
  const Analysis::Place place = analysis.place(number);
  for (const BoundsRule rule : bounds_rules) {
    const Bounds& bounds = place.rules[rule].bounds(place.definition);
    text += bounds.lb.to_string() + " " + bounds.extent.to_string() + "\n";
  }
  const auto fingerprint = place.fingerprints.layout(place.layouts.root(place.definition));
  return text + (fingerprint ? text_of(*fingerprint) : "unknown");
}

constexpr Analysis::Windows windows_of(std::size_t types) { return {0, types}; }

std::unique_ptr<Job> random_job() {
  test::TestStore types;
  test::RandomTypes random(types, {});
  while (types.store().size() < (test::has_sanitizer ? 200 : 600)) random.next();
  return job_of(types);
}

TEST(Windows, SayWhatTheWholeSays) {
  const auto job = random_job();
  Analysis whole(*job);
  std::vector<std::string> wanted;
  std::vector<std::size_t> order;
  for (const JobType& type : job->types) {
    order.push_back(wanted.size());
    wanted.push_back(all_of(whole, type.number));
  }
  std::mt19937 shuffle(1);
  for (const std::size_t size : {1U, 7U, 100U}) {
    SCOPED_TRACE(size);
    Analysis analysis(*job, windows_of(size));
    for (const std::size_t i : order) ASSERT_EQ(all_of(analysis, job->types[i].number), wanted[i]) << i;
    EXPECT_EQ(ids_of_all(analysis), ids_of_all(whole));
    std::shuffle(order.begin(), order.end(), shuffle);
  }
}

TEST(Windows, OfTypesThatWereAskedForSayTheSame) {
  const auto job = random_job();
  Analysis whole(*job);
  std::vector<TypeNumber> order;
  for (const JobType& type : job->types) order.push_back(type.number);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  std::vector<std::string> wanted;
  for (const TypeNumber number : order) wanted.push_back(all_of(whole, number));

  constexpr std::size_t of_window = 7;
  Analysis analysis(*job, windows_of(of_window));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto rest = std::span<const TypeNumber>(order).subspan(i);
    if (i % of_window == 0) analysis.look_at(rest.first(std::min(of_window, rest.size())));
    EXPECT_EQ(all_of(analysis, order[i]), wanted[i]) << text_of(order[i]);
  }
}

// In the struct, the explicit upper bound keeps it from being rounded up (MPI-4.1 5.1.7).
TEST(Windows, ATypeIsHeldByOneOfAnotherWindow) {
  test::TestStore types;
  const DefinitionId mpi_int = types.named("MPI_INT");
  const DefinitionId tight = types.resized(mpi_int, 0, 4);
  const DefinitionId loose = types.resized(types.named("MPI_CHAR"), 0, 1);
  for (int i = 2; i < 20; ++i) types.contiguous(i, mpi_int);
  types.structure({1, 1}, {0, 4}, {tight, types.named("MPI_CHAR")});
  static_cast<void>(loose);
  const auto job = job_of(types);
  for (const std::uint32_t first : {1U, 2U}) {  // which of the two is asked for first
    Analysis analysis(*job, windows_of(4));
    for (const std::uint32_t number : {first, 3 - first}) {
      const std::optional<Simpler>& simpler = analysis.simpler(TypeNumber{number});
      EXPECT_EQ(simpler ? simpler->call : "", number == 1 ? "" : "MPI_CHAR");
    }
  }
}

TEST(Windows, ATypeIsResizedInAnotherWindow) {
  test::TestStore types;
  const DefinitionId column = types.vector(4, 1, 5, types.named("MPI_INT"));
  const DefinitionId row = types.hindexed({1, 1}, {0, 2}, column);
  for (int i = 2; i < 20; ++i) types.contiguous(i, types.named("MPI_INT"));
  types.resized(row, 0, 4);
  const auto job = job_of(types);
  Analysis whole(*job);
  Analysis analysis(*job, windows_of(4));
  EXPECT_EQ(all_of(analysis, TypeNumber{2}), all_of(whole, TypeNumber{2}));
}

// Each window would need all that came before it.
TEST(Windows, ALongChainTakesLinearTime) {
  test::TestStore types;
  DefinitionId last = types.contiguous(2, types.named("MPI_INT"));
  for (int i = 0; i < (test::has_sanitizer ? 10000 : 30000); ++i) last = types.dup(last);
  const auto job = job_of(types);
  Analysis analysis(*job, windows_of(4));
  EXPECT_TRUE(ids_of_all(analysis).empty());
  EXPECT_TRUE(analysis.portability(job->types.back().number).portable);
}

}  // namespace
}  // namespace ddtscope::reporters::analysis_test
