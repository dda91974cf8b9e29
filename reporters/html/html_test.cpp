// What stands in a page, and the arrays that pictures are drawn as. What a browser makes of it: page_test.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>

#include "reporters/html/array_shape.h"
#include "reporters/html/assets.h"
#include "reporters/html/markup.h"
#include "reporters/html/report.h"
#include "reporters/model/job_of_text.h"

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

std::string page_of(const Job& job) {
  Analysis analysis(job);
  Symbols symbols;
  std::ostringstream out;
  write_html_report(out, {job, analysis, symbols});
  return out.str();
}

TEST(Report, SaysThatNobodyWantedCallSites) {
  const auto job = load("demo_halo_openmpi");
  const std::string told = "call sites; DDTSCOPE_STACK was 0";
  EXPECT_EQ(page_of(*job).find(told), std::string::npos);
  for (JobRank& rank : job->ranks) rank.header.stack_depth = 0;
  EXPECT_NE(page_of(*job).find(told), std::string::npos);
}

TEST(Report, SaysWhereNotAllThatWasMadeIsCounted) {
  const std::string page = page_of(*load("hand"));  // rank 2 was killed
  EXPECT_NE(page.find("app+0xc8</th><td class=\"n\">17+?</td><td class=\"n\">?</td>"), std::string::npos);
  EXPECT_NE(page.find("called from app+0x64</th><td class=\"n\">4</td><td class=\"n\">0</td>"), std::string::npos);
}

/// All that stands between the two.
std::set<std::string> all_between(const std::string& text, std::string_view before, char after) {
  std::set<std::string> found;
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
    at += before.size();
    found.insert(text.substr(at, text.find(after, at) - at));
  }
  return found;
}

/// A struct of many different types, none of which anything alarming is told of; the last but the struct is empty.
std::string many_types(int number) {
  std::string lengths, displacements, types;
  for (int i = 1; i <= number; ++i) {
    const char* separator = i == 1 ? "" : ", ";
    lengths += separator + std::string("1");
    displacements += separator + std::to_string(i * 65536);
    types += separator + ("MPI_Type_contiguous(" + std::to_string(i == number ? 0 : i) + ", MPI_INT)");
  }
  return "MPI_Type_create_struct(" + std::to_string(number) + ", {" + lengths + "}, {" + displacements + "}, {" +
         types + "})";
}

TEST(Report, LinksToTypesThatItHasRowsOf) {
  const auto made = job_of_text(many_types(2600), BoundsRule::openmpi);
  ASSERT_TRUE(std::holds_alternative<JobOfText>(made));
  const Job& job = *std::get<JobOfText>(made).job;
  ASSERT_EQ(job.types.size(), 2601U);
  const std::string page = page_of(job);
  EXPECT_NE(page.find("Of 2,601 definitions these 2,500 stand here"), std::string::npos);
  EXPECT_NE(page.find("<th scope=\"row\">T2600</th>"), std::string::npos);  // it is empty
  const std::set<std::string> rows = all_between(page, "<tr id=\"T", '"');
  EXPECT_EQ(rows.size(), 2500U);
  const std::set<std::string> links = all_between(page, "href=\"#T", '"');
  EXPECT_FALSE(links.empty());
  EXPECT_TRUE(std::includes(rows.begin(), rows.end(), links.begin(), links.end()));
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
