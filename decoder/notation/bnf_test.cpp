// The short notation: the examples of 1995, every constructor, shared and deep types, and bad text.
#include "decoder/notation/bnf.h"

#include <gtest/gtest.h>

#include <map>

#include "decoder/notation/constructor_code.h"
#include "decoder/testing/random_types.h"
#include "decoder/testing/test_store.h"

namespace ddtscope::test::bnf_test {
namespace {

constexpr Form large = Form::large_counts;

class Bnf : public testing::Test {
 protected:
  std::string print(DefinitionId id) { return bnf_text(types.store(), id); }
  BnfResult parse(std::string_view text) { return parse_bnf(types.store(), text); }
  /// Parses, and prints with the text's own numbers.
  std::string print_parsed(const std::string& text) {
    const BnfResult result = parse(text);
    if (result.error) return "at " + std::to_string(result.error->position) + ": " + result.error->expected;
    std::map<DefinitionId, std::uint64_t> numbers;
    for (const auto& [number, id] : result.numbers) numbers[id] = number;
    return bnf_text(types.store(), result.type, [&](DefinitionId id) { return numbers.at(id); });
  }
  /// The type of a text that must be right.
  DefinitionId type(const std::string& text) {
    const BnfResult result = parse(text);
    EXPECT_FALSE(result.error) << text << " at " << result.error->position << ": " << result.error->expected;
    return result.type;
  }
  std::string error(const std::string& text) {
    const BnfResult result = parse(text);
    if (!result.error) return "";
    EXPECT_FALSE(result.type.valid());
    return std::to_string(result.error->position) + " " + std::string(mpi_name(result.error->error)) + " " +
           result.error->expected;
  }

  TestStore types{mpich_constants, many_predefined_types()};
  DefinitionId mpi_int = types.named("MPI_INT");
  DefinitionId mpi_double = types.named("MPI_DOUBLE");
  DefinitionId mpi_char = types.named("MPI_CHAR");
};

// The examples of the MPI-1.1 document, as the proposal's author printed them: arguments are what he showed, where
// his library had changed the constructor or counted in bytes.
TEST_F(Bnf, PrintsTheExamplesOf1995) {
  const DefinitionId pair = types.structure({1, 1}, {0, 8}, {mpi_double, mpi_char});
  EXPECT_EQ(print(types.contiguous(3, pair)), "U1(3U2(S:2:d/1/0,c/1/8))");
  EXPECT_EQ(print(types.hvector(2, 3, 36, pair)), "U1(HV:U2(S:2:d/1/0,c/1/8):2:3:36)");
  EXPECT_EQ(print(types.hvector(3, 1, -18, pair)), "U1(HV:U2(S:2:d/1/0,c/1/8):3:1:-18)");
  EXPECT_EQ(print(types.indexed({3, 1}, {36, 0}, pair)), "U1(X:U2(S:2:d/1/0,c/1/8):2:3/36,1/0)");
  EXPECT_EQ(print(types.structure({2, 1, 3}, {0, 16, 26}, {types.named("MPI_FLOAT"), pair, mpi_char})),
            "U1(S:3:f/2/0,U2(S:2:d/1/0,c/1/8)/1/16,c/3/26)");
  EXPECT_EQ(print(types.contiguous(2, types.structure({1, 1}, {-3, 0}, {types.named("MPI_LB"), mpi_int}))),
            "U1(2U2(S:2:LB/1/-3,i/1/0))");
}

TEST_F(Bnf, ReadsTheExamplesOf1995WithTheirNumbers) {
  for (const char* text : {
           "U1(3U2(S:2:d/1/0,c/1/8))",
           "U1(HV:U2(S:2:d/1/0,c/1/8):2:3:36)",
           "U1(HV:U2(S:2:d/1/0,c/1/8):3:1:-18)",
           "U1(X:U2(S:2:d/1/0,c/1/8):2:3/36,1/0)",
           "U1(S:2:f/2/0,U2(S:2:d/1/0,c/1/8)/1/16)",
           "U1(2U2(S:2:LB/1/-3,i/1/0))",
           "U329(HV:U3291(HV:U3292(V:R:9:1:2):9:1:400):9:1:40000)",
           "U331(HV:U3311(V:R:100:1:100):100:1:4)",
           "U333(S:4:i/1/0,d/6/8,c/7/56,UB/1/64)",
       }) {
    EXPECT_EQ(print_parsed(text), text);
  }
  EXPECT_EQ(type("U333(S:4:i/1/0,d/6/8,c/7/56,UB/1/64)"),
            types.structure({1, 6, 7, 1}, {0, 8, 56, 64}, {mpi_int, mpi_double, mpi_char, types.named("MPI_UB")}));
}

TEST_F(Bnf, EveryConstructorHasItsSpelling) {
  const LibraryConstants& c = types.constants();
  const DefinitionId row = types.contiguous(2, mpi_int);
  const std::vector<std::pair<DefinitionId, std::string>> all = {
      {mpi_int, "i"},
      {types.named("MPI_SHORT_INT"), "MPI_SHORT_INT"},
      {types.dup(mpi_int), "U1(D:i)"},
      {types.contiguous(7, mpi_double), "U1(7d)"},
      {types.contiguous(2, row), "U1(2U2(2i))"},
      {types.contiguous(2, types.named("MPI_2INT")), "U1(2MPI_2INT)"},
      {types.vector(3, 2, -5, mpi_double), "U1(V:d:3:2:-5)"},
      {types.hvector(3, 2, -40, mpi_double), "U1(HV:d:3:2:-40)"},
      {types.indexed({1, 0}, {-2, 5}, mpi_char), "U1(X:c:2:1/-2,0/5)"},
      {types.hindexed({1, 0}, {-2, 5}, mpi_char), "U1(HX:c:2:1/-2,0/5)"},
      {types.make(Combiner::indexed_block, Form::int_counts, {{3}, {9}, {0, 5, 7}}, {row}), "U1(XB:U2(2i):3:9:0,5,7)"},
      {types.make(Combiner::hindexed_block, Form::int_counts, {{1}, {9}, {-8}}, {row}), "U1(HXB:U2(2i):1:9:-8)"},
      {types.structure({}, {}, {}), "U1(S:0:)"},
      {types.indexed({}, {}, mpi_int), "U1(X:i:0:)"},
      {types.subarray({4, 5}, {2, 3}, {1, 0}, c.order_fortran, mpi_int), "U1(A:i:2:F:4/2/1,5/3/0)"},
      {types.darray({6,
                     3,
                     {8, 9, 5},
                     {c.distribute_block, c.distribute_cyclic, c.distribute_none},
                     {c.distribute_dflt_darg, 4, 7},
                     {2, 3, 1},
                     c.order_c},
                    row),
       "U1(DA:U2(2i):6:3:3:C:8/B/*/2,9/C/4/3,5/N/7/1)"},
      {types.resized(mpi_int, -4, 16), "U1(Z:i:-4:16)"},
      {types.make(Combiner::value_index, Form::int_counts, {}, {mpi_double, mpi_int}), "U1(VI:d:i)"},
      {types.make_f90(Combiner::f90_real, {{15}, {mpi_undefined}}, {{}, PredefinedKind::basic, 8, 8, 8, {}, {}, 0}),
       "U1(FR:15:*)"},
      {types.make_f90(Combiner::f90_complex, {{mpi_undefined}, {37}}, {{}, PredefinedKind::basic, 8, 8, 4, {}, {}, 0}),
       "U1(FC:*:37)"},
      {types.make_f90(Combiner::f90_integer, {{9}}, {{}, PredefinedKind::basic, 4, 4, 4, {}, {}, 0}), "U1(FI:9)"},
      {types.make(Combiner::contiguous, large, {{INT64_MAX}}, {mpi_int}), "U1(C:9223372036854775807i)"},
      {types.make(Combiner::vector, large, {{3}, {2}, {INT64_MIN}}, {mpi_int}), "U1(C:V:i:3:2:-9223372036854775808)"},
      {types.make(Combiner::structure, large, {{1}, {2}, {3}}, {mpi_int}), "U1(C:S:1:i/2/3)"},
      {types.make(Combiner::subarray, large, {{1}, {9}, {8}, {1}, {c.order_c}}, {mpi_int}), "U1(C:A:i:1:C:9/8/1)"},
      {types.make(Combiner::resized, large, {{0}, {16}}, {mpi_int}), "U1(C:Z:i:0:16)"},
  };
  for (const auto& [id, text] : all) {
    EXPECT_EQ(print(id), text);
    EXPECT_EQ(type(text), id) << text;
  }
}

TEST_F(Bnf, SharedTypesAreSpeltOnce) {
  const DefinitionId a = types.contiguous(2, mpi_int);
  const DefinitionId b = types.vector(2, 1, 3, a);
  const DefinitionId c = types.structure({1, 1, 1}, {0, 64, 128}, {b, a, b});
  EXPECT_EQ(print(c), "U1(S:3:U2(V:U3(2i):2:1:3)/1/0,U3/1/64,U2/1/128)");
  EXPECT_EQ(type(print(c)), c);
  EXPECT_EQ(type("U1(S:3:U2(V:U3(2i):2:1:3)/1/0,U3(2i)/1/64,U2(V:U9(2i):2:1:3)/1/128)"), c);
}

TEST_F(Bnf, NumbersMayBeTheCallers) {
  const DefinitionId a = types.contiguous(2, mpi_int);
  const DefinitionId b = types.dup(a);
  EXPECT_EQ(bnf_text(types.store(), b, [&](DefinitionId id) { return id == b ? UINT64_MAX : 7; }),
            "U18446744073709551615(D:U7(2i))");
  BnfEnvironment environment;
  environment.numbered = [&](std::uint64_t number) { return number == 7 ? std::optional(a) : std::nullopt; };
  EXPECT_EQ(parse_bnf(types.store(), "U3(D:U7)", environment).type, b);
  EXPECT_EQ(parse_bnf(types.store(), "U7", environment).type, a);
  EXPECT_EQ(parse_bnf(types.store(), "U3(D:U8)", environment).error->position, 5u);
}

TEST_F(Bnf, TextGrowsWithTheDescriptionOnly) {
  DefinitionId chain = mpi_int;
  for (int i = 0; i < 10000; ++i) chain = types.resized(chain, 0, i + 4);
  const std::string text = print(chain);
  EXPECT_LT(text.size(), 10000u * 24);
  EXPECT_EQ(type(text), chain);

  DefinitionId doubled = mpi_int;
  for (int i = 0; i < 60; ++i) doubled = types.structure({1, 1}, {0, 8}, {doubled, doubled});
  EXPECT_LT(print(doubled).size(), 60u * 32);
  EXPECT_EQ(type(print(doubled)), doubled);
}

TEST_F(Bnf, RandomTypesComeBack) {
  RandomTypesOptions options;
  options.seed = 95;
  options.one_huge_in = 50;
  options.most_entries = options.farthest_byte = Exact(INT64_MAX);
  types.make_f90(Combiner::f90_real, {{15}, {307}}, {{}, PredefinedKind::basic, 8, 8, 8, {}, {}, 0});
  RandomTypes random(types, options);
  int checked = 0;
  for (int i = 0; i < 3000; ++i) {
    const DefinitionId id = random.next();
    if (!id.valid()) continue;
    const std::string text = print(id);
    ASSERT_EQ(type(text), id) << text;
    // The same in a store that has none of it yet.
    TestStore other(openmpi_constants, many_predefined_types());
    const BnfResult there = parse_bnf(other.store(), text);
    ASSERT_FALSE(there.error) << text << ": " << there.error->expected;
    ASSERT_EQ(bnf_text(other.store(), there.type), text);
    ASSERT_EQ(other.store()[there.type].key, types.store()[id].key) << text;
    ++checked;
  }
  EXPECT_GT(checked, 1000);
}

TEST_F(Bnf, BadTextSaysWhereAndWhatWasExpected) {
  EXPECT_EQ(error(""), "0 MPI_ERR_ARG a datatype");
  EXPECT_EQ(error("x"), "0 MPI_ERR_TYPE the name of a predefined datatype");
  EXPECT_EQ(error("i "), "1 MPI_ERR_ARG the end of the text");
  EXPECT_EQ(error("U1"), "0 MPI_ERR_ARG the description of this type, in parentheses");
  EXPECT_EQ(error("U1("), "3 MPI_ERR_ARG a description");
  EXPECT_EQ(error("U1(Q:i)"), "3 MPI_ERR_ARG a description");
  EXPECT_EQ(error("U1(V:i:3:2)"), "10 MPI_ERR_ARG \":\"");
  EXPECT_EQ(error("U1(V:i:3:2:)"), "11 MPI_ERR_ARG a number");
  EXPECT_EQ(error("U1(V:i:3:2:5"), "12 MPI_ERR_ARG \")\"");
  EXPECT_EQ(error("U1(V:i:3:2:5))"), "13 MPI_ERR_ARG the end of the text");
  EXPECT_EQ(error("U1(X:i:2:1/0)"), "12 MPI_ERR_ARG \",\"");
  EXPECT_EQ(error("U1(X:i:1:1/0,1/4)"), "12 MPI_ERR_ARG \")\"");
  EXPECT_EQ(error("U1(X:i:999999999:1/0)"), "20 MPI_ERR_ARG \",\"");
  EXPECT_EQ(error("U1(99999999999999999999i)"), "3 MPI_ERR_ARG a number of at most 64 bits");
  EXPECT_EQ(error("U99999999999999999999(2i)"), "1 MPI_ERR_ARG a number of at most 64 bits");
  EXPECT_EQ(error("U1(D:U1)"), "5 MPI_ERR_ARG a complete type: this one has itself for a part");
  EXPECT_EQ(error("U1(D:U1(2i))"), "5 MPI_ERR_ARG another number: this type is not complete yet");
  EXPECT_EQ(error("U1(S:2:U2(2i)/1/0,U2(3i)/1/0)"), "18 MPI_ERR_ARG the same description as before, or another number");
  EXPECT_EQ(error("U1(C:D:i)"), "5 MPI_ERR_ARG a constructor that has a large-count form");
  EXPECT_EQ(error("U1(A:i:1:X:4/2/1)"), "9 MPI_ERR_ARG one of \"C\", \"F\"");
  EXPECT_EQ(error("U1(DA:i:2:0:1:C:8/4/2)"), "18 MPI_ERR_ARG one of \"B\", \"C\", \"N\"");
}

TEST_F(Bnf, ArgumentsAreCheckedByTheStandard) {
  EXPECT_EQ(error("U5(V:i:-3:2:5)"),
            "0 MPI_ERR_COUNT arguments that MPI_Type_vector takes; MPI_COMBINER_VECTOR: count (-3) is negative");
  EXPECT_EQ(error("U5(2U6(3000000000i))"),
            "4 MPI_ERR_COUNT arguments that MPI_Type_contiguous takes; MPI_COMBINER_CONTIGUOUS: count (3000000000) "
            "does not fit an int");
  EXPECT_EQ(error("U5(A:i:1:C:4/5/0)"),
            "0 MPI_ERR_ARG arguments that MPI_Type_create_subarray takes; array_of_subsizes[0] (5) is more than "
            "array_of_sizes[0] (4)");
  EXPECT_EQ(
      error("U5(FR:99:*)"),
      "0 MPI_ERR_ARG arguments that MPI_Type_create_f90_real takes; Fortran has no kind with this precision and range");
  EXPECT_EQ(error("U5(X:i:-1:)"),
            "0 MPI_ERR_COUNT arguments that MPI_Type_indexed takes; MPI_COMBINER_INDEXED: count (-1) is negative");
}

TEST_F(Bnf, NoPrefixOfATextIsATypeAndNoneCrashes) {
  const std::string text = print(
      types.darray({2, 1, {8}, {types.constants().distribute_cyclic}, {3}, {2}, types.constants().order_c},
                   types.structure({1, 2}, {-1, 7}, {types.contiguous(2, mpi_int), types.resized(mpi_double, -3, 9)})));
  for (std::size_t length = 0; length < text.size(); ++length) EXPECT_NE(error(text.substr(0, length)), "");
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char c : std::string_view("0-U(:,/)*CdXZ")) {
      std::string changed = text;
      changed[i] = c;
      const BnfResult result = parse(changed);
      EXPECT_EQ(result.type.valid(), !result.error.has_value());
    }
  }
}

}  // namespace
}  // namespace ddtscope::test::bnf_test
