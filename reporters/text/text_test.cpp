// Pictures and sentences, against drawings made by hand from the constructors' arguments.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "reporters/model/job_fixture.h"
#include "reporters/text/message_words.h"
#include "reporters/text/picture.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters::text_test {
namespace {

const std::filesystem::path golden = std::filesystem::path(DDTSCOPE_TESTDATA) / "v1" / "hand";

/// A trace of a job without DDTSCOPE_USES has no messages either: they are counted with the uses.
TEST(Messages, ThatWereNotRecordedNameTheSettingThatIsWhy) {
  const auto why = [](const std::vector<std::vector<std::string>>& switched_off) {
    Job job{LibraryConstants{}};
    for (std::size_t i = 0; i < switched_off.size(); ++i) {
      JobRank& rank = job.ranks.emplace_back();
      rank.header.rank = Rank{{}, static_cast<std::int64_t>(i)};
      rank.header.switched_off = switched_off[i];
    }
    return std::string(why_no_messages(job));
  };
  EXPECT_EQ(why({{"DDTSCOPE_USES"}, {"DDTSCOPE_USES", "DDTSCOPE_SOURCES"}}),
            "DDTSCOPE_USES was off, without which there are no messages either");
  EXPECT_EQ(why({{"DDTSCOPE_MESSAGES"}, {"DDTSCOPE_MESSAGES"}}), "DDTSCOPE_MESSAGES was off");
  const std::string unknown = why({{"DDTSCOPE_USES"}, {}});
  for (const char* const word : {"older", "DDTSCOPE_USES", "DDTSCOPE_MESSAGES"}) {
    EXPECT_NE(unknown.find(word), std::string::npos) << unknown;
  }
}

void check(std::ostream& out, const TextContext& context) {
  JobFindings findings(context.job, context.analysis);
  report_check(out, context, findings);
}

class PictureTest : public test::JobFixture {
 protected:
  PictureTest() : JobFixture(test::mpich_constants) {}
  DefinitionId id_of(TypeNumber number) { return job_.type(number).definition; }

  TypeNumber upper_triangle(std::int64_t n) {
    Contents contents{{n}, {}, {}, {named("MPI_DOUBLE")}};
    for (std::int64_t row = 0; row < n; ++row) {
      contents.integers.push_back(n - row);
    }
    for (std::int64_t row = 0; row < n; ++row) {
      contents.integers.push_back(row * n + row);
    }
    return make(Combiner::indexed, contents);
  }

  std::string picture(TypeNumber number, std::optional<View> view = {}) {
    return picture_of(job_, number, view, Style(Colour::never));
  }
};

/// A file that nothing was read from or written to has no row of the CSV: only the JSON lists all.
TEST_F(PictureTest, OfMoreFilesThanAreToldTheJsonListsAll) {
  ranks(1);
  for (int i = 0; i < 1003; ++i) {
    job_.files.push_back({"f" + std::to_string(i),
                          {},
                          job_.word("MPI_MODE_RDWR"),
                          job_.word("MPI_File_open"),
                          job_.word("c"),
                          std::nullopt,
                          {}});
  }
  Analysis analysis(job_);
  Symbols symbols;
  std::ostringstream out;
  report_files(out, {{job_, analysis, symbols}, Style(Colour::never)}, {.by = UsesBy::file});
  EXPECT_NE(out.str().find("... and 3 more: `ddtscope uses --by file --json` lists all\n"), std::string::npos)
      << out.str();
}
using Grid = PictureTest;
using Rows = PictureTest;
using Runs = PictureTest;
using Tree = PictureTest;
using OneLine = PictureTest;

bool has(const std::string& text, const std::string& piece) { return text.find(piece) != std::string::npos; }

TEST_F(Grid, UpperTriangleIsDrawnInTheMatrixItIsTakenFrom) {
  EXPECT_EQ(picture(upper_triangle(4)),
            "view: grid (chosen); hides none of 10 entries\n"
            "  rows of 4 cells of MPI_DOUBLE, 32 bytes apart; # in the type, . not\n"
            "              0  # # # #\n"
            "             32  . # # #\n"
            "             64  . . # #\n"
            "             96  . . . #\n");
}

TEST_F(Grid, SubarrayShowsTheWholeArray) {
  const auto number = make(Combiner::subarray, {{2, 4, 5, 2, 3, 1, 1, 56}, {}, {}, {named("MPI_INT")}});
  EXPECT_EQ(picture(number),
            "view: grid (chosen); hides none of 6 entries\n"
            "  rows of 5 cells of MPI_INT, 20 bytes apart; # in the type, . not\n"
            "              0  . . . . .\n"
            "             20  . # # # .\n"
            "             40  . # # # .\n"
            "             60  . . . . .\n");
}

TEST_F(Grid, LargeMatricesAreScaledAndSaySo) {
  const auto number = make(Combiner::vector, {{64, 32, 64}, {}, {}, {named("MPI_DOUBLE")}});  // left half of 64 x 64
  const std::string text = picture(number);
  EXPECT_TRUE(has(text, "each mark stands for 2 x 2 cells")) << text;
  EXPECT_TRUE(has(text, "  0  # # # # # # # # # # # # # # # # . . . . . . . . . . . . . . . .\n")) << text;
}

TEST_F(Grid, OfManyGigabytesHasCommasAndStandsInLine) {
  const auto number = make(Combiner::vector, {{100000, 2, 50000}, {}, {}, {named("MPI_DOUBLE")}});
  const std::string text = picture(number);
  EXPECT_TRUE(has(text, "each mark stands for 2,048 x 1,563 cells")) << text;
  // Offsets of 13 and of 14 characters end in the same column.
  EXPECT_TRUE(has(text, "\n               0  + .")) << text;
  EXPECT_TRUE(has(text, "\n  25,395,200,000  + .")) << text;
}

TEST_F(Grid, SaysHowManyEntriesItHides) {
  const auto number = make(Combiner::vector, {{70000, 1, 4}, {}, {}, {named("MPI_INT")}});
  EXPECT_TRUE(has(picture(number), "hides 4,464 of 70,000 entries"));  // 65,536 blocks are looked at
}

TEST_F(Grid, BlocksWithoutPitchFallBackToRunsAndSaySo) {
  const auto number = make(Combiner::indexed_block, {{3, 1, 0, 2, 5}, {}, {}, {named("MPI_INT")}});
  EXPECT_TRUE(has(picture(number, View::grid), "view: runs; no grid"));
}

TEST_F(Rows, StructShowsOffsetsHolesAndPadding) {
  const auto number = make(Combiner::structure,
                           {{3, 5, 1, 1}, {0, 8, 16}, {}, {named("MPI_CHAR"), named("MPI_DOUBLE"), named("MPI_INT")}});
  EXPECT_EQ(picture(number),
            "view: rows (chosen); hides none of 7 entries\n"
            "        offset       bytes  entries\n"
            "             0              lb\n"
            "             0           5  5 x MPI_CHAR\n"
            "             5           3  (hole)\n"
            "             8           8  MPI_DOUBLE\n"
            "            16           4  MPI_INT\n"
            "            20           4  (padding)\n"
            "            24              ub\n");
}

TEST_F(Rows, StandInTheOrderOfMemoryAndSaySo) {
  const auto number = make(Combiner::structure, {{2, 1, 1}, {8, 0}, {}, {named("MPI_INT"), named("MPI_DOUBLE")}});
  const std::string text = picture(number);
  EXPECT_TRUE(has(text, "not the typemap's"));
  EXPECT_LT(text.find("MPI_DOUBLE"), text.find("MPI_INT"));
}

TEST_F(Rows, MarkBytesThatAreTouchedTwice) {
  const auto number = make(Combiner::structure, {{2, 1, 1}, {0, 2}, {}, {named("MPI_INT"), named("MPI_CHAR")}});
  EXPECT_TRUE(has(picture(number), "MPI_CHAR  (overlaps the bytes above)"));
}

TEST_F(Runs, NestedStridesAreLoops) {
  const auto number = make(Combiner::vector, {{3, 2, 5}, {}, {}, {named("MPI_DOUBLE")}});
  EXPECT_EQ(picture(number, View::runs),
            "view: runs; hides none of 6 entries\n"
            "  MPI_DOUBLE at 0, 3 x every 40 bytes, 2 x every 8 bytes\n");
}

TEST_F(Runs, ATypeOf10To18EntriesIsDrawnAtOnce) {
  const auto inner = make(Combiner::vector, {{1000000000, 1, 2}, {}, {}, {named("MPI_INT")}});
  const auto outer = make(Combiner::contiguous, {{1000000000}, {}, {}, {id_of(inner)}});
  EXPECT_TRUE(has(picture(outer, View::runs), "hides none of 1,000,000,000,000,000,000 entries"));
  EXPECT_TRUE(has(picture(outer), " of 1,000,000,000,000,000,000 entries"));
}

TEST_F(Tree, PrintsSharedPartsOnce) {
  const auto shared = make(Combiner::contiguous, {{2}, {}, {}, {named("MPI_INT")}});
  const auto left = make(Combiner::dup, {{}, {}, {}, {id_of(shared)}});
  const auto root = make(Combiner::structure, {{2, 1, 1}, {0, 8}, {}, {id_of(left), id_of(shared)}});
  EXPECT_EQ(picture(root, View::tree),
            "view: tree; hides none of 4 entries\n"
            "  constructor calls, not entries\n"
            "  T3 MPI_Type_create_struct(2, {1, 1}, {0, 8}, {T2, T1})\n"
            "    T2 MPI_Type_dup(T1)\n"
            "      T1 MPI_Type_contiguous(2, MPI_INT)\n"
            "    T1 MPI_Type_contiguous(2, MPI_INT)  (as above)\n");
}

TEST_F(Tree, CutsDeepChainsAndSaysSo) {
  TypeNumber number = make(Combiner::contiguous, {{1}, {}, {}, {named("MPI_INT")}});
  for (int i = 0; i < 10000; ++i) {
    number = make(Combiner::dup, {{}, {}, {}, {id_of(number)}});
  }
  const std::string text = picture(number, View::tree);
  EXPECT_TRUE(has(text, "the deepest levels are cut"));
  EXPECT_LT(text.size(), 20000U);
}

TEST_F(OneLine, MarksBlocksInUnits) {
  EXPECT_EQ(one_line_layout(job_, make(Combiner::vector, {{3, 2, 5}, {}, {}, {named("MPI_DOUBLE")}})),
            "##...##...## (8 B a mark)");
  EXPECT_EQ(one_line_layout(job_, make(Combiner::contiguous, {{0}, {}, {}, {named("MPI_INT")}})), "(empty)");
  EXPECT_EQ(one_line_layout(job_, make(Combiner::vector, {{100, 1, 2}, {}, {}, {named("MPI_INT")}})),
            "#.#.#.#.#.#.#.#.#.#.#.#.> (4 B a mark)");
}

TEST(Printable, EscapesWhatActsOnATerminal) {
  EXPECT_EQ(printable("red\033[31m\n"), "red\\x1b[31m\\x0a");
  EXPECT_EQ(printable("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");                               // C1 CSI
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // right-to-left override
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");           // overlong
}

TEST(StyleTest, ColoursOnlyWhereWanted) {
  EXPECT_EQ(Style(Colour::never)(Role::data, "x"), "x");
  EXPECT_NE(Style(Colour::always)(Role::data, "x").find('\033'), std::string::npos);
}

TEST(Listed, HasAndBeforeTheLast) {
  EXPECT_EQ(listed({"the standard"}), "the standard");
  EXPECT_EQ(listed({"the standard", "Open MPI"}), "the standard and Open MPI");
  EXPECT_EQ(listed({"the standard", "Open MPI", "MPICH"}), "the standard, Open MPI and MPICH");
}

TEST(Grouped, SetsCommas) {
  EXPECT_EQ(grouped(std::uint64_t{999}), "999");
  EXPECT_EQ(grouped(std::uint64_t{1000}), "1,000");
  EXPECT_EQ(grouped(Exact(-1234567)), "-1,234,567");
  EXPECT_EQ(grouped(Exact(-123)), "-123");
}

TEST(Ranks, AreAsManyAsFitALine) {
  RankRanges few, many;
  for (std::int64_t rank = 0; rank < 10; rank += 2) few.add(Rank{{}, rank});
  for (std::int64_t rank = 0; rank < 10000; rank += 2) many.add(Rank{{}, rank});
  EXPECT_EQ(words_of(few), "ranks 0, 2, 4, 6, 8");
  const std::string words = words_of(many);
  EXPECT_TRUE(words.starts_with("ranks 0, 2, 4, ") && words.ends_with("... (5,000 ranks)")) << words;
  EXPECT_LE(words.size(), 100u);
}

class Reports : public testing::Test {
 protected:
  Reports() {
    const std::filesystem::path paths[] = {golden};
    job_ = std::move(std::get<0>(load_job(paths)));
    analysis_ = std::make_unique<Analysis>(*job_);
  }
  TextContext context() { return {{*job_, *analysis_, symbols_}, Style(Colour::never)}; }

  std::unique_ptr<Job> job_;
  std::unique_ptr<Analysis> analysis_;
  Symbols symbols_;
  std::ostringstream out_;
};

TEST_F(Reports, PendingTellsSomeOfManyWaysToWait) {
  WaitingRanks waiting;
  for (std::int64_t i = 0; i < 1000; ++i) {
    WaitingCall call;
    call.call = trace::PendingCall::message;
    Need& need = call.needs.emplace_back();
    need.has_channel = true;
    need.channel.predefined = 1;
    need.channel.peer = static_cast<std::int32_t>(i + 1);
    waiting.ranks.push_back({Rank{{}, i}, RankState::waits, nullptr, false, {call}});
  }
  report_pending(out_, context(), waiting);
  const std::string text = out_.str();
  EXPECT_TRUE(has(text, "for tag 0 of rank 200")) << text;
  EXPECT_FALSE(has(text, "for tag 0 of rank 201")) << text;
  EXPECT_TRUE(has(text, "... and 800 more: `ddtscope pending --json` lists all")) << text;
}

TEST_F(Reports, SummarySaysHowTheRanksEndedAndWhatWasLeft) {
  report_summary(out_, context());
  const std::string text = out_.str();
  EXPECT_TRUE(has(text,
                  "ranks 0-1 ended in MPI_Finalize; rank 3 left nothing to read; "
                  "rank 2 wrote no end (still running, killed, or the disk was full)"))
      << text;
  EXPECT_FALSE(has(text, "world"));
  EXPECT_TRUE(has(text, "27 derived datatypes counted of 5 distinct definitions at 3 call sites"));
  EXPECT_TRUE(has(text, "Live now: 6 instances of 2 definitions"));
  EXPECT_TRUE(has(text, "Never committed: 2 instances of 1 definition"));
  EXPECT_TRUE(has(text, "2  MPI_Type_create_darray: no memory (rank 0)"));
  EXPECT_TRUE(has(text, "libhelper.so+0x32, called from app+0x64"));
}

TEST(SummaryReport, SaysWhichRanksRanWhat) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("text_test." + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ifstream stream(golden / "rank-0.jsonl");
  std::string header;
  std::getline(stream, header);
  for (int rank = 0; rank < 4; ++rank) {
    std::string own = header;
    own.replace(own.find("\"rank\":0"), 8, "\"rank\":" + std::to_string(rank));
    if (rank == 1 || rank == 2) own.replace(own.find("/nowhere/app"), 12, "/nowhere/io \\u001b");
    std::ofstream(folder / ("rank-" + std::to_string(rank) + ".jsonl")) << own << "\n";
  }
  const std::filesystem::path paths[] = {folder};
  const auto loaded = load_job(paths);
  std::filesystem::remove_all(folder);
  const Job& job = *std::get<0>(loaded);
  Symbols symbols;
  std::ostringstream out;
  Analysis analysis(job);
  report_summary(out, {{job, analysis, symbols}, Style(Colour::never)});
  EXPECT_TRUE(has(out.str(), "program  /nowhere/app -n 3 (ranks 0, 3)\n         /nowhere/io \\x1b -n 3 (ranks 1-2)\n"))
      << out.str();
}

TEST(SummaryReport, SaysWhatEachWorldOfAJobRan) {
  const std::filesystem::path traces = golden.parent_path().parent_path() / "v3" / "spawned_openmpi";
  std::vector<std::filesystem::path> paths;
  for (const char* rank : {"0", "1", "2.0", "3.0"}) {
    paths.push_back(traces / ("rank-" + std::string(rank) + ".jsonl"));
  }
  const auto text_of_summary = [&] {
    const auto loaded = load_job(paths);
    Symbols symbols;
    std::ostringstream out;
    Analysis analysis(*std::get<0>(loaded));
    report_summary(out, {{*std::get<0>(loaded), analysis, symbols}, Style(Colour::never)});
    return out.str();
  };
  std::string text = text_of_summary();
  EXPECT_TRUE(
      has(text, "trace    incomplete: ranks 0-1, 2.0, 3.0 ended in MPI_Finalize; rank 2.1 left nothing to read\n"))
      << text;
  EXPECT_TRUE(has(text, "ranks    5 on vm"));
  EXPECT_TRUE(has(text,
                  "worlds   1: 2 ranks of /nowhere/build/testapps/spawns-openmpi, complete\n"
                  "         2: 2 ranks of /nowhere/build/testapps/spawns-openmpi, spawned by world 1, incomplete\n"
                  "         3: 1 rank of /nowhere/build/testapps/spawns-openmpi, spawned by world 2, complete\n"))
      << text;
  paths.push_back(traces / "rank-2.1.jsonl");
  text = text_of_summary();
  EXPECT_TRUE(has(text, "trace    complete: all 5 ranks of 3 worlds ended in MPI_Finalize\n")) << text;
}

TEST_F(Reports, SummaryOfAJobWithoutTypesSaysSoPlainly) {
  auto job = std::make_unique<Job>(job_->store.constants());
  job->ranks.push_back(job_->ranks.front());
  Analysis analysis(*job);
  report_summary(out_, {{*job, analysis, symbols_}, Style(Colour::never)});
  EXPECT_TRUE(has(out_.str(), "The program made no derived datatype.\n")) << out_.str();
}

TEST(SummaryReport, CountsThatAreUnknownAreNotZero) {
  const std::filesystem::path paths[] = {golden.parent_path() / "killed_openmpi"};
  const auto loaded = load_job(paths);
  Symbols symbols;
  std::ostringstream out;
  Analysis analysis(*std::get<0>(loaded));
  report_summary(out, {{*std::get<0>(loaded), analysis, symbols}, Style(Colour::never)});
  EXPECT_TRUE(has(out.str(), "how many is not known")) << out.str();
  EXPECT_TRUE(has(out.str(), "  T1             ?  MPI_Type_vector(4, 2, 3, MPI_INT)"));
}

TEST_F(Reports, ShowDiagnosesCopiesThatOverlap) {
  report_show(out_, context(), {.type = TypeNumber{4}});
  EXPECT_TRUE(has(out_.str(), "4 bytes lie beyond the upper bound")) << out_.str();
  EXPECT_TRUE(has(out_.str(), "warning (copies-overlap): Copies stand 4 bytes apart"));
  EXPECT_TRUE(has(out_.str(), "need 8 + (count - 1) * 4 bytes"));
}

TEST_F(Reports, ShowSaysWhyAPlaceIsUnresolved) {
  report_show(out_, context(), {.type = TypeNumber{1}, .view = View::runs, .typemap_entries = 2});
  EXPECT_TRUE(has(out_.str(), "/nowhere/app: the file is missing on this machine")) << out_.str();
  EXPECT_TRUE(has(out_.str(), "  (MPI_DOUBLE, 8)\n  ... 4 more entries\n"));
}

TEST_F(Reports, TypesTableEscapesNames) {
  report_types(out_, context(), TypesOrder::id);
  EXPECT_EQ(out_.str().find('\033'), std::string::npos);
  EXPECT_TRUE(has(out_.str(), "\"red\\x1b[31m\""));
}

TEST_F(Reports, CheckListsBothValues) {
  check(out_, context());
  EXPECT_TRUE(has(out_.str(), "T4 \"half\" extent: ddtscope says 8, the library 4")) << out_.str();
}

TEST(CheckReport, UnexplainedDifferencesComeFirstAndKnownOnesAreNoAlarm) {
  const std::filesystem::path paths[] = {golden.parent_path() / "known_bounds_mpich"};
  const auto job = std::move(std::get<0>(load_job(paths)));
  Analysis analysis(*job);
  Symbols symbols;
  const TextContext context = {{*job, analysis, symbols}, Style(Colour::never)};
  std::ostringstream known;
  check(known, context);
  EXPECT_TRUE(has(known.str(),
                  "No unexplained differences between ddtscope and the library in 4 definitions.\n"
                  "Known of the library, and no alarm:\n"
                  "  T3 \"members\" lb: by the standard 8; MPICH 4.0.2 is known to answer 0  "))
      << known.str();
  std::ostringstream summary;
  report_summary(summary, context);
  EXPECT_FALSE(has(summary.str(), "between ddtscope and the library")) << summary.str();

  job->differences.push_back({TypeNumber{3}, {}, "true_lb", "0", "4"});
  std::ostringstream both;
  check(both, context);
  EXPECT_LT(both.str().find("T3 \"members\" true_lb: ddtscope says 0, the library 4"),
            both.str().find("Known of the library"));
  EXPECT_TRUE(has(both.str(), "\n1 difference between ddtscope and the library\n")) << both.str();
  std::ostringstream pointing;
  report_summary(pointing, context);
  EXPECT_TRUE(has(pointing.str(), "1 difference between ddtscope and the library: `ddtscope check` lists them"));
}

TEST(ShowReport, TellsReleasesApartAndWhichIsNotModelled) {
  const std::filesystem::path paths[] = {golden.parent_path() / "known_bounds_mpich"};
  const auto job = std::move(std::get<0>(load_job(paths)));
  Symbols symbols;
  const auto shown = [&] {
    Analysis analysis(*job);
    std::ostringstream show;
    const TextContext context = {{*job, analysis, symbols}, Style(Colour::never)};
    report_show(show, context, {.type = TypeNumber{3}, .view = View::runs});
    std::ostringstream checked;
    check(checked, context);
    return std::pair(show.str(), checked.str());
  };
  const auto [show, check] = shown();
  EXPECT_TRUE(has(show, "\n          Open MPI 4.1 to 6.0 ")) << show;
  EXPECT_TRUE(has(show, "\n          MPICH 4.0 to 5.0 ")) << show;
  EXPECT_FALSE(has(show, "ddtscope models")) << show;
  EXPECT_FALSE(has(check, "ddtscope models")) << check;
  job->ranks.front().header.library_version = "MVAPICH Version: 4.0\x1b[31m\n";
  const std::string remark =
      "\"MVAPICH Version: 4.0\\x1b[31m\" is no release that ddtscope models: the rule of MPICH 5.0.2 is taken.\n";
  const auto [show_derivative, check_derivative] = shown();
  EXPECT_TRUE(has(show_derivative, "\nlibrary   " + remark)) << show_derivative;
  EXPECT_TRUE(has(check_derivative, "\n" + remark)) << check_derivative;
}

class MovedTypes : public test::JobFixture {};

TEST_F(MovedTypes, TheFiveThatMoveMostStandInTheSummary) {
  ranks(1);
  for (const std::int64_t doubles : {1, 7, 3, 6, 2, 5, 4}) {
    TypeUse use{job_.type(contiguous(doubles)).definition,
                job_.word("MPI_Send"),
                job_.word("c"),
                trace::UseParameter::datatype,
                frame(1),
                {1, 10, 10, 10},
                {}};
    job_.uses.push_back(use);
    use.called = job_.word("MPI_Recv");  // the same bytes, once they have arrived
    job_.uses.push_back(use);
  }
  Analysis analysis(job_);
  Symbols symbols;
  std::ostringstream out;
  report_moved_types(out, {{job_, analysis, symbols}, Style(Colour::never)});
  std::size_t at = 0;
  for (const char* line : {"Bytes moved by derived types: 2.2 kB", "T2  560 B in 1 call", "T4  480 B", "T6  400 B",
                           "T7  320 B", "T3  240 B", "... and 2 more types"}) {
    at = out.str().find(line, at);
    ASSERT_NE(at, std::string::npos) << line << out.str();
  }
  EXPECT_FALSE(has(out.str(), "T5")) << out.str();
}

TEST_F(Reports, CheckTellsFindingsInFull) {
  check(out_, context());
  EXPECT_TRUE(has(out_.str(), "warning: T4 \"half\"  MPI_Type_create_resized(MPI_DOUBLE, 0, 4)\n")) << out_.str();
  EXPECT_TRUE(has(out_.str(), "more: ddtscope explain copies-overlap"));
  // Notes too, and what became of the types.
  EXPECT_TRUE(has(out_.str(), "\n    1 of the 17 types made here is live now; 16 were freed.")) << out_.str();
}

TEST_F(Reports, ListsGiveTheNameThatTheProgramGave) {
  report_summary(out_, context());
  // Made most often, and never freed.
  EXPECT_TRUE(has(out_.str(), "  \"half\"  MPI_Type_vector(3, 2, 5, MPI_DOUBLE)\n")) << out_.str();
  EXPECT_TRUE(has(out_.str(), " # touched, . not, > and so on\n")) << out_.str();
  EXPECT_TRUE(has(out_.str(), "  \"half\"  MPI_Type_vector(3, 2, 5, MPI_DOUBLE), made in ")) << out_.str();
  EXPECT_EQ(out_.str().find('\033'), std::string::npos);
}

TEST_F(Reports, NotesGiveTheNameThatTheProgramGave) {
  const std::filesystem::path paths[] = {golden.parent_path() / "known_bounds_mpich"};
  const auto job = std::move(std::get<0>(load_job(paths)));
  Analysis analysis(*job);
  check(out_, {{*job, analysis, symbols_}, Style(Colour::never)});
  EXPECT_TRUE(has(out_.str(), "note: T3 \"members\"  MPI_Type_create_struct(")) << out_.str();
  // What is only part of others needs no commit.
  EXPECT_FALSE(has(out_.str(), "never-committed")) << out_.str();
}

TEST_F(Reports, ALongNameIsCutBetweenCharacters) {
  const TypeNumber unnamed{5};
  EXPECT_EQ(id_and_name(*job_, unnamed), "T5");
  const auto named = [&](const std::string& name) {
    const std::filesystem::path paths[] = {golden};
    const auto job = std::move(std::get<0>(load_job(paths)));
    job->add_name(unnamed, name);
    return id_and_name(*job, unnamed);
  };
  EXPECT_EQ(named(std::string(36, 'x') + "\xc3\xa4\xc3\xb6yz\033"), "T5 \"" + std::string(36, 'x') + "\xc3\xa4...\"");
  EXPECT_EQ(named(std::string(40, 'x')), "T5 \"" + std::string(40, 'x') + "\"");
}

// Before anything else: what is wrong is what one looks for.
TEST_F(Reports, SummaryBeginsWithWhatIsWrong) {
  report_summary(out_, context());
  EXPECT_TRUE(has(out_.str(),
                  "\n\n1 warning: `ddtscope check` says what and why\n"
                  "  warning  copies-overlap       T4 \"half\", made in an unknown place, rank 0\n\nMade most often\n"))
      << out_.str();
}

TEST_F(Reports, SummarySaysThatNothingIsWrongWhereNothingIs) {
  const std::filesystem::path paths[] = {golden.parent_path() / "known_bounds_mpich"};
  const auto job = std::move(std::get<0>(load_job(paths)));
  Analysis analysis(*job);
  report_summary(out_, {{*job, analysis, symbols_}, Style(Colour::never)});
  EXPECT_TRUE(
      has(out_.str(), "\n\nNo errors and no warnings; 2 notes: `ddtscope check` has them.\n\nMade most often\n"))
      << out_.str();
}

TEST_F(Reports, SummarySaysWhereBuffersWereNotLookedAt) {
  const char* const sentence = "\nThe program's buffers and structs were not looked at: `ddtscope check` does.\n";
  report_summary(out_, context());
  EXPECT_FALSE(has(out_.str(), sentence)) << "the trace has none";
  job_->ranks[0].header.sources = true;
  report_summary(out_, context());
  EXPECT_TRUE(has(out_.str(), sentence)) << out_.str();
  out_.str("");
  const DrawnFindings kept;
  TextContext with_kept = context();
  with_kept.kept_sources = &kept;
  report_summary(out_, with_kept);
  EXPECT_FALSE(has(out_.str(), sentence)) << out_.str();
}

TEST_F(Reports, CheckOfAnIncompleteTraceNamesTheVerbThatTellsWhatRanksWaitFor) {
  check(out_, context());
  EXPECT_FALSE(has(out_.str(), "ddtscope pending")) << "these processes kept no such records";
  job_->pending.emplace_back();
  check(out_, context());
  EXPECT_TRUE(has(out_.str(), "What each rank was in the middle of: `ddtscope pending`.\n")) << out_.str();
}

TEST_F(Reports, CallSitesThatNobodyWantedAreSaidOnce) {
  const std::string told = "\nNot recorded: call sites; DDTSCOPE_STACK was 0.\n";
  check(out_, context());
  EXPECT_FALSE(has(out_.str(), told));
  for (JobRank& rank : job_->ranks) rank.header.stack_depth = 0;
  check(out_, context());
  EXPECT_TRUE(has(out_.str(), told)) << out_.str();
  std::ostringstream summary;
  report_summary(summary, context());
  EXPECT_TRUE(has(summary.str(), told)) << summary.str();
}

TEST_F(Reports, ShowSaysWhatCopiesNeedAndSpellsTheType) {
  report_show(out_, context(), {.type = TypeNumber{1}, .view = View::runs, .count = 3, .with_bnf = true});
  EXPECT_TRUE(has(out_.str(), "3 copies need 288 bytes of memory: from byte 0 of the buffer on, up to byte 288.\n"))
      << out_.str();
  EXPECT_TRUE(has(out_.str(), "bnf       U1(V:d:3:2:5)\n"));
  EXPECT_TRUE(has(out_.str(), "portable  yes"));
}

TEST(Explain, TellsEveryKind) {
  std::ostringstream all;
  report_finding_kinds(all, Style(Colour::never));
  for (const FindingKind& kind : finding_kinds()) {
    EXPECT_TRUE(has(all.str(), std::string(kind.id) + " ")) << kind.id;
    std::ostringstream one;
    report_explanation(one, Style(Colour::never), kind);
    EXPECT_TRUE(has(one.str(), "Example\n")) << kind.id;
    EXPECT_TRUE(has(one.str(), "MPI_")) << kind.id;
  }
  EXPECT_TRUE(has(all.str(), "copies-overlap       warning to note  ")) << all.str();
  EXPECT_TRUE(has(all.str(), "negative-count       error            ")) << all.str();
}

}  // namespace
}  // namespace ddtscope::reporters::text_test
