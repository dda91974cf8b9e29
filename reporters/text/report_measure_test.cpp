#include <gtest/gtest.h>

#include <sstream>

#include "reporters/measure/measurement.h"
#include "reporters/model/job_of_text.h"
#include "reporters/text/report.h"

namespace ddtscope::reporters::report_measure_test {
namespace {

const Job& job_of_a_column() {
  static const auto made = job_of_text("MPI_Type_vector(6, 1, 8, MPI_DOUBLE)", BoundsRule::standard);
  return *std::get<JobOfText>(made).job;
}

MeasuredForm form(FormKind kind, const std::string& call, double pack_ns) {
  MeasuredForm form;
  form.kind = kind;
  form.call = call;
  form.figures.create = Figure{300, 0.01, 5};
  form.figures.pack = Figure{pack_ns, 0.01, 5};
  return form;
}

/// 48,000 bytes: a copy at 4.8 GB/s.
MeasuredType column() {
  MeasuredType type;
  type.type = TypeNumber{1};
  type.copies = 1000;
  type.bytes = 48000;
  type.blocks = 6;
  type.plain = PlainFigures{{1e4, 0.01, 5}, {3e4, 0.2, 5}, std::nullopt, {2e4, 0.01, 5}};
  type.forms = {form(FormKind::itself, "MPI_Type_vector(6, 1, 8, MPI_DOUBLE)", 11e4),
                form(FormKind::blockwise, "MPI_Type_create_hvector(6, 1, 64, MPI_DOUBLE)", 2e4)};
  return type;
}

std::string text_of(const MeasuredType& type) {
  std::ostringstream out;
  report_measurement(out, Style(Colour::never), job_of_a_column(), {"node7", "Open MPI v4.1.4", "mpicc", {type}});
  return out.str();
}

void expect_in(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << words << " is not in\n" << text;
}

TEST(MeasureReport, SaysHowManyTimesAsLongAsACopy) {
  const std::string text = text_of(column());
  expect_in(text, "Open MPI v4.1.4 on node7, compiled by mpicc, one process\n");
  expect_in(text, "1,000 copies, 48,000 bytes of data, 6 blocks each");
  expect_in(
      text,
      "T1 packs at 0.44 GB/s, 11 x slower than memcpy; as MPI_Type_create_hvector(6, 1, 64, MPI_DOUBLE) 2.0 x, by "
      "hand 3.0 x.");
}

TEST(MeasureReport, MarksWhatVariesAndLeavesOutWhatDoesNotApply) {
  const std::string text = text_of(column());
  expect_in(text, "~1.60  3.0 x");
  expect_in(text, "  the type    300 ns       -       0.44   11 x            -            -\n");
}

TEST(MeasureReport, TellsNoHostThatIsNotKnown) {
  std::ostringstream out;
  report_measurement(out, Style(Colour::never), job_of_a_column(), {"", "MPICH Version: 4.0.2", "mpicc", {column()}});
  expect_in(out.str(), "MPICH Version: 4.0.2, compiled by mpicc, one process\n");
}

TEST(MeasureReport, SaysWhyNot) {
  MeasuredType type;
  type.type = TypeNumber{1};
  type.why_not = "it has \x1b[1m no data.";
  const std::string text = text_of(type);
  expect_in(text, "Not measured: it has \\x1b[1m no data.");
  EXPECT_EQ(text.find("copies"), std::string::npos);
}

TEST(MeasureReport, TellsWrongDataOfEachForm) {
  MeasuredType type = column();
  type.forms[1].figures = {};
  type.forms[1].wrong_data = "MPI_Pack packs other bytes.";
  expect_in(text_of(type), "Wrong data, blockwise: MPI_Pack packs other bytes.");
}

TEST(MeasureReport, AnEmptyJobHasNothingToMeasure) {
  std::ostringstream out;
  report_measurement(out, Style(Colour::never), job_of_a_column(), {});
  EXPECT_EQ(out.str(), "There are no derived datatypes to measure.\n");
}

}  // namespace
}  // namespace ddtscope::reporters::report_measure_test
