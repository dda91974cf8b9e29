// The text of JSON values, read back by another program's eyes: nlohmann/json.
#include "reporters/trace/write/json_line.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace ddtscope::trace::json_line_test {
namespace {

using nlohmann::json;

json parsed(const JsonLine& line) { return json::parse(line.text()); }

template <class Integer>
json compact(const std::vector<Integer>& values) {
  JsonLine line;
  line.begin_array().compact_elements(IntegerArray(std::span<const Integer>(values))).end_array();
  return parsed(line);
}

std::vector<std::int64_t> expanded(const json& elements) {
  const auto value_of = [](const json& value) {
    return value.is_string() ? std::stoll(value.get<std::string>()) : value.get<std::int64_t>();
  };
  std::vector<std::int64_t> values;
  for (const json& element : elements) {
    if (!element.is_array()) {
      values.push_back(value_of(element));
      continue;
    }
    for (std::int64_t k = 0; k < value_of(element[2]); ++k)
      values.push_back(value_of(element[0]) + k * value_of(element[1]));
  }
  return values;
}

TEST(JsonLine, SetsCommasAndNesting) {
  JsonLine line;
  line.begin_object()
      .key("a")
      .integer(1)
      .key("b")
      .begin_array()
      .integer(2)
      .begin_array()
      .end_array()
      .null()
      .end_array();
  line.key("c").boolean(true).end_object();
  EXPECT_EQ(line.text(), R"({"a":1,"b":[2,[],null],"c":true})");
}

TEST(JsonLine, EscapesWhatJsonForbids) {
  JsonLine line;
  line.string(std::string("a\"b\\c\x1b[31m\n\x7f") + '\0' + "z");
  EXPECT_EQ(line.text(), R"("a\"b\\c\u001b[31m\u000a\u007f\u0000z")");
}

TEST(JsonLine, EscapesWhatATerminalObeys) {
  JsonLine line;
  line.string("a\u0080b\u009b31mc\u00a0\u00c2");
  EXPECT_EQ(line.text(), "\"a\\u0080b\\u009b31mc\u00a0\u00c2\"");
}

TEST(JsonLine, ReplacesBytesThatAreNotUtf8) {
  JsonLine line;
  line.begin_array()
      .string("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80")
      .string("\xFF\xC3(\xED\xA0\x80\xC0\xAF")
      .end_array();
  EXPECT_EQ(parsed(line)[0], "gr\u00fc\u00df \u20ac \U0001F600");
  EXPECT_EQ(parsed(line)[1], "\uFFFD\uFFFD(\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST(JsonLine, WritesIntegersBeyondTheSafeRangeAsText) {
  JsonLine line;
  line.begin_array()
      .integer(9007199254740991)
      .integer(9007199254740992)
      .integer(-9007199254740992)
      .integer(INT64_MIN)
      .end_array();
  EXPECT_EQ(line.text(), R"([9007199254740991,"9007199254740992","-9007199254740992","-9223372036854775808"])");
}

TEST(JsonLine, WritesExactValuesBeyond64BitsAndNullWhereTheyDoNotFit) {
  JsonLine line;
  line.begin_array().exact(Exact(INT64_MAX) * 4).exact(Exact::unfit()).exact(-3).end_array();
  EXPECT_EQ(line.text(), R"(["36893488147419103228",null,-3])");
}

TEST(CompactArray, AConstantStepIsARun) {
  std::vector<std::int32_t> values;
  for (int i = 0; i < 100; ++i) values.push_back(7 - 3 * i);
  EXPECT_EQ(compact(values), json::parse("[[7,-3,100]]"));
}

TEST(CompactArray, ShortArraysStayPlain) {
  EXPECT_EQ(compact(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7}), json::parse("[1,2,3,4,5,6,7]"));
}

TEST(CompactArray, ARunStandsBetweenSingles) {
  EXPECT_EQ(compact(std::vector<std::int32_t>{9, 0, 5, 5, 5, 5, 5, 5, 5, 5, 1}), json::parse("[9,0,[5,0,8],1]"));
}

TEST(CompactArray, StepsThatDoNotFitAreNoRun) {
  const std::vector<std::int64_t> values(10, 0);
  std::vector<std::int64_t> extremes;
  for (int i = 0; i < 10; ++i) extremes.push_back(i % 2 == 0 ? INT64_MIN : INT64_MAX);
  EXPECT_EQ(expanded(compact(extremes)), extremes);
  EXPECT_EQ(expanded(compact(values)), values);
}

TEST(CompactArray, EveryArrayIsReadBackExactly) {
  std::mt19937 random(20261121);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::int64_t> values;
    while (below(6) != 0) {
      const std::int64_t first = below(3) == 0 ? static_cast<std::int64_t>(random()) << 31 : below(100) - 50;
      const std::int64_t step = below(5) - 2;
      const int length = below(20);
      for (int k = 0; k < length; ++k) values.push_back(first + step * k);
    }
    const json elements = compact(values);
    EXPECT_EQ(expanded(elements), values) << "round " << round << ": " << elements;
  }
}

TEST(JsonLine, IntegersAreWrittenAsTheyAre) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = -20; value <= 12000; ++value) values.push_back(value);
  for (std::int64_t power = 10; power < largest_plain_integer; power *= 10) {
    for (const std::int64_t value : {power - 1, power, power + 1}) values.insert(values.end(), {value, -value});
  }
  for (const std::int64_t value : values) {
    JsonLine line;
    line.integer(value);
    EXPECT_EQ(line.text(), std::to_string(value));
  }
}

TEST(JsonLine, WordsStandWhereStringsDo) {
  JsonLine words, strings;
  words.begin_object().key("a").begin_array().word("b").word("").word("MPI_INT").end_array().key("c").word("d");
  strings.begin_object().key("a").begin_array().string("b").string("").string("MPI_INT").end_array();
  strings.key("c").string("d");
  EXPECT_EQ(words.end_object().text(), strings.end_object().text());
  EXPECT_EQ(parsed(words), (json{{"a", {"b", "", "MPI_INT"}}, {"c", "d"}}));
}

}  // namespace
}  // namespace ddtscope::trace::json_line_test
