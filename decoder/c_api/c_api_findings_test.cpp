// Findings, portability and simpler types through the C API: that they are there, about the right type, under the right
// rule. What is found in which type is tested with the decoder.
#include <algorithm>
#include <set>

#include "decoder/c_api/c_api_fixture.h"

namespace ddtscope::test::c_api_findings_test {
namespace {

constexpr int standard = DDTSCOPE_RULE_STANDARD;
constexpr int observed = DDTSCOPE_RULE_OBSERVED;

class CApiFindings : public CApi {
 protected:
  std::vector<ddtscope_finding> findings(ddtscope_datatype of, int rule = standard) {
    std::size_t number = 99;
    EXPECT_EQ(ddtscope_get_findings(context, of, rule, 0, nullptr, &number), DDTSCOPE_SUCCESS)
        << ddtscope_error_message(context);
    std::vector<ddtscope_finding> got(number);
    EXPECT_EQ(ddtscope_get_findings(context, of, rule, number, got.data(), &number), DDTSCOPE_SUCCESS);
    EXPECT_EQ(number, got.size());
    return got;
  }
  /// "entries-overlap simpler-type"
  std::string ids(ddtscope_datatype of, int rule = standard) {
    std::string result;
    for (const ddtscope_finding& finding : findings(of, rule)) {
      result += (result.empty() ? "" : " ") + std::string(finding.kind->id);
    }
    return result;
  }
  std::string simpler(ddtscope_datatype of, int rule = standard) {
    return text(ddtscope_simpler_text, context, of, rule);
  }
  ddtscope_datatype normal_form(ddtscope_datatype of, int rule = standard) {
    ddtscope_datatype result = DDTSCOPE_DATATYPE_NULL;
    EXPECT_EQ(ddtscope_type_normal_form(context, of, rule, &result), DDTSCOPE_SUCCESS)
        << ddtscope_error_message(context);
    return result;
  }
};

TEST_F(CApiFindings, AreToldWithTheTypesOwnNumbersErrorsFirst) {
  // Rows of 4 ints, every 2 ints: some bytes are touched twice.
  const std::vector<ddtscope_finding> got = findings(parsed("U1(V:i:3:4:2)"));
  ASSERT_EQ(got.size(), 1U);
  EXPECT_STREQ(got[0].kind->id, "entries-overlap");
  EXPECT_EQ(got[0].severity, DDTSCOPE_SEVERITY_WARNING);
  EXPECT_NE(std::string(got[0].message).find("byte 8"), std::string::npos) << got[0].message;
  EXPECT_STRNE(got[0].advice, "");
  EXPECT_EQ(ids(named("MPI_INT")), "");

  const std::vector<ddtscope_finding> huge = findings(parsed("U1(C:V:U2(C:4611686018427387904b):4:1:1)"));
  EXPECT_TRUE(std::is_sorted(huge.begin(), huge.end(), [](const ddtscope_finding& a, const ddtscope_finding& b) {
    return a.severity > b.severity;
  }));
  ASSERT_GE(huge.size(), 2U);
  EXPECT_STREQ(huge[0].kind->id, "exceeds-int");
  EXPECT_EQ(huge[0].severity, DDTSCOPE_SEVERITY_ERROR);
}

TEST_F(CApiFindings, OnlyAsManyAsThereIsRoomForAreWritten) {
  type = parsed("U1(C:V:U2(C:4611686018427387904b):4:1:1)");
  ddtscope_finding one[2] = {};
  std::size_t number = 0;
  EXPECT_EQ(ddtscope_get_findings(context, type, standard, 1, one, &number), DDTSCOPE_SUCCESS);
  EXPECT_GE(number, 2U);
  EXPECT_NE(one[0].kind, nullptr);
  EXPECT_EQ(one[1].kind, nullptr);
}

TEST_F(CApiFindings, CallTypesByTheirNames) {
  const ddtscope_datatype inner = parsed("U1(HX:d:2:1/0,1/12)");
  ddtscope_type_set_name(context, inner, "two doubles");
  bool is_named = false;
  for (const ddtscope_finding& finding : findings(inner)) {
    is_named = is_named || std::string(finding.advice).find("two doubles") != std::string::npos;
  }
  EXPECT_TRUE(is_named);
}

TEST_F(CApiFindings, FollowTheRule) {
  // Copies of two doubles at 0 and 12 stand 24 bytes apart by the standard, 20 in MPICH.
  type = parsed("U1(HX:d:2:1/0,1/12)");
  const std::string by_standard = ids(type);
  const std::string in_mpich = ids(type, DDTSCOPE_RULE_MPICH);
  EXPECT_EQ(by_standard.find("library-disagrees"), std::string::npos) << by_standard;
  EXPECT_NE(in_mpich.find("library-disagrees"), std::string::npos) << in_mpich;
}

TEST_F(CApiFindings, OfAJobSayWhatTheLibraryAnswered) {
  type = parsed("U1(HX:d:2:1/0,1/12)");
  const ddtscope_datatype other = parsed("U1(V:i:2:1:3)");
  ddtscope_bounds said{};
  said.extent = ddtscope_integer_of(20);
  ASSERT_EQ(ddtscope_observe_bounds(context, type, &said), DDTSCOPE_SUCCESS);
  std::string message;
  for (const ddtscope_finding& finding : findings(type, observed)) {
    if (std::string(finding.kind->id) == "library-disagrees") message = finding.message;
  }
  // Nothing is said of the bounds that were not given.
  EXPECT_EQ(message, "The library answers: extent 20 (by the standard 24). So does MPICH 5.0.2 as ddtscope knows it.");
  EXPECT_EQ(ddtscope_observe_bounds(context, type, &said), DDTSCOPE_ERR_OTHER);
  // They take account of all types.
  EXPECT_EQ(ddtscope_observe_bounds(context, other, &said), DDTSCOPE_ERR_OTHER);
}

TEST_F(CApiFindings, TypesThatAreMadeLaterHaveASay) {
  // A matrix column: its copies are of no use until it is resized, and its bounds are a step on the way then.
  type = parsed("U1(Z:i:0:2)");
  const std::vector<ddtscope_finding> before = findings(type);
  ASSERT_FALSE(before.empty());
  EXPECT_STREQ(before[0].kind->id, "copies-overlap");
  EXPECT_EQ(before[0].severity, DDTSCOPE_SEVERITY_WARNING);
  parsed("U1(Z:U2(Z:i:0:2):0:4)");
  for (const ddtscope_finding& finding : findings(type)) EXPECT_EQ(finding.severity, DDTSCOPE_SEVERITY_NOTE);
}

TEST_F(CApiFindings, EveryKindIsExplained) {
  std::set<std::string> seen;
  for (std::size_t i = 0; const ddtscope_finding_kind* kind = ddtscope_finding_kind_at(i); ++i) {
    EXPECT_TRUE(seen.insert(kind->id).second) << kind->id;
    EXPECT_EQ(ddtscope_find_finding_kind(kind->id), kind);
    EXPECT_STRNE(ddtscope_severity_name(kind->severity), "");
    EXPECT_GT(std::string(kind->title).size(), 5U);
    EXPECT_GT(std::string(kind->explanation).size(), 100U);
    EXPECT_NE(std::string(kind->example).find("MPI_"), std::string::npos);
  }
  EXPECT_EQ(seen.size(), 44U);
  EXPECT_EQ(ddtscope_find_finding_kind("no-such"), nullptr);
  EXPECT_EQ(ddtscope_find_finding_kind(nullptr), nullptr);
  EXPECT_EQ(ddtscope_finding_kind_at(SIZE_MAX), nullptr);
  EXPECT_STREQ(ddtscope_severity_name(DDTSCOPE_SEVERITY_WARNING), "warning");
  EXPECT_STREQ(ddtscope_severity_name(-1), "");
  EXPECT_STREQ(ddtscope_severity_name(3), "");
}

TEST_F(CApiFindings, PortabilityGivesItsReasons) {
  ddtscope_portability portability{};
  const char* reasons[4] = {};
  std::size_t number = 99;
  EXPECT_EQ(ddtscope_get_portability(context, parsed("U1(V:d:3:1:2)"), &portability, 4, reasons, &number),
            DDTSCOPE_SUCCESS);
  EXPECT_EQ(portability.is_portable, 1);
  EXPECT_EQ(portability.moves_data, 0);
  EXPECT_EQ(number, 0U);

  EXPECT_EQ(ddtscope_get_portability(context, parsed("U1(HX:d:2:1/0,1/12)"), &portability, 4, reasons, &number),
            DDTSCOPE_SUCCESS);
  EXPECT_EQ(portability.is_portable, 0);
  EXPECT_EQ(portability.moves_data, 1);
  EXPECT_EQ(portability.moves_entries, 0);
  ASSERT_EQ(number, 1U);
  EXPECT_STREQ(reasons[0], "The extent is 24 by MPI-4.1 and in Open MPI 4.1 to 6.0, 20 in MPICH 4.0 to 5.0.");

  EXPECT_EQ(ddtscope_get_portability(context, parsed("U1(2U2(HX:d:2:1/0,1/12))"), &portability, 0, nullptr, &number),
            DDTSCOPE_SUCCESS);
  EXPECT_EQ(portability.moves_entries, 1);
  EXPECT_GE(number, 1U);
}

TEST_F(CApiFindings, ASimplerCallIsGivenWhereThereIsOne) {
  EXPECT_EQ(simpler(parsed("U1(V:i:2:3:3)")), "MPI_Type_contiguous(6, MPI_INT)");
  EXPECT_EQ(simpler(parsed("U1(V:i:2:3:4)")), "");
  EXPECT_EQ(simpler(parsed("U1(1d)")), "MPI_DOUBLE");
  EXPECT_EQ(simpler(named("MPI_DOUBLE")), "");
}

TEST_F(CApiFindings, TheNormalFormIsATypeOfTheContext) {
  EXPECT_EQ(normal_form(parsed("U1(V:i:2:3:3)")), parsed("U1(6i)"));
  EXPECT_EQ(normal_form(parsed("U1(D:U2(1d))")), named("MPI_DOUBLE"));
  type = parsed("U1(V:i:2:3:4)");
  EXPECT_EQ(normal_form(type), type);
  // With oldtypes in normal form, which simpler_text() leaves to the oldtype.
  const ddtscope_datatype outer = parsed("U1(XB:U2(V:U3(FR:6:37):2:1:3):3:1:0,2,5)");
  EXPECT_EQ(normal_form(outer), outer);
  const ddtscope_datatype wrapped = parsed("U1(XB:U2(XB:U3(FR:6:37):2:1:0,3):3:1:0,2,5)");
  EXPECT_EQ(normal_form(wrapped), outer);
  EXPECT_EQ(simpler(wrapped), "");
}

TEST_F(CApiFindings, BadInputIsRefused) {
  type = parsed("U1(V:i:3:4:2)");
  std::size_t number = 0;
  ddtscope_finding finding{};
  ddtscope_portability portability{};
  EXPECT_EQ(refused(ddtscope_get_findings(context, type, 4, 1, &finding, &number)),
            "MPI_ERR_ARG ddtscope_get_findings: rule (4) is none");
  EXPECT_EQ(ddtscope_get_findings(context, none, standard, 1, &finding, &number), DDTSCOPE_ERR_TYPE);
  EXPECT_EQ(ddtscope_get_findings(context, type, standard, 1, nullptr, &number), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_get_findings(context, type, standard, 1, &finding, nullptr), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_get_findings(nullptr, type, standard, 1, &finding, &number), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_get_portability(context, type, nullptr, 0, nullptr, &number), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_get_portability(context, type, &portability, 1, nullptr, &number), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_get_portability(context, type, &portability, 0, nullptr, nullptr), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_simpler_text(context, type, standard, nullptr, 5, nullptr), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_simpler_text(context, type, -1, nullptr, 0, nullptr), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_type_normal_form(context, type, standard, nullptr), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_type_normal_form(context, 12345, standard, &type), DDTSCOPE_ERR_TYPE);
}

// The judges keep what they know of the context's types while it grows.
TEST_F(CApiFindings, AContextMayGrowBetweenQuestions) {
  for (int i = 2; i < 40; ++i) {
    type = parsed("U1(V:i:" + std::to_string(i) + ":3:3)");
    EXPECT_EQ(simpler(type), "MPI_Type_contiguous(" + std::to_string(3 * i) + ", MPI_INT)");
    EXPECT_EQ(ids(type, DDTSCOPE_RULE_OPENMPI), "simpler-type");
    EXPECT_EQ(ids(type, observed), "simpler-type");
  }
}

}  // namespace
}  // namespace ddtscope::test::c_api_findings_test
