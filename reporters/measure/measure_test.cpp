// What is measured of a type, and how answers are read; the program itself is tested with real libraries
// (testapps/measure).
#include <gtest/gtest.h>

#include "reporters/measure/program.h"
#include "reporters/measure/subject.h"
#include "reporters/model/job_of_text.h"

namespace ddtscope::reporters::measure_test {
namespace {

std::variant<MeasureSubject, std::string> subject(const std::string& call,
                                                  std::optional<std::int64_t> copies = std::nullopt) {
  const auto made = job_of_text(call, BoundsRule::standard);
  const auto* text = std::get_if<JobOfText>(&made);
  if (text == nullptr) return "the call of the test is wrong: " + std::get<TextProblem>(made).sentence;
  return subject_of(*text->job, text->type, copies);
}

MeasureSubject measured(const std::string& call, std::optional<std::int64_t> copies = std::nullopt) {
  auto made = subject(call, copies);
  if (const auto* why = std::get_if<std::string>(&made)) ADD_FAILURE() << call << ": " << *why;
  return std::holds_alternative<MeasureSubject>(made) ? std::get<MeasureSubject>(std::move(made)) : MeasureSubject{};
}

std::string refusal(const std::string& call, std::optional<std::int64_t> copies = std::nullopt) {
  const auto made = subject(call, copies);
  const auto* why = std::get_if<std::string>(&made);
  return why != nullptr ? *why : "none";
}

using Calls = std::vector<std::pair<FormKind, std::string>>;
Calls other_calls(const std::string& call) {
  Calls calls;
  for (const SubjectForm& form : measured(call).forms) calls.emplace_back(form.kind, form.call);
  if (!calls.empty()) calls.erase(calls.begin());
  return calls;
}

TEST(MeasureSubject, MovesAboutOneMebibyte) {
  const MeasureSubject column = measured("MPI_Type_vector(6, 1, 8, MPI_DOUBLE)");
  EXPECT_EQ(column.size, 48);
  EXPECT_EQ(column.copies, (1 << 20) / 48 + 1);
  EXPECT_EQ(column.extent, 41 * 8);
  EXPECT_EQ(column.span, (column.copies - 1) * 41 * 8 + 41 * 8);
  EXPECT_EQ(column.rows, (std::vector<BlockRow>{{0, 8, 6, 64}}));
  EXPECT_EQ(column.turns, column.copies);
  EXPECT_EQ(column.stride, column.extent);
  EXPECT_TRUE(column.may_receive);
}

TEST(MeasureSubject, TakesFewerCopiesWhereTheySpanTooMuch) {
  const MeasureSubject sparse = measured("MPI_Type_create_resized(MPI_INT, 0, 1048576)");
  EXPECT_LE(sparse.span, most_measured_bytes);
  EXPECT_GT(sparse.span, most_measured_bytes / 4);
  EXPECT_EQ(sparse.rows.size(), 1U);
  EXPECT_EQ(sparse.turns, 1);
}

TEST(MeasureSubject, ContiguousCopiesAreOneBlock) {
  const MeasureSubject pair = measured("MPI_Type_contiguous(2, MPI_INT)", 10);
  EXPECT_EQ(pair.rows, (std::vector<BlockRow>{{0, 80, 1, 0}}));
}

TEST(MeasureSubject, CopiesMayGoDown) {
  const MeasureSubject down = measured("MPI_Type_create_resized(MPI_Type_vector(2, 1, 2, MPI_INT), 0, -16)", 3);
  EXPECT_EQ(down.first, -32);
  EXPECT_EQ(down.span, 12 + 32);
}

TEST(MeasureSubject, NothingIsReceivedIntoBytesThatAreTouchedTwice) {
  EXPECT_FALSE(measured("MPI_Type_vector(3, 2, 1, MPI_INT)").may_receive);
  EXPECT_FALSE(measured("MPI_Type_create_resized(MPI_Type_contiguous(2, MPI_INT), 0, 4)").may_receive);
}

TEST(MeasureSubject, PaddingOfExtendedNumbersHasNoMeaning) {
  const MeasureSubject mixed = measured(
      "MPI_Type_create_struct(3, {2, 1, 1}, {0, 32, 48}, {MPI_LONG_DOUBLE, MPI_INT, MPI_C_LONG_DOUBLE_COMPLEX})");
  EXPECT_EQ(mixed.values, (std::vector<ValueRow>{{16, 10, 2}, {4, 4, 1}, {16, 10, 2}}));
  EXPECT_TRUE(measured("MPI_Type_contiguous(3, MPI_DOUBLE)").values.empty());
}

TEST(MeasureSubject, HasAnyNumberOfEntriesWhereNoneHasPadding) {
  const std::string mixed =
      "MPI_Type_contiguous(600000, MPI_Type_create_struct(2, {1, 1}, {0, 4}, {MPI_INT, MPI_FLOAT}))";
  EXPECT_TRUE(measured(mixed).values.empty());
  EXPECT_EQ(
      refusal("MPI_Type_contiguous(600000, MPI_Type_create_struct(2, {1, 1}, {0, 16}, {MPI_LONG_DOUBLE, MPI_INT}))"),
      "it has numbers with padding among more than 1048576 changes from one basic type to another, which are not "
      "compared.");
  EXPECT_NE(refusal("MPI_Type_create_struct(2, {1, 600000}, {0, 16}, {MPI_LONG_DOUBLE, MPI_Type_create_struct(2, {1, "
                    "1}, {0, 4}, {MPI_INT, MPI_FLOAT})})")
                .find("numbers with padding"),
            std::string::npos);
}

TEST(MeasureSubject, SaysWhatCannotBeMeasured) {
  EXPECT_EQ(refusal("MPI_Type_contiguous(0, MPI_INT)"), "it has no data.");
  EXPECT_NE(refusal("MPI_Type_contiguous(1000000000, MPI_DOUBLE)").find("one copy would take 8000000000 bytes"),
            std::string::npos);
  EXPECT_NE(refusal("MPI_Type_vector(6, 1, 8, MPI_DOUBLE)", 1 << 30).find("1073741824 copies would take"),
            std::string::npos);
  EXPECT_NE(refusal("MPI_Type_create_hvector(2, 1, 140000000000000, MPI_INT)").find("at most 256 MiB"),
            std::string::npos);
  // Bounds and sizes at the ends of 64 bits.
  EXPECT_EQ(
      refusal("MPI_Type_create_resized(MPI_Type_create_hindexed(1, {1}, {-9223372036854775807}, MPI_INT), 0, -16)", 3),
      "its copies begin where no 64 bits reach.");
  EXPECT_NE(
      refusal(
          "MPI_Type_create_struct(2, {1, 1}, {0, 0}, {MPI_Type_contiguous(2147483647, MPI_Type_contiguous(2147483647, "
          "MPI_SHORT)), MPI_Type_contiguous(2147483647, MPI_Type_contiguous(4, MPI_CHAR))})")
          .find("one copy would take 9223372036854775806 bytes"),
      std::string::npos);
}

TEST(MeasureSubject, IsHeldAgainstTheSimplerTypeAndItsBlocks) {
  EXPECT_TRUE(other_calls("MPI_Type_create_hvector(6, 1, 64, MPI_DOUBLE)").empty() ||
              other_calls("MPI_Type_create_hvector(6, 1, 64, MPI_DOUBLE)").front().first == FormKind::simpler);
  EXPECT_EQ(other_calls("MPI_Type_contiguous(1, MPI_Type_contiguous(6, MPI_INT))"),
            (Calls{{FormKind::simpler, "MPI_Type_contiguous(6, MPI_INT)"}}));
  // Blocks at uneven places stay a list; at even ones they are none.
  const std::string even = "MPI_Type_create_struct(3, {1, 1, 1}, {0, 16, 32}, {MPI_INT, MPI_FLOAT, MPI_INT})";
  const Calls of_even = other_calls(even);
  ASSERT_FALSE(of_even.empty());
  EXPECT_EQ(of_even.back().first, FormKind::blockwise);
  EXPECT_EQ(of_even.back().second, "MPI_Type_create_hvector(3, 4, 16, MPI_BYTE)");
}

TEST(MeasureSubject, BlocksKeepTheBounds) {
  const Calls calls = other_calls(
      "MPI_Type_create_resized(MPI_Type_create_struct(3, {1, 1, 1}, {8, 24, 40}, {MPI_INT, MPI_FLOAT, MPI_INT}), -8, "
      "80)");
  ASSERT_FALSE(calls.empty());
  EXPECT_EQ(calls.back().second,
            "MPI_Type_create_resized(MPI_Type_create_hindexed_block(1, 1, {8}, MPI_Type_create_hvector(3, 4, 16, "
            "MPI_BYTE)), -8, 80)");
}

TEST(MeasureProgram, HasNothingLeftToFill) {
  const std::string text = program_of(measured("MPI_Type_vector(6, 1, 8, MPI_DOUBLE)"));
  EXPECT_EQ(text.find('@'), std::string::npos);
  EXPECT_NE(text.find("MPI_Type_vector(6, 1, 8, MPI_DOUBLE, &"), std::string::npos);
}

TEST(MeasureProgram, TableHasRowsAndValues) {
  const MeasureSubject column = measured("MPI_Type_vector(6, 1, 8, MPI_LONG_DOUBLE)");
  EXPECT_EQ(table_of(column).size(), 8U * (2 + 4 * column.rows.size() + 3 * column.values.size()));
}

constexpr const char* form_line =
    R"({"ddtscope_measure":1,"form":0,"create":{"ns":300,"spread":0.01,"samples":5},"pack":{"ns":1000,"spread":0.2,"samples":9},"done":1})";

TEST(MeasureAnswers, AreReadLineByLine) {
  const MeasureSubject column = measured("MPI_Type_vector(6, 1, 8, MPI_DOUBLE)");
  const ProgramAnswers answers = answers_of(
      column, std::string("hello\n{\"a\": 1}\n{\"ddtscope_measure\":1,\"library\":\"Open MPI v4.1.4, package: "
                          "x\",\"host\":\"node7\"}\n") +
                  form_line + "\n" +
                  R"({"ddtscope_measure":1,"plain":1,"copy":{"ns":10},"pack":{"ns":20},"send":{"ns":30},"done":1})" +
                  "\n");
  EXPECT_EQ(answers.library, "Open MPI v4.1.4");
  EXPECT_EQ(answers.host, "node7");
  const MeasuredForm& form = answers.type.forms.at(0);
  EXPECT_EQ(form.why_not, "");
  ASSERT_TRUE(form.figures.create && form.figures.pack);
  EXPECT_EQ(form.figures.pack->median_ns, 1000);
  EXPECT_EQ(form.figures.pack->samples, 9U);
  EXPECT_FALSE(form.figures.unpack);
  ASSERT_TRUE(answers.type.plain);
  EXPECT_EQ(answers.type.plain->pack.median_ns, 20);
  EXPECT_DOUBLE_EQ(gigabytes_per_second(2000, *form.figures.pack), 2);
}

TEST(MeasureAnswers, OtherFormsAreLeftOutWithTheTypeItself) {
  const MeasureSubject column = measured("MPI_Type_vector(6, 1, 8, MPI_DOUBLE)");
  ASSERT_GT(column.forms.size(), 1U);
  for (const char* output : {"{\"ddtscope_measure\":1,\"form\":0,\"wrong\":\"pack\",\"at\":0}", ""}) {
    EXPECT_EQ(answers_of(column, output).type.forms.size(), 1U) << output;
  }
}

TEST(MeasureAnswers, WhatIsMissingIsSaid) {
  const MeasureSubject column = measured("MPI_Type_vector(6, 1, 8, MPI_DOUBLE)");
  for (const char* output : {"", "{\"ddtscope_measure\":1,\"form\":0", "{\"ddtscope_measure\":1,\"form\":77}",
                             "{\"ddtscope_measure\":1,\"form\":0,\"pack\":{\"ns\":\"x\"}}",
                             "{\"ddtscope_measure\":1,\"form\":\"x\"}", "{\"ddtscope_measure\":1,\"library\":{}}"}) {
    const ProgramAnswers answers = answers_of(column, output);
    EXPECT_EQ(answers.type.forms.at(0).why_not, "the program ended before.") << output;
    EXPECT_FALSE(answers.type.plain) << output;
  }
}

TEST(MeasureAnswers, TellOtherBoundsAndWrongData) {
  const MeasureSubject column = measured("MPI_Type_vector(6, 1, 8, MPI_DOUBLE)", 2);
  const auto form = [&](const std::string& rest) {
    return answers_of(column, "{\"ddtscope_measure\":1,\"form\":0," + rest + "}").type.forms.at(0);
  };
  EXPECT_EQ(form("\"bounds\":[48,0,336,0,328]").why_not, "the library here gives it the extent 336, not 328.");
  EXPECT_EQ(form("\"wrong\":\"pack\",\"at\":17").wrong_data,
            "MPI_Pack packs other bytes than the typemap says: the first is byte 17 of the data.");
  EXPECT_EQ(form("\"wrong\":\"send\",\"at\":96").wrong_data,
            "MPI_Sendrecv receives the data, and writes bytes between them.");
}

}  // namespace
}  // namespace ddtscope::reporters::measure_test
