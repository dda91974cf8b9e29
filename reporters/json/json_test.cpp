// The JSON shapes' values; the shapes themselves are validated by cli/schema_test.py.
#include "reporters/json/json.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "decoder/definition/combiner.h"
#include "decoder/testing/sanitizers.h"
#include "reporters/json/json_format.h"
#include "reporters/json/kept_measurements.h"
#include "reporters/json/pending_json.h"
#include "reporters/json/read_back.h"
#include "reporters/json/type_json.h"

namespace ddtscope::reporters::json_test {
namespace {

const std::filesystem::path golden = std::filesystem::path(DDTSCOPE_TESTDATA) / "v1" / "hand";

std::unique_ptr<Job> load() {
  const std::filesystem::path paths[] = {golden};
  return std::move(std::get<0>(load_job(paths)));
}

/// Each enum in which combiners stand.
void collect_combiners(const Json& schema, std::vector<std::set<std::string>>& found) {
  if (schema.is_array() && !schema.empty() && schema[0].is_string() &&
      schema[0].get<std::string>().starts_with("MPI_COMBINER_")) {
    found.push_back(schema.get<std::set<std::string>>());
  } else if (schema.is_structured()) {
    for (const Json& part : schema) collect_combiners(part, found);
  }
}

TEST(Schemas, NameEveryCombinerThatMakesTypes) {
  std::set<std::string> combiners;
  for (int i = 0; i < combiner_count; ++i) combiners.emplace(row_of(static_cast<Combiner>(i)).mpi_name);
  combiners.erase("MPI_COMBINER_NAMED");
  for (const char* name : {"trace/format/trace.schema.json", "json/types.schema.json"}) {
    std::ifstream file(std::filesystem::path(DDTSCOPE_TESTDATA).parent_path().parent_path() / name);
    std::vector<std::set<std::string>> found;
    collect_combiners(Json::parse(file), found);
    EXPECT_EQ(found, std::vector{combiners}) << name;
  }
}

/// What is told of many ranks that receive from any source: all in one loop, or each with a tag of its own.
class ManyWaitingRanks {
 public:
  enum class Tags { same, own };
  static constexpr std::int64_t size = ddtscope::test::has_sanitizer ? 2500 : 10000;
  static Json json(Tags tags) {
    const Job job{LibraryConstants{}};
    Analysis analysis(job);
    Symbols symbols;
    return pending_json(ReportContext{job, analysis, symbols}, waiting(tags));
  }

 private:
  static WaitingRanks waiting(Tags tags) {
    // No two of these are neighbours, so that they are no range.
    std::vector<Rank> all;
    for (std::int64_t rank = 0; rank < size; ++rank) all.push_back({{}, 2 * rank});
    const auto missing = std::make_shared<const std::vector<Rank>>(std::move(all));
    WaitingRanks waiting;
    for (std::int64_t rank = 0; rank < size; ++rank) {
      RankWaiting& one = waiting.ranks.emplace_back();
      one.rank = {{}, 2 * rank};
      one.state = RankState::waits;
      one.is_stuck = true;
      WaitingCall& call = one.calls.emplace_back();
      call.call = trace::PendingCall::message;
      Need& need = call.needs.emplace_back();
      need.has_channel = true;
      need.channel.peer = trace::pending_any;
      need.channel.tag = tags == Tags::own ? static_cast<std::int32_t>(rank) : 1;
      need.partner = Partner::none;
      need.missing = missing;
    }
    return waiting;
  }
};

TEST(PendingJson, GrowsWithTheRanksNotWithTheirPairs) {
  const Json alike = ManyWaitingRanks::json(ManyWaitingRanks::Tags::same);
  ASSERT_EQ(alike["ranks"].size(), 1u);
  EXPECT_EQ(alike["ranks"][0]["ranks"].size(), static_cast<std::size_t>(ManyWaitingRanks::size));
  EXPECT_EQ(alike["stuck"].size(), static_cast<std::size_t>(ManyWaitingRanks::size));
  EXPECT_LT(alike.dump().size(), 1U << 19);
  const Json each = ManyWaitingRanks::json(ManyWaitingRanks::Tags::own);
  EXPECT_EQ(each["ranks"].size(), static_cast<std::size_t>(ManyWaitingRanks::size));
  EXPECT_EQ(each["waited_for"].size(), 1u);
  EXPECT_LT(each.dump().size(), ManyWaitingRanks::size * 600);
}

TEST(PendingJson, NumbersTheListsOfRanksThatAreWaitedFor) {
  const Job job{LibraryConstants{}};
  Analysis analysis(job);
  Symbols symbols;
  const auto ranks = [](std::initializer_list<std::int64_t> numbers) {
    std::vector<Rank> all;
    for (const std::int64_t number : numbers) all.push_back({{}, number});
    return std::make_shared<const std::vector<Rank>>(std::move(all));
  };
  WaitingRanks waiting;
  const auto add = [&](std::int64_t number, std::shared_ptr<const std::vector<Rank>> missing) {
    RankWaiting& one = waiting.ranks.emplace_back();
    one.rank = {{}, number};
    Need& need = one.calls.emplace_back().needs.emplace_back();
    need.has_channel = true;
    need.missing = std::move(missing);
  };
  add(0, ranks({0, 1, 2, 4}));
  add(1, ranks({5}));
  add(2, nullptr);
  add(3, ranks({5}));  // the same ranks, in a list of its own
  waiting.ranks.push_back({.rank = {{}, 4}});
  const Json document = pending_json(ReportContext{job, analysis, symbols}, waiting);
  EXPECT_EQ(document["waited_for"], Json::parse("[[[0,2], [4,4]], [[5,5]]]"));
  ASSERT_EQ(document["ranks"].size(), 4u);
  EXPECT_EQ(document["ranks"][0]["calls"][0]["needs"][0]["waits_for"], 0);
  EXPECT_EQ(document["ranks"][1]["calls"][0]["needs"][0]["waits_for"], 1);
  EXPECT_EQ(document["ranks"][1]["ranks"], Json::parse("[[1,1], [3,3]]"));
  EXPECT_EQ(document["ranks"][2]["calls"][0]["needs"][0]["waits_for"], nullptr);
  EXPECT_EQ(document["ranks"][3]["calls"], Json::array());
}

TEST(JsonArrayWriter, WritesWhatWriteJsonDoes) {
  Json array = Json::array();
  for (const Json& element : {Json(), Json{{"a", 1}}, Json{{"b", {1, 2}}, {"c", {{"d", "e"}}}}}) {
    if (!element.is_null()) array.push_back(element);
    std::ostringstream at_once, one_by_one;
    write_json(at_once, array);
    JsonArrayWriter writer(one_by_one);
    for (const Json& each : array) writer.add(each);
    writer.end();
    EXPECT_EQ(one_by_one.str(), at_once.str());
  }
}

TEST(JsonObjectWriter, WritesWhatWriteJsonDoes) {
  for (const Json& list : {Json::array(), Json{Json{{"a", 1}}, Json{{"b", {1, 2}}, {"c", {{"d", "e"}}}}}}) {
    const Json object = {{"first", "x"}, {"list", list}, {"values", {1, {2, 3}}}, {"inner", {{"k", nullptr}}}};
    std::ostringstream at_once, one_by_one;
    write_json(at_once, object);
    JsonObjectWriter writer(one_by_one);
    for (const auto& [key, value] : object.items()) {
      if (key != "list") {
        writer.add(key, value);
        continue;
      }
      writer.add_array(key, [&](JsonArrayWriter& array) {
        for (const Json& each : list) array.add(each);
      });
    }
    writer.end();
    EXPECT_EQ(one_by_one.str(), at_once.str());
  }
}

TEST(JsonInteger, OutsideOf53BitsIsADecimalString) {
  EXPECT_EQ(json_integer(std::int64_t{9007199254740991}), Json(9007199254740991));
  EXPECT_EQ(json_integer(std::int64_t{9007199254740992}), Json("9007199254740992"));
  EXPECT_EQ(json_integer(std::int64_t{-9007199254740992}), Json("-9007199254740992"));
  EXPECT_EQ(json_count(UINT64_MAX), Json("18446744073709551615"));
  EXPECT_EQ(json_integer(Exact(Int128{1} << 100)), Json("1267650600228229401496703205376"));
  EXPECT_EQ(json_integer(Exact::unfit()), Json(nullptr));
}

TEST(WriteJson, EscapesWhatATerminalObeys) {
  std::ostringstream out;
  write_json(out, Json{{"\u009b", {"\x1b[31m", "a\u0080\x7f\u009f\u00a0"}}});
  EXPECT_EQ(out.str(), "{\n  \"\\u009b\": [\"\\u001b[31m\",\"a\\u0080\\u007f\\u009f\u00a0\"]\n}\n");
}

TEST(WriteJson, ReplacesWhatIsNoUtf8) {
  std::ostringstream out;
  write_json(out, Json{{"name",
                        "a\xff"
                        "b"}});
  EXPECT_EQ(out.str(),
            "{\n  \"name\": \"a\xef\xbf\xbd"
            "b\"\n}\n");
}

TEST(WriteJson, IsReadBackUnchanged) {
  const Json value = {{"empty", Json::array()},
                      {"object", Json::object()},
                      {"list", {1, "two", nullptr, {3, 4}}},
                      {"deep", {{{"a", {1}}}, {{"b", Json::array()}}}}};
  std::ostringstream out;
  write_json(out, value);
  EXPECT_EQ(Json::parse(out.str()), value);
}

TEST(TypeJson, GivesTheContractsMembers) {
  const auto job = load();
  Analysis analysis(*job);
  Symbols symbols;
  const Json type = type_json(*job, TypeNumber{2}, analysis, symbols);
  EXPECT_EQ(type["id"], "T2");
  EXPECT_EQ(type["names"], Json({"particle"}));
  EXPECT_EQ(type["constructor"], "MPI_Type_create_struct");
  EXPECT_EQ(type["envelope"]["num_addresses"], 2);
  EXPECT_EQ(type["contents"]["addresses"], Json({0, 8}));
  EXPECT_EQ(type["contents"]["datatypes"], Json({"MPI_INT", "T1"}));
  EXPECT_EQ(type["signature"], Json::parse(R"([["MPI_INT",1],["MPI_DOUBLE",12]])"));
  EXPECT_EQ(type["signature_truncated"], false);
  EXPECT_EQ(type["entries"], 13);
  EXPECT_EQ(type["blocks"], 6);
  EXPECT_EQ(type["overlap"], "no");
  EXPECT_EQ(type["undefined"], Json::array());
  EXPECT_EQ(type["true_ub"], 200);
  EXPECT_EQ(type["diagnosis"]["hole_bytes"], 100);
  EXPECT_FALSE(type.contains("typemap"));
  // INT at 0, two copies of T1 (extent 96) from 8 on: nothing that the libraries see differently.
  for (const char* rule : {"standard", "openmpi", "mpich"}) {
    EXPECT_EQ(type["bounds"][rule]["extent"], 200) << rule;
    EXPECT_EQ(type["bounds"][rule]["true_ub"], 200) << rule;
    EXPECT_EQ(type["bounds"][rule]["undefined"], Json::array()) << rule;
  }
  EXPECT_EQ(type["fingerprint"]["layout"].get<std::string>().size(), 32U);
  EXPECT_NE(type["fingerprint"]["layout"], type["fingerprint"]["signature"]);
  EXPECT_EQ(type["portable"]["value"], true);
  EXPECT_EQ(type["portable"]["reasons"], Json::array());
}

TEST(TypeJson, InstancesCarryRanksCountersAndTheCallSite) {
  const auto job = load();
  Analysis analysis(*job);
  Symbols symbols;
  const Json instances = type_json(*job, TypeNumber{1}, analysis, symbols)["instances"];
  ASSERT_EQ(instances.size(), 3U);
  EXPECT_EQ(instances[0]["ranks"], Json::parse("[[0,1]]"));
  EXPECT_EQ(instances[0]["created"], 15);
  EXPECT_EQ(instances[0]["live"], 1);
  EXPECT_EQ(instances[0]["binding"], "c");
  const Json& frame = instances[0]["call_site"][0];
  EXPECT_EQ(frame["function"], nullptr);
  EXPECT_EQ(frame["module"], "/nowhere/app");
  EXPECT_EQ(frame["build_id"], "00112233445566778899aabbccddeeff00112233");
  EXPECT_EQ(frame["offset"], 200);
  EXPECT_EQ(instances[2]["created"], nullptr);
  EXPECT_EQ(instances[2]["live"], nullptr);
}

TEST(TypeJson, LargeValuesAreStrings) {
  const auto job = load();
  Analysis analysis(*job);
  Symbols symbols;
  const Json type = type_json(*job, TypeNumber{3}, analysis, symbols);
  EXPECT_EQ(type["contents"]["large_counts"], Json({2, 1, "1152921504606846976"}));
  EXPECT_EQ(type["extent"], "1152921504606846980");
}

TEST(TypeJson, FindingsAreNamedAndAdvised) {
  const auto job = load();
  Analysis analysis(*job);
  Symbols symbols;
  const Json type = type_json(*job, TypeNumber{4}, analysis, symbols);  // MPI_Type_create_resized(MPI_DOUBLE, 0, 4)
  ASSERT_FALSE(type["findings"].empty());
  EXPECT_EQ(type["findings"][0]["id"], "copies-overlap");
  EXPECT_EQ(type["findings"][0]["severity"], "warning");
  EXPECT_FALSE(type["findings"][0]["advice"].get<std::string>().empty());
}

TEST(TypeJson, SpanSaysWhatCopiesNeed) {
  const auto job = load();
  Json object;
  add_span(object, *job, TypeNumber{1}, 3);
  EXPECT_EQ(object["span"], Json::parse(R"({"count":3,"first":0,"end":288,"bytes":288})"));
  add_span(object, *job, TypeNumber{1}, 0);
  EXPECT_EQ(object["span"], Json::parse(R"({"count":0,"first":0,"end":0,"bytes":0})"));
}

TEST(TypeJson, TheRunningLibrarysRuleStandsBesideWhatItReported) {
  // The file has 4 as the extent of T4 in a job of Open MPI; a rule that reports otherwise shows it.
  const auto job = load();
  Analysis analysis(*job);
  Symbols symbols;
  const Json type = type_json(*job, TypeNumber{4}, analysis, symbols);
  EXPECT_EQ(type["extent"], 4);
  EXPECT_EQ(type["bounds"]["openmpi"]["extent"], 4);
  EXPECT_EQ(type["bounds"]["openmpi"]["true_ub"], 8);
}

TEST(TypesJson, AreTheSameInWindowsAndInAnyOrder) {
  const auto job = load();
  Symbols symbols;
  Analysis whole(*job);
  Analysis in_windows(*job, {.types_of_one = 0, .types_of_several = 2});
  for (const TypesOrder order : {TypesOrder::id, TypesOrder::size}) {
    std::ostringstream wanted, given;
    JsonFormat().types(wanted, {*job, whole, symbols}, order);
    JsonFormat().types(given, {*job, in_windows, symbols}, order);
    EXPECT_EQ(given.str(), wanted.str());
    const Json types = Json::parse(given.str());
    ASSERT_EQ(types.size(), job->types.size());
    for (const Json& type : types) {
      const TypeNumber number{static_cast<std::uint32_t>(std::stoul(type["id"].get<std::string>().substr(1)))};
      EXPECT_EQ(type, type_json(*job, number, whole, symbols));
    }
  }
}

TEST(Typemap, IsInTheStandardsOrderAndSaysWhereItIsCut) {
  const auto job = load();
  Analysis analysis(*job);
  Symbols symbols;
  Json type = type_json(*job, TypeNumber{2}, analysis, symbols);
  add_typemap(type, *job, TypeNumber{2}, 4);
  EXPECT_EQ(type["typemap"], Json::parse(R"([["MPI_INT",0],["MPI_DOUBLE",8],["MPI_DOUBLE",16],["MPI_DOUBLE",48]])"));
  EXPECT_EQ(type["typemap_truncated"], true);
  add_typemap(type, *job, TypeNumber{2}, 13);
  EXPECT_EQ(type["typemap_truncated"], false);
  EXPECT_EQ(type["typemap"].back(), Json::parse(R"(["MPI_DOUBLE",192])"));
}

TEST(SummaryJson, CountsTheJob) {
  const auto job = load();
  Analysis analysis(*job);
  Symbols symbols;
  const Json summary = test::summary_json(*job, analysis, symbols);
  EXPECT_EQ(summary["complete"], false);
  EXPECT_EQ(summary["missing_ranks"], Json({3}));
  EXPECT_FALSE(summary.contains("worlds"));
  EXPECT_EQ(summary["definitions"], 5);
  EXPECT_EQ(summary["live"], 6);
  EXPECT_EQ(summary["most_made"][0]["id"], "T1");
  EXPECT_EQ(summary["most_made"][0]["names"][0], "half");
  EXPECT_EQ(summary["never_freed"][0]["names"].size(), 1U);
  EXPECT_EQ(summary["never_committed"][0]["id"], "T3");
  EXPECT_EQ(summary["findings"]["errors"], 0);
  EXPECT_GE(summary["findings"]["warnings"], 1);
}

TEST(CheckJson, NamesTheModelThatExplainsADifference) {
  const std::filesystem::path paths[] = {golden.parent_path() / "known_bounds_mpich"};
  const auto job = std::move(std::get<0>(load_job(paths)));
  Analysis analysis(*job);
  Symbols symbols;
  const Json check = test::check_json(*job, analysis, symbols);
  ASSERT_EQ(check["differences"].size(), 2U);
  EXPECT_EQ(check["differences"][0]["computed"], 8);
  EXPECT_EQ(check["differences"][0]["library"], 0);
  EXPECT_EQ(check["differences"][0]["explained"], "MPICH 4.0.2");
  const Json summary = test::summary_json(*job, analysis, symbols);
  EXPECT_EQ(summary["differences"], 0);
  EXPECT_EQ(summary["explained_differences"], 2);
}

TEST(TypeJson, SaysWhoseBoundsTheseAre) {
  const std::filesystem::path paths[] = {golden.parent_path() / "known_bounds_mpich"};
  const auto job = std::move(std::get<0>(load_job(paths)));
  Symbols symbols;
  const auto versions = [&] {
    Analysis analysis(*job);
    EXPECT_EQ(test::check_json(*job, analysis, symbols)["unmodelled"],
              type_json(*job, TypeNumber{3}, analysis, symbols)["bounds_versions"]["unmodelled"]);
    return type_json(*job, TypeNumber{3}, analysis, symbols)["bounds_versions"];
  };
  EXPECT_EQ(versions(), (Json{{"openmpi", "6.0.0rc2"}, {"mpich", "4.0.2"}, {"unmodelled", nullptr}}));
  job->ranks.front().header.library_version = "MPICH Version: 3.4.3\n";
  EXPECT_EQ(
      versions(),
      (Json{{"openmpi", "6.0.0rc2"},
            {"mpich", "4.0.2"},
            {"unmodelled", "MPICH 3.4.3 is older than what ddtscope models: the rule of MPICH 4.0.2 is taken."}}));
}

TEST(CheckJson, HasDifferencesAndFindingsOfTypesAndOfTheJob) {
  const auto job = load();
  Analysis analysis(*job);
  Symbols symbols;
  const Json check = test::check_json(*job, analysis, symbols);
  EXPECT_EQ(check["verified"], true);
  ASSERT_EQ(check["differences"].size(), 2U);
  EXPECT_EQ(check["differences"][0]["computed"], 8);
  EXPECT_EQ(check["differences"][0]["library"], 4);
  EXPECT_EQ(check["differences"][1]["library"], "undefined");
  EXPECT_EQ(check["differences"][0]["explained"], nullptr);
  EXPECT_EQ(check["differences"][0]["names"], Json({"half"}));
  EXPECT_EQ(check["findings"][0]["names"], Json({"half"}));
  EXPECT_EQ(check["never_committed"][0]["names"].size(), 1U);
  ASSERT_FALSE(check["findings"].empty());
  EXPECT_EQ(check["findings"][0]["type"], "T4");
  EXPECT_EQ(check["findings"][0]["id"], "copies-overlap");
  EXPECT_EQ(check["findings"][0]["argument"], nullptr);
  EXPECT_EQ(check["findings"][0]["other"], nullptr);
  EXPECT_EQ(check["findings"][0]["aliases"], Json::array());
  EXPECT_EQ(check["left_out"], Json::parse(R"({"ignored":0,"suppressed":0})"));
  const auto leak = std::find_if(check["findings"].begin(), check["findings"].end(),
                                 [](const Json& finding) { return finding["id"] == "never-freed"; });
  ASSERT_NE(leak, check["findings"].end());
  EXPECT_EQ((*leak)["aliases"], Json({"MUST_ERROR_LEAK_DATATYPE"}));
  EXPECT_EQ((*leak)["called"], "MPI_Type_vector");
  EXPECT_EQ((*leak)["ranks"], Json::parse("[[0,0]]"));
}

/// The types' figures that were kept in the folder, by key.
std::map<std::string, Json> kept_in(const std::filesystem::path& folder) {
  std::ifstream file(folder / measured_file_name);
  const Json document = Json::parse(file);
  std::map<std::string, Json> kept;
  for (const Json& type : document.at("types")) kept[type.at("key")] = type;
  return kept;
}

std::filesystem::path empty_folder(const char* name) {
  std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  return folder;
}

bool keep(const std::filesystem::path& folder, const Job& job, std::uint32_t number, std::int64_t copies) {
  const Figure figure{.median_ns = 100, .spread = 0.1, .samples = 3};
  MeasuredType type;
  type.type = TypeNumber{number};
  type.copies = copies;
  type.plain = {.copy = figure, .pack = figure, .unpack = figure, .send = figure};
  type.forms.emplace_back().figures.pack = figure;
  return !keep_measurement(folder, job, {"host", "library", "cc", {type}});
}

TEST(KeptMeasurements, OfProcessesThatKeepAtOnceAllStay) {
  const auto job = load();
  const std::filesystem::path folder = empty_folder("ddtscope-kept-at-once");
  constexpr std::uint32_t types = 4;
  for (int round = 0; round < 20; ++round) {
    std::filesystem::remove(folder / measured_file_name);
    std::vector<pid_t> children;
    for (std::uint32_t number = 1; number <= types; ++number) {
      const pid_t child = fork();
      if (child == 0) _exit(keep(folder, *job, number, 1) ? 0 : 1);
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0);
    }
    ASSERT_EQ(kept_in(folder).size(), types) << "round " << round;
  }
}

TEST(KeptMeasurements, OfOtherTypesStayAsTheyWere) {
  const auto job = load();
  const std::filesystem::path folder = empty_folder("ddtscope-kept-measurements");
  const auto measure = [&](std::uint32_t number, std::int64_t copies) {
    EXPECT_TRUE(keep(folder, *job, number, copies));
  };
  measure(1, 10);
  measure(2, 20);
  // One of another job, with a member that a later release may have put there.
  const std::string keys[] = {key_text(job->types[0].key), key_text(job->types[1].key), "0000000000000abc"};
  Json document = Json::parse(std::ifstream(folder / measured_file_name));
  Json other = document["types"][0];
  other["key"] = keys[2];
  other["later"] = {1.5, "x"};
  document["types"].push_back(other);
  std::ofstream(folder / measured_file_name) << document;
  const auto before = kept_in(folder);
  measure(2, 30);
  const auto after = kept_in(folder);
  EXPECT_EQ(after.size(), 3u);
  EXPECT_EQ(after.at(keys[0]), before.at(keys[0]));
  EXPECT_EQ(after.at(keys[1])["copies"], 30);
  EXPECT_EQ(after.at(keys[2]), other);
  std::vector<KeptMeasurement> kept;
  EXPECT_EQ(read_kept_measurements(folder, *job, kept), std::nullopt);
  EXPECT_EQ(kept.size(), 2u);
  std::filesystem::remove_all(folder);
}

/// A disk may have been full.
TEST(KeptMeasurements, AreCopiedAsTheyAreAlsoWhereNothingIsInThem) {
  const std::filesystem::path from = empty_folder("ddtscope-kept-from");
  const std::filesystem::path to = empty_folder("ddtscope-kept-to");
  EXPECT_FALSE(copy_kept_measurements(from, to));
  EXPECT_FALSE(std::filesystem::exists(to / measured_file_name));
  for (const std::string text : {"", "{\"cut", "x\ny\n"}) {
    std::ofstream(from / measured_file_name) << text;
    EXPECT_FALSE(copy_kept_measurements(from, to)) << text;
    std::ostringstream copied;
    copied << std::ifstream(to / measured_file_name).rdbuf();
    EXPECT_EQ(copied.str(), text);
  }
  std::filesystem::remove_all(from);
  std::filesystem::remove_all(to);
}

}  // namespace
}  // namespace ddtscope::reporters::json_test
