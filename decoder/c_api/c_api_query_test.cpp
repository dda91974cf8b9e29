// What the C API answers about types: against answers worked out by hand, and for sizes that no expansion reaches.
#include <array>
#include <chrono>

#include "decoder/c_api/c_api_fixture.h"

namespace ddtscope::test::c_api_query_test {
namespace {

constexpr int standard = DDTSCOPE_RULE_STANDARD;
constexpr std::array<int, 4> all_rules = {DDTSCOPE_RULE_STANDARD, DDTSCOPE_RULE_OPENMPI, DDTSCOPE_RULE_MPICH,
                                          DDTSCOPE_RULE_OBSERVED};

ddtscope_integer integer(std::int64_t value) { return ddtscope_integer_of(value); }

class CApiQueries : public CApi {
 protected:
  ddtscope_bounds bounds(ddtscope_datatype of, int rule = standard) {
    ddtscope_bounds result{};
    EXPECT_EQ(ddtscope_get_bounds(context, of, rule, &result), DDTSCOPE_SUCCESS) << ddtscope_error_message(context);
    return result;
  }
  std::int64_t extent(ddtscope_datatype of, int rule = standard) { return ddtscope_to_count(bounds(of, rule).extent); }
  ddtscope_typemap typemap(ddtscope_datatype of, std::int64_t count = 1) {
    ddtscope_typemap result{};
    EXPECT_EQ(ddtscope_get_typemap(context, of, standard, count, &result), DDTSCOPE_SUCCESS);
    return result;
  }
  /// What one of the functions that read in batches gives, each item as `text_of` has it.
  template <class Item, class Get, class TextOf>
  std::string batch(std::size_t max, const Get& get, const TextOf& text_of) {
    std::vector<Item> got(max);
    std::size_t number = 99;
    EXPECT_EQ(get(got.data(), &number), DDTSCOPE_SUCCESS) << ddtscope_error_message(context);
    std::string result;
    for (std::size_t i = 0; i < number; ++i) result += (i ? " " : "") + text_of(got[i]);
    return result;
  }
  /// "MPI_INT@0 MPI_INT@8"
  std::string entries(ddtscope_datatype of, std::int64_t count, ddtscope_integer first, std::size_t max) {
    return batch<ddtscope_entry>(
        max,
        [&](ddtscope_entry* got, std::size_t* number) {
          return ddtscope_get_entries(context, of, standard, count, first, max, got, number);
        },
        [](const ddtscope_entry& e) { return std::string(e.basic_type) + "@" + std::to_string(e.displacement); });
  }
  /// "0+8 16+8"
  std::string blocks(ddtscope_datatype of, std::int64_t count, ddtscope_integer first, std::size_t max) {
    return batch<ddtscope_block>(
        max,
        [&](ddtscope_block* got, std::size_t* number) {
          return ddtscope_get_blocks(context, of, standard, count, first, max, got, number);
        },
        [](const ddtscope_block& b) { return std::to_string(b.displacement) + "+" + std::to_string(b.length); });
  }
  std::string signature(ddtscope_datatype of, std::int64_t count, ddtscope_integer first, std::size_t max) {
    return batch<ddtscope_run>(
        max,
        [&](ddtscope_run* got, std::size_t* number) {
          return ddtscope_get_signature(context, of, count, first, max, got, number);
        },
        [&](const ddtscope_run& run) { return text(run.repeat) + "*" + run.basic_type; });
  }
  ddtscope_overlap overlap(ddtscope_datatype of, std::int64_t count) {
    ddtscope_overlap result{};
    EXPECT_EQ(ddtscope_get_overlap(context, of, standard, count, &result), DDTSCOPE_SUCCESS);
    return result;
  }
  ddtscope_match match(const std::string& send, std::int64_t n, const std::string& receive, std::int64_t m) {
    ddtscope_match result{};
    EXPECT_EQ(ddtscope_get_match(context, parsed(send), n, parsed(receive), m, standard, &result), DDTSCOPE_SUCCESS);
    return result;
  }
};

TEST_F(CApiQueries, BoundsAreTheStandards) {
  // MPI-4.1 5.1.7: a double and a char take 16 bytes with the padding.
  const ddtscope_bounds b = bounds(parsed("U1(S:2:d/1/0,c/1/8)"));
  EXPECT_EQ(ddtscope_to_int(b.size), 9);
  EXPECT_EQ(ddtscope_to_count(b.lb), 0);
  EXPECT_EQ(ddtscope_to_count(b.ub), 16);
  EXPECT_EQ(ddtscope_to_count(b.extent), 16);
  EXPECT_EQ(ddtscope_to_count(b.true_ub), 9);
  EXPECT_EQ(ddtscope_to_count(b.true_extent), 9);
  const ddtscope_bounds moved = bounds(parsed("U1(Z:U2(HX:i:2:1/-8,1/4):-16:32)"));
  EXPECT_EQ(ddtscope_to_count(moved.lb), -16);
  EXPECT_EQ(ddtscope_to_count(moved.ub), 16);
  EXPECT_EQ(ddtscope_to_count(moved.true_lb), -8);
  EXPECT_EQ(ddtscope_to_count(moved.true_extent), 16);
}

TEST_F(CApiQueries, BoundsFollowTheRule) {
  // facts of the libraries: MPICH does not round hindexed types, Open MPI does.
  type = parsed("U1(HX:d:2:1/0,1/12)");
  EXPECT_EQ(extent(type, DDTSCOPE_RULE_STANDARD), 24);
  EXPECT_EQ(extent(type, DDTSCOPE_RULE_OPENMPI), 24);
  EXPECT_EQ(extent(type, DDTSCOPE_RULE_MPICH), 20);
  ddtscope_bounds b{};
  EXPECT_EQ(refused(ddtscope_get_bounds(context, type, 4, &b)), "MPI_ERR_ARG ddtscope_get_bounds: rule (4) is none");
  EXPECT_EQ(ddtscope_get_bounds(context, type, -1, &b), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_get_bounds(context, type, 0, nullptr), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_get_bounds(context, none, 0, &b), DDTSCOPE_ERR_TYPE);
  EXPECT_STREQ(ddtscope_rule_name(DDTSCOPE_RULE_MPICH), "mpich");
  EXPECT_STREQ(ddtscope_rule_name(DDTSCOPE_RULE_OBSERVED), "observed");
  EXPECT_STREQ(ddtscope_rule_name(9), "");
  EXPECT_STREQ(ddtscope_rule_version(DDTSCOPE_RULE_OPENMPI), "Open MPI 6.0.0rc2");
  EXPECT_STREQ(ddtscope_rule_version(DDTSCOPE_RULE_OBSERVED), "");
}

TEST_F(CApiQueries, ARuleStandsForTheReleaseThatIsAskedFor) {
  EXPECT_STREQ(ddtscope_modelled_version(DDTSCOPE_RULE_MPICH, 0), "MPICH 5.0.2");
  EXPECT_STREQ(ddtscope_modelled_version(DDTSCOPE_RULE_MPICH, 2), "MPICH 4.0.2");
  EXPECT_STREQ(ddtscope_modelled_version(DDTSCOPE_RULE_MPICH, 3), "");
  EXPECT_STREQ(ddtscope_modelled_version(DDTSCOPE_RULE_STANDARD, 0), "MPI-4.1");
  EXPECT_STREQ(ddtscope_modelled_version(DDTSCOPE_RULE_OBSERVED, 0), "");
  EXPECT_STREQ(ddtscope_modelled_version(-1, 0), "");

  ddtscope_datatype quad{};
  ASSERT_EQ(ddtscope_predefined(context, "MPI_REAL16", &quad), DDTSCOPE_SUCCESS);
  const int one[] = {1, 1};
  const std::int64_t at[] = {0, 1};
  const ddtscope_datatype members[] = {named("MPI_CHAR"), quad};
  ASSERT_EQ(ddtscope_type_create_struct(context, 2, one, at, members, &type), DDTSCOPE_SUCCESS);
  EXPECT_EQ(extent(type, DDTSCOPE_RULE_MPICH), 32);
  const char* release = nullptr;
  const char* remark = nullptr;
  EXPECT_EQ(ddtscope_set_library_version(context, DDTSCOPE_RULE_MPICH, "MPICH Version:      4.2.1\nMPICH ABI: 16:1:4"),
            DDTSCOPE_SUCCESS);
  EXPECT_EQ(extent(type, DDTSCOPE_RULE_MPICH), 17);
  EXPECT_EQ(ddtscope_get_library_version(context, DDTSCOPE_RULE_MPICH, &release, &remark), DDTSCOPE_SUCCESS);
  EXPECT_STREQ(release, "MPICH 4.2.1");
  EXPECT_STREQ(remark, "");
  EXPECT_EQ(ddtscope_set_library_version(context, DDTSCOPE_RULE_MPICH, "9.1"), DDTSCOPE_SUCCESS);
  EXPECT_EQ(extent(type, DDTSCOPE_RULE_MPICH), 32);
  EXPECT_EQ(ddtscope_get_library_version(context, DDTSCOPE_RULE_MPICH, nullptr, &remark), DDTSCOPE_SUCCESS);
  EXPECT_STREQ(remark, "MPICH 9.1 is newer than what ddtscope models: the rule of MPICH 5.0.2 is taken.");

  EXPECT_EQ(ddtscope_get_library_version(context, DDTSCOPE_RULE_STANDARD, &release, &remark), DDTSCOPE_SUCCESS);
  EXPECT_STREQ(release, "MPI-4.1");
  EXPECT_EQ(refused(ddtscope_set_library_version(context, DDTSCOPE_RULE_STANDARD, "4.0")),
            "MPI_ERR_ARG ddtscope_set_library_version: rule (0) is none of a library");
  EXPECT_EQ(ddtscope_set_library_version(context, DDTSCOPE_RULE_MPICH, nullptr), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_get_library_version(context, DDTSCOPE_RULE_OBSERVED, &release, nullptr), DDTSCOPE_ERR_ARG);
}

TEST_F(CApiQueries, ValuesBeyond64BitsAreExactOrSaidNotToFit) {
  const std::string two_to_62 = "4611686018427387904";
  type = parsed("U1(C:" + two_to_62 + "U2(C:" + two_to_62 + "b))");
  const ddtscope_bounds b = bounds(type);
  EXPECT_EQ(b.size.bits, 128);
  EXPECT_EQ(text(b.size), "21267647932558653966460912964485513216");  // 2^124
  EXPECT_EQ(ddtscope_to_count(b.size), DDTSCOPE_UNDEFINED);
  EXPECT_EQ(ddtscope_to_int(bounds(parsed("U1(2U2(2000000000b))")).size), DDTSCOPE_UNDEFINED);
  EXPECT_EQ(text(typemap(type, 3).entries), "63802943797675961899382738893456539648");
  const ddtscope_datatype larger = parsed("U1(C:" + two_to_62 + "U2(C:" + two_to_62 + "U3(C:" + two_to_62 + "b)))");
  EXPECT_EQ(bounds(larger).size.bits, 0);
  EXPECT_EQ(text(bounds(larger).size), "does not fit");
  ddtscope_fingerprint f{};
  EXPECT_EQ(ddtscope_layout_fingerprint(context, larger, standard, &f), DDTSCOPE_ERR_VALUE_TOO_LARGE);
  // Where nothing joins, blocks cannot be counted: reading begins at the first one only.
  const ddtscope_datatype apart =
      parsed("U1(C:V:U2(C:V:U3(C:V:b:" + two_to_62 + ":1:2):" + two_to_62 + ":1:3):" + two_to_62 + ":1:5)");
  ddtscope_block block{};
  std::size_t number = 0;
  EXPECT_EQ(ddtscope_get_blocks(context, apart, standard, 1, integer(0), 1, &block, &number), DDTSCOPE_SUCCESS);
  EXPECT_EQ(number, 1U);
  EXPECT_EQ(refused(ddtscope_get_blocks(context, apart, standard, 1, integer(1), 1, &block, &number)),
            "MPI_ERR_VALUE_TOO_LARGE ddtscope_get_blocks: the number of blocks does not fit 128 bits");
}

TEST_F(CApiQueries, ObservedBoundsLayOutWhatIsMadeOfTheType) {
  const ddtscope_datatype inner = parsed("U1(HX:d:2:1/0,1/12)");
  const ddtscope_datatype outer = parsed("U1(2U2(HX:d:2:1/0,1/12))");
  ddtscope_bounds said{};
  said.extent = integer(20);
  said.lb = integer(0);
  EXPECT_EQ(ddtscope_observe_bounds(context, inner, &said), DDTSCOPE_SUCCESS) << ddtscope_error_message(context);
  EXPECT_EQ(extent(inner, DDTSCOPE_RULE_OBSERVED), 20);
  EXPECT_EQ(ddtscope_to_count(bounds(inner, DDTSCOPE_RULE_OBSERVED).size), 16);
  EXPECT_EQ(ddtscope_to_count(bounds(outer, DDTSCOPE_RULE_OBSERVED).true_extent), 40);
  EXPECT_EQ(ddtscope_to_count(bounds(outer, DDTSCOPE_RULE_STANDARD).true_extent), 44);
  EXPECT_EQ(refused(ddtscope_observe_bounds(context, outer, &said)),
            "MPI_ERR_OTHER ddtscope_observe_bounds: the type has been laid out as observed before");
  EXPECT_EQ(ddtscope_observe_bounds(context, named("MPI_INT"), &said), DDTSCOPE_ERR_TYPE);
  said.lb.bits = 128;
  EXPECT_EQ(ddtscope_observe_bounds(context, parsed("U1(77d)"), &said), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_observe_bounds(context, inner, nullptr), DDTSCOPE_ERR_ARG);
}

TEST_F(CApiQueries, BoundsAreObservedUntilTheTypeItselfIsAskedFor) {
  const ddtscope_datatype vector = parsed("U1(V:i:2:1:3)");
  const ddtscope_datatype pair = parsed("U1(2U2(V:i:2:1:3))");
  const ddtscope_datatype later = parsed("U1(5d)");
  EXPECT_EQ(extent(later, DDTSCOPE_RULE_OBSERVED), 40);
  ddtscope_bounds said{};
  said.extent = integer(64);
  said.lb = integer(0);
  EXPECT_EQ(ddtscope_observe_bounds(context, vector, &said), DDTSCOPE_SUCCESS) << ddtscope_error_message(context);
  EXPECT_EQ(ddtscope_to_count(bounds(pair, DDTSCOPE_RULE_OBSERVED).true_extent), 64 + 16);
  EXPECT_EQ(extent(vector, DDTSCOPE_RULE_OBSERVED), 64);
  for (const ddtscope_datatype known : {vector, pair, later}) {
    EXPECT_EQ(ddtscope_observe_bounds(context, known, &said), DDTSCOPE_ERR_OTHER);
  }
}

TEST_F(CApiQueries, SpanIsWhatATemporaryBufferNeeds) {
  // A gather's intermediate buffer: a type whose extent the program has made smaller than what it touches.
  type = parsed("U1(Z:U2(V:d:4:1:10):0:8)");
  ddtscope_integer first{}, length{};
  ASSERT_EQ(ddtscope_get_span(context, type, standard, 5, &first, &length), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ddtscope_to_count(first), 0);
  EXPECT_EQ(ddtscope_to_count(length), 248 + 4 * 8);
  type = parsed("U1(Z:U2(HX:i:1:2/-12):0:-16)");
  ASSERT_EQ(ddtscope_get_span(context, type, standard, 3, &first, &length), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ddtscope_to_count(first), -12 - 32);
  EXPECT_EQ(ddtscope_to_count(length), 8 + 32);
  ASSERT_EQ(ddtscope_get_span(context, type, standard, 0, &first, &length), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ddtscope_to_count(length), 0);
  EXPECT_EQ(ddtscope_get_span(context, type, standard, -1, &first, &length), DDTSCOPE_ERR_COUNT);
  EXPECT_EQ(ddtscope_get_span(context, type, standard, 1, nullptr, &length), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_get_span(context, type, standard, 1, &first, nullptr), DDTSCOPE_ERR_ARG);
}

TEST_F(CApiQueries, EntriesComeInTheStandardsOrderFromAnywhere) {
  type = parsed("U1(S:2:d/1/0,U2(V:c:2:1:3)/1/8)");  // extent 16
  const ddtscope_typemap of_two = typemap(type, 2);
  EXPECT_EQ(text(of_two.entries), "6");
  EXPECT_EQ(text(of_two.blocks), "4");
  EXPECT_EQ(text(of_two.signature_runs), "4");
  EXPECT_EQ(of_two.alignment, 8);
  EXPECT_EQ(entries(type, 2, integer(0), 10),
            "MPI_DOUBLE@0 MPI_CHAR@8 MPI_CHAR@11 MPI_DOUBLE@16 MPI_CHAR@24 MPI_CHAR@27");
  EXPECT_EQ(entries(type, 2, integer(2), 2), "MPI_CHAR@11 MPI_DOUBLE@16");
  EXPECT_EQ(entries(type, 2, integer(6), 2), "");
  EXPECT_EQ(entries(type, 0, integer(0), 2), "");
  EXPECT_EQ(blocks(type, 2, integer(0), 10), "0+9 11+1 16+9 27+1");
  EXPECT_EQ(blocks(type, 2, integer(1), 2), "11+1 16+9");
  EXPECT_EQ(blocks(type, 2, integer(4), 2), "");
  EXPECT_EQ(signature(type, 2, integer(0), 10), "1*MPI_DOUBLE 2*MPI_CHAR 1*MPI_DOUBLE 2*MPI_CHAR");
  EXPECT_EQ(signature(type, 2, integer(3), 10), "2*MPI_CHAR");
  EXPECT_EQ(signature(parsed("U1(C:9223372036854775807i)"), 2, integer(0), 10), "18446744073709551614*MPI_INT");
  // Longer than what is read at once.
  type = parsed("U1(V:i:1000:1:2)");
  EXPECT_EQ(entries(type, 1, integer(997), 10), "MPI_INT@7976 MPI_INT@7984 MPI_INT@7992");
  std::vector<ddtscope_block> all(1001);
  std::size_t number = 0;
  ASSERT_EQ(ddtscope_get_blocks(context, type, standard, 1, integer(0), all.size(), all.data(), &number),
            DDTSCOPE_SUCCESS);
  ASSERT_EQ(number, 1000u);
  EXPECT_EQ(all[999].displacement, 7992);
  std::vector<ddtscope_entry> every(1000);
  ASSERT_EQ(ddtscope_get_entries(context, type, standard, 1, integer(0), 1000, every.data(), &number),
            DDTSCOPE_SUCCESS);
  EXPECT_EQ(number, 1000u);
  EXPECT_EQ(every[257].displacement, 257 * 8);
}

TEST_F(CApiQueries, ReadersRefuseWhatIsNoPlace) {
  type = parsed("U1(2d)");
  ddtscope_entry entry{};
  std::size_t number = 7;
  EXPECT_EQ(ddtscope_get_entries(context, type, standard, 1, integer(-1), 1, &entry, &number), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_get_entries(context, type, standard, 1, {0, 0, 0}, 1, &entry, &number), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_get_entries(context, type, standard, 1, {0, 0, 5}, 1, &entry, &number), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_get_entries(context, type, standard, -1, integer(0), 1, &entry, &number), DDTSCOPE_ERR_COUNT);
  EXPECT_EQ(ddtscope_get_entries(context, type, standard, 1, integer(0), 1, nullptr, &number), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_get_entries(context, type, standard, 1, integer(0), 1, &entry, nullptr), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(number, 7u);
  EXPECT_EQ(ddtscope_get_entries(context, type, standard, 1, integer(0), 0, nullptr, &number), DDTSCOPE_SUCCESS);
  EXPECT_EQ(number, 0u);
  // Copy 1 lies beyond what 64 bits address: entry 0 is there, entry 1 is not.
  type = parsed("U1(C:HV:d:2:1:9223372036854775807)");
  const ddtscope_datatype far = parsed("U1(C:HV:U2(C:HV:d:2:1:9223372036854775807):2:1:9223372036854775807)");
  std::array<ddtscope_entry, 8> some{};
  EXPECT_EQ(ddtscope_get_entries(context, far, standard, 1, integer(0), 8, some.data(), &number),
            DDTSCOPE_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(number, 3u);
}

TEST_F(CApiQueries, EntryOfAByteIsFoundWithItsPath) {
  type = parsed("U1(S:2:d/1/0,U2(V:c:2:1:3)/1/8)");
  ddtscope_covering covering{};
  ASSERT_EQ(ddtscope_find_byte(context, type, standard, 2, 27, &covering), DDTSCOPE_SUCCESS);
  EXPECT_EQ(covering.is_covered, DDTSCOPE_YES);
  EXPECT_STREQ(covering.basic_type, "MPI_CHAR");
  EXPECT_EQ(ddtscope_to_count(covering.copy), 1);
  EXPECT_EQ(ddtscope_to_count(covering.entry), 2);
  EXPECT_EQ(ddtscope_to_count(covering.in_entry), 0);
  ASSERT_EQ(ddtscope_find_byte(context, type, standard, 2, 21, &covering), DDTSCOPE_SUCCESS);
  EXPECT_STREQ(covering.basic_type, "MPI_DOUBLE");
  EXPECT_EQ(ddtscope_to_count(covering.in_entry), 5);
  ASSERT_EQ(ddtscope_find_byte(context, type, standard, 2, 9, &covering), DDTSCOPE_SUCCESS);
  EXPECT_EQ(covering.is_covered, DDTSCOPE_NO);
  EXPECT_EQ(covering.basic_type, nullptr);

  std::array<ddtscope_step, 4> steps{};
  std::size_t number = 0;
  ASSERT_EQ(ddtscope_get_path(context, type, integer(2), 4, steps.data(), &number), DDTSCOPE_SUCCESS);
  ASSERT_EQ(number, 2u);
  EXPECT_EQ(steps[0].datatype, type);
  EXPECT_EQ(ddtscope_to_count(steps[0].block), 1);
  EXPECT_EQ(steps[1].datatype, parsed("U2(V:c:2:1:3)"));
  EXPECT_EQ(ddtscope_to_count(steps[1].block), 1);
  ASSERT_EQ(ddtscope_get_path(context, type, integer(2), 0, nullptr, &number), DDTSCOPE_SUCCESS);
  EXPECT_EQ(number, 2u);
  EXPECT_EQ(ddtscope_get_path(context, type, integer(3), 4, steps.data(), &number), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_get_path(context, type, integer(-1), 4, steps.data(), &number), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_get_path(context, type, integer(0), 4, nullptr, &number), DDTSCOPE_ERR_ARG);
  ddtscope_type_set_name(context, type, "sample");
  EXPECT_EQ(text(ddtscope_path_text, context, type, integer(0)).substr(0, 6), "sample");
  EXPECT_EQ(text(ddtscope_path_text, context, named("MPI_INT"), integer(0)), "MPI_INT");
}

TEST_F(CApiQueries, FingerprintsAreEqualWhereTheLayoutIs) {
  const auto layout = [&](const std::string& notation) {
    ddtscope_fingerprint f{};
    EXPECT_EQ(ddtscope_layout_fingerprint(context, parsed(notation), standard, &f), DDTSCOPE_SUCCESS);
    return std::pair(f.words[0], f.words[1]);
  };
  const auto signature_of = [&](const std::string& notation) {
    ddtscope_fingerprint f{};
    EXPECT_EQ(ddtscope_signature_fingerprint(context, parsed(notation), &f), DDTSCOPE_SUCCESS);
    return std::pair(f.words[0], f.words[1]);
  };
  EXPECT_EQ(layout("U1(6d)"), layout("U1(V:d:3:2:2)"));
  EXPECT_NE(layout("U1(6d)"), layout("U1(V:d:3:2:3)"));
  EXPECT_EQ(signature_of("U1(6d)"), signature_of("U1(V:d:3:2:3)"));
  EXPECT_NE(signature_of("U1(6d)"), signature_of("U1(7d)"));
  EXPECT_EQ(layout("U1(0d)"), std::pair(std::uint64_t{0}, std::uint64_t{0}));
}

TEST_F(CApiQueries, MatchSaysWhetherAndWhere) {
  EXPECT_EQ(match("U1(6d)", 2, "U1(V:d:3:2:3)", 2).result, DDTSCOPE_MATCH_EQUAL);
  EXPECT_EQ(match("U1(6d)", 1, "U1(7d)", 1).result, DDTSCOPE_MATCH_RECEIVE_LONGER);
  EXPECT_EQ(match("U1(6d)", 1, "P", 1000).result, DDTSCOPE_MATCH_PACKED);
  EXPECT_EQ(match("U1(6d)", 1, "U1(48b)", 1).result, DDTSCOPE_MATCH_BYTES_AND_TYPES);
  const ddtscope_match longer = match("U1(6d)", 1, "U1(5d)", 1);
  EXPECT_EQ(longer.result, DDTSCOPE_MATCH_SEND_LONGER);
  EXPECT_EQ(longer.is_allowed, 0);
  EXPECT_EQ(longer.receive_type, nullptr);
  const ddtscope_match differs = match("U1(S:2:d/1/0,c/1/8)", 3, "U1(S:2:d/1/0,i/1/8)", 3);
  EXPECT_EQ(differs.result, DDTSCOPE_MATCH_DIFFERENT_TYPES);
  ASSERT_EQ(differs.has_difference, 1);
  EXPECT_EQ(ddtscope_to_count(differs.entry), 1);
  EXPECT_STREQ(differs.send_type, "MPI_CHAR");
  EXPECT_STREQ(differs.receive_type, "MPI_INT");
  EXPECT_EQ(ddtscope_to_count(differs.send_displacement), 8);

  const ddtscope_datatype send = parsed("U1(V:d:3:1:2)"), receive = parsed("U1(S:2:d/4/0,i/1/32)");
  ddtscope_type_set_name(context, send, "column");
  ddtscope_type_set_name(context, receive, "record");
  EXPECT_EQ(text(ddtscope_match_text, context, send, std::int64_t{2}, receive, std::int64_t{1}, standard),
            "Not allowed: different types; 6 entries are sent, 5 are received. They part at entry 4. What is sent has "
            "MPI_DOUBLE there, at byte 56: copy 1 of column block 1 > MPI_DOUBLE. What is received has "
            "MPI_INT there, at byte 32: record member 1 > MPI_INT.");
  // No way leads down from a predefined type.
  EXPECT_EQ(text(ddtscope_match_text, context, named("MPI_INT"), std::int64_t{3}, named("MPI_BYTE"), std::int64_t{12},
                 standard),
            "Not allowed: bytes and types; 3 entries are sent, 12 are received. They part at entry 0. What "
            "is sent has MPI_INT there, at byte 0, in copy 0. What is received has MPI_BYTE there, at byte 0, in "
            "copy 0.");
  EXPECT_EQ(text(ddtscope_match_text, context, named("MPI_INT"), std::int64_t{1}, named("MPI_BYTE"), std::int64_t{1},
                 standard),
            "Not allowed: bytes and types; 1 entry is sent, 1 is received. They part at entry 0. What is sent has "
            "MPI_INT there, at byte 0. What is received has MPI_BYTE there, at byte 0.");
  ddtscope_match m{};
  EXPECT_EQ(ddtscope_get_match(context, send, -1, receive, 1, standard, &m), DDTSCOPE_ERR_COUNT);
  EXPECT_EQ(ddtscope_get_match(context, send, 1, none, 1, standard, &m), DDTSCOPE_ERR_TYPE);
  EXPECT_EQ(ddtscope_get_match(context, send, 1, receive, 1, 17, &m), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_get_match(context, send, 1, receive, 1, standard, nullptr), DDTSCOPE_ERR_ARG);
}

TEST_F(CApiQueries, LengthsBeyond128BitsAreToldInWords) {
  ddtscope_datatype long_type = named("MPI_INT");
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(ddtscope_type_contiguous(context, 2147483647, long_type, &long_type), DDTSCOPE_SUCCESS);
  }
  const std::int64_t one = 1;
  EXPECT_EQ(
      text(ddtscope_match_text, context, long_type, one, long_type, one, standard),
      "Allowed: equal; more entries than 128 bits can count are sent, more than 128 bits can count are received.");
  EXPECT_EQ(text(ddtscope_match_text, context, long_type, one, named("MPI_INT"), one, standard),
            "Undecided: a length does not fit 128 bits; more entries than 128 bits can count are sent, 1 is received.");
  EXPECT_EQ(text(ddtscope_match_text, context, named("MPI_INT"), one, long_type, one, standard),
            "Undecided: a length does not fit 128 bits; 1 entry is sent, more than 128 bits can count are received.");
}

TEST_F(CApiQueries, OverlapIsToldWithinAndBetweenCopies) {
  const ddtscope_overlap apart = overlap(parsed("U1(V:d:3:1:2)"), 1000);
  EXPECT_EQ(apart.within, DDTSCOPE_NO);
  EXPECT_EQ(apart.copies, DDTSCOPE_NO);
  EXPECT_EQ(apart.of_count, DDTSCOPE_NO);
  EXPECT_EQ(apart.nearest_copies.bits, 0);
  EXPECT_EQ(overlap(parsed("U1(X:d:2:2/0,2/1)"), 1).within, DDTSCOPE_YES);
  // Columns of a matrix with rows of 10: copy 10 begins where row 1 does.
  const ddtscope_datatype column = parsed("U1(Z:U2(V:d:4:1:10):0:8)");
  const ddtscope_overlap few = overlap(column, 10), many = overlap(column, 11);
  EXPECT_EQ(few.copies, DDTSCOPE_YES);
  EXPECT_EQ(few.of_count, DDTSCOPE_NO);
  EXPECT_EQ(many.of_count, DDTSCOPE_YES);
  EXPECT_EQ(ddtscope_to_count(many.nearest_copies), 10);
}

TEST_F(CApiQueries, CodeMakesEachPartOnce) {
  EXPECT_EQ(text(ddtscope_c_code, context, parsed("U1(S:2:U2(3i)/1/0,U2/1/16)")),
            "MPI_Datatype t0;\nMPI_Datatype t1;\n"
            "MPI_Type_contiguous(3, MPI_INT, &t0);\n"
            "MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 16}, (MPI_Datatype[]){t0, t0}, &t1);\n");
  EXPECT_EQ(text(ddtscope_c_code, context, named("MPI_INT")), "MPI_INT");
}

TEST_F(CApiQueries, ADeepNestOfManyEntriesAnswersAtOnce) {
  // 10 levels of 64: 2^60 entries in 127 * 2^54 bytes.
  std::string notation = "U10(V:c:64:1:2)";
  for (int i = 0; i < 9; ++i) notation = "U" + std::to_string(i) + "(64" + notation + ")";
  type = parsed(notation);
  EXPECT_EQ(text(typemap(type).entries), "1152921504606846976");
  const ddtscope_integer last = integer((std::int64_t{1} << 60) - 1);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) {
    entries(type, 1, last, 1);
    for (const int rule : all_rules) bounds(type, rule);
    overlap(type, 2);
    ddtscope_fingerprint f{};
    ddtscope_layout_fingerprint(context, type, standard, &f);
    text(ddtscope_path_text, context, type, last);
    ddtscope_covering covering{};
    EXPECT_EQ(ddtscope_find_byte(context, type, standard, 1, std::int64_t{1} << 40, &covering), DDTSCOPE_SUCCESS);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  EXPECT_EQ(entries(type, 1, last, 2).substr(0, 9), "MPI_CHAR@");
}

}  // namespace
}  // namespace ddtscope::test::c_api_query_test
