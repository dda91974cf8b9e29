// What stands in a page, and the arrays that pictures are drawn as. What a browser makes of it: page_test.py.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <sstream>

#include "reporters/html/array_shape.h"
#include "reporters/html/assets.h"
#include "reporters/html/markup.h"
#include "reporters/html/report.h"

namespace ddtscope::reporters::html_test {
namespace {

std::string html(std::string_view text) {
  std::ostringstream out;
  out << Text{text};
  return out.str();
}

TEST(Markup, IsTextWhateverItSays) {
  EXPECT_EQ(html("<b a='1' c=\"2\">&amp;</b>"), "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;&lt;/b&gt;");
  EXPECT_EQ(html("a\x1b[1m\n"), "a\\x1b[1m\\x0a");
}

TEST(Markup, LetsNoJsonEndItsScript) {
  const Json value = {{"name", "</script><!-- <b>"}};
  const std::string text = json_in_script(value);
  EXPECT_EQ(text.find_first_of("<>"), std::string::npos) << text;
  EXPECT_EQ(Json::parse(text), value);
}

TEST(Assets, AreWholeAndNamedByTheirHashes) {
  EXPECT_NE(report_script.find("class Layout"), std::string_view::npos);
  EXPECT_NE(report_style.find("@media print"), std::string_view::npos);
  EXPECT_EQ(report_script_hash.size(), 51U);  // "sha256-" and 44 characters
  EXPECT_TRUE(report_style_hash.ends_with("="));
}

std::unique_ptr<Job> load(const char* trace) {
  const std::filesystem::path paths[] = {std::filesystem::path(DDTSCOPE_TESTDATA) / "v1" / trace};
  return std::move(std::get<0>(load_job(paths)));
}

TEST(Report, SaysThatNobodyWantedCallSites) {
  const auto job = load("demo_halo_openmpi");
  Analysis analysis(*job);
  Symbols symbols;
  const auto page = [&] {
    std::ostringstream out;
    write_html_report(out, {*job, analysis, symbols});
    return out.str();
  };
  const std::string told = "call sites; DDTSCOPE_STACK was 0";
  EXPECT_EQ(page().find(told), std::string::npos);
  for (JobRank& rank : job->ranks) rank.header.stack_depth = 0;
  EXPECT_NE(page().find(told), std::string::npos);
}

/// "strides 3 x 5 of 8 at 0"
std::string shape(const Job& job, std::uint32_t number) {
  const DefinitionId id = job.type(TypeNumber{number}).definition;
  const StridedRuns runs = strided_runs(job.layouts, job.layouts.root(id), 1000);
  const ArrayShape shape = array_shape_of(job, TypeNumber{number}, runs);
  std::string text(shape.from);
  for (const Exact size : shape.sizes) text += " " + size.to_string();
  return text + " of " + shape.cell.to_string() + " at " + shape.origin.to_string();
}

TEST(ArrayShape, IsTheArrayThatTheProgramHas) {
  const auto halo = load("demo_halo_openmpi");
  EXPECT_EQ(shape(*halo, 1), "array 10 12 of 8 at 0");    // subarray of double[10][12]
  EXPECT_EQ(shape(*halo, 2), "strides 10 12 of 8 at 0");  // a column of it: its last row is not whole
  EXPECT_EQ(shape(*halo, 4), "strides 8 8 of 8 at 0");    // a triangle: blocks end, not begin, under one another
  EXPECT_EQ(shape(*halo, 3), "memory 1 64 of 1 at 0");    // a struct
  const auto hand = load("hand");
  EXPECT_EQ(shape(*hand, 1), "strides 3 5 of 8 at 0");
  EXPECT_EQ(shape(*hand, 3), "memory 18014398509481985 64 of 1 at 0");  // rows of 2^60 bytes would say nothing
}

}  // namespace
}  // namespace ddtscope::reporters::html_test
