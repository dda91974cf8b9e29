// Constructor calls in the spellings of three languages, against definitions that are put together argument by
// argument.
#include "decoder/notation/constructor_parser.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "decoder/notation/constructor_code.h"
#include "decoder/testing/each_random_type.h"

namespace ddtscope::test::constructor_parser_test {
namespace {

class ConstructorParser : public testing::Test {
 protected:
  DefinitionId parsed(const std::string& text) {
    const auto result = parse_constructor_call(types.store(), text);
    const auto* error = std::get_if<CallTextError>(&result);
    EXPECT_EQ(error, nullptr) << text << ": " << (error != nullptr ? error->sentence : "");
    return error == nullptr ? std::get<DefinitionId>(result) : DefinitionId{};
  }
  /// "the place: the sentence"
  std::string error(const std::string& text) {
    const auto result = parse_constructor_call(types.store(), text);
    const auto* problem = std::get_if<CallTextError>(&result);
    return problem == nullptr ? "none" : std::to_string(problem->position) + ": " + problem->sentence;
  }
  TestStore types{mpich_constants, many_predefined_types()};
  DefinitionId mpi_int = types.named("MPI_INT");
  DefinitionId mpi_double = types.named("MPI_DOUBLE");
  std::int64_t c = types.constants().order_c;
};

TEST_F(ConstructorParser, ReadsEachConstructorInTheOrderOfTheStandardsParameters) {
  EXPECT_EQ(parsed("MPI_Type_dup(MPI_INT)"), types.dup(mpi_int));
  EXPECT_EQ(parsed("MPI_Type_contiguous(3, MPI_INT)"), types.contiguous(3, mpi_int));
  EXPECT_EQ(parsed("MPI_Type_vector(6, 1, 8, MPI_DOUBLE)"), types.vector(6, 1, 8, mpi_double));
  EXPECT_EQ(parsed("MPI_Type_create_hvector(6, 1, -8, MPI_DOUBLE)"), types.hvector(6, 1, -8, mpi_double));
  EXPECT_EQ(parsed("MPI_Type_indexed(2, {1, 2}, {0, 4}, MPI_INT)"), types.indexed({1, 2}, {0, 4}, mpi_int));
  EXPECT_EQ(parsed("MPI_Type_create_hindexed(2, {1, 2}, {0, 4}, MPI_INT)"), types.hindexed({1, 2}, {0, 4}, mpi_int));
  EXPECT_EQ(parsed("MPI_Type_create_indexed_block(2, 3, {0, 4}, MPI_INT)"),
            types.make(Combiner::indexed_block, Form::int_counts, {{2}, {3}, {0, 4}}, {mpi_int}));
  EXPECT_EQ(parsed("MPI_Type_create_hindexed_block(2, 3, {0, 4}, MPI_INT)"),
            types.make(Combiner::hindexed_block, Form::int_counts, {{2}, {3}, {0, 4}}, {mpi_int}));
  EXPECT_EQ(parsed("MPI_Type_create_struct(2, {1, 1}, {0, 8}, {MPI_INT, MPI_DOUBLE})"),
            types.structure({1, 1}, {0, 8}, {mpi_int, mpi_double}));
  EXPECT_EQ(parsed("MPI_Type_create_subarray(2, {8, 9}, {2, 3}, {1, 0}, MPI_ORDER_C, MPI_INT)"),
            types.subarray({8, 9}, {2, 3}, {1, 0}, c, mpi_int));
  const LibraryConstants& k = types.constants();
  EXPECT_EQ(parsed("MPI_Type_create_darray(4, 3, 2, {8, 9}, {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, "
                   "{MPI_DISTRIBUTE_DFLT_DARG, 2}, {2, 2}, MPI_ORDER_FORTRAN, MPI_INT)"),
            types.darray({4,
                          3,
                          {8, 9},
                          {k.distribute_block, k.distribute_cyclic},
                          {k.distribute_dflt_darg, 2},
                          {2, 2},
                          k.order_fortran},
                         mpi_int));
  EXPECT_EQ(parsed("MPI_Type_create_resized(MPI_INT, -4, 16)"), types.resized(mpi_int, -4, 16));
  EXPECT_EQ(parsed("MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT)"),
            types.make(Combiner::value_index, Form::int_counts, {}, {mpi_double, mpi_int}));
  EXPECT_EQ(f90_name(types.store()[parsed("MPI_Type_create_f90_real(15, MPI_UNDEFINED)")].call),
            "F90_REAL(15,MPI_UNDEFINED)");
}

TEST_F(ConstructorParser, ReadsLargeCountsAsTheirOwnConstructor) {
  EXPECT_EQ(parsed("MPI_Type_contiguous_c(3, MPI_INT)"),
            types.make(Combiner::contiguous, Form::large_counts, {{3}}, {mpi_int}));
  EXPECT_EQ(error("MPI_Type_contiguous(3000000000, MPI_INT)"), "20: count (3000000000) does not fit an int");
}

TEST_F(ConstructorParser, NestsCallsAndTakesWhatProgramsWrite) {
  const DefinitionId column = types.resized(types.vector(6, 1, 8, mpi_double), 0, 8);
  EXPECT_EQ(parsed("MPI_Type_create_resized(MPI_Type_vector(6, 1, 8, MPI_DOUBLE), 0, 8)"), column);
  EXPECT_EQ(parsed("MPI_Type_vector(6, 1, 4 * 2, MPI_DOUBLE, &t);\nMPI_Type_create_resized(t, 0, 9L - 1, &u);\n"
                   "MPI_Type_commit(&u);"),
            column);
  EXPECT_EQ(parsed("call MPI_TYPE_VECTOR(6, 1, 8, mpi_double, t, ierr)\n"
                   "call mpi_type_create_resized(t, 0_MPI_ADDRESS_KIND, 8_8, u, ierr)"),
            column);
  EXPECT_EQ(parsed("MPI.DOUBLE.Create_vector(6, 1, 8).Create_resized(0, 8).Commit()"), column);
  EXPECT_EQ(parsed("t = MPI.DOUBLE.Create_vector(6, stride=8, blocklength=1)\nt.Create_resized(lb=0, extent=8)"),
            column);
  const DefinitionId structure = types.structure({1, 1}, {0, 8}, {mpi_int, mpi_double});
  EXPECT_EQ(parsed("MPI.Datatype.Create_struct([1, 1], [0, 8], [MPI.INT, MPI.DOUBLE])"), structure);
  EXPECT_EQ(parsed("MPI_Type_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &t)"),
            structure);
  EXPECT_EQ(parsed("MPI_Type_create_struct(2, (/1, 1/), [integer(MPI_ADDRESS_KIND) :: 0, 8], [MPI_INT, MPI_DOUBLE])"),
            structure);
  EXPECT_EQ(parsed("MPI.INT.Create_subarray([8, 9], [2, 3], [1, 0])"),
            types.subarray({8, 9}, {2, 3}, {1, 0}, c, mpi_int));
}

// As MPI.pyi of mpi4py has them.
TEST_F(ConstructorParser, TakesAllNamesOfMpi4py) {
  const std::pair<const char*, const char*> names[] = {
      {"UNSIGNED_INT", "UNSIGNED"}, {"SIGNED_SHORT", "SHORT"}, {"SIGNED_INT", "INT"},
      {"SIGNED_LONG", "LONG"},      {"SINT8_T", "INT8_T"},     {"SIGNED_LONG_LONG", "LONG_LONG"},
      {"SINT16_T", "INT16_T"},      {"SINT32_T", "INT32_T"},   {"SINT64_T", "INT64_T"},
  };
  for (const auto& [alias, name] : names) {
    EXPECT_EQ(parsed("MPI." + std::string(alias) + ".Create_vector(3, 1, 2)"),
              parsed("MPI_Type_vector(3, 1, 2, MPI_" + std::string(name) + ")"))
        << alias;
  }
  EXPECT_EQ(parsed("MPI.Datatype.Create_struct(blocklengths=[1, 1], displacements=[0, 8], "
                   "datatypes=[MPI.INT, MPI.DOUBLE])"),
            types.structure({1, 1}, {0, 8}, {mpi_int, mpi_double}));
  EXPECT_EQ(error("MPI.Datatype.Create_struct(types=[MPI.INT])"),
            "27: \"types\" is no parameter; Create_struct takes (array_of_blocklengths, array_of_displacements, "
            "array_of_types)");
}

TEST_F(ConstructorParser, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(error("MPI_Type_vector(6, -1, 8, MPI_DOUBLE)"), "19: blocklength (-1) is negative");
  EXPECT_EQ(error("MPI_Type_indexed(2, {1, -2}, {0, 4}, MPI_INT)"), "24: array_of_blocklengths[1] (-2) is negative");
  EXPECT_EQ(error("MPI_Type_indexed(2, {1}, {0, 4}, MPI_INT)"),
            "20: array_of_blocklengths has 1 values, but count is 2");
  EXPECT_EQ(error("MPI_Type_vector(6, 1, MPI_DOUBLE)"),
            "22: stride: a number is expected, but what \"MPI_DOUBLE\" stands for is not known here");
  EXPECT_EQ(error("MPI_Type_vector(6, 1, 8 MPI_DOUBLE)"), "24: a comma or the end of the call is expected");
  EXPECT_EQ(error("MPI_Type_vector(6, 1, 8)"),
            "23: oldtype is missing; MPI_Type_vector takes (count, blocklength, stride, oldtype)");
  EXPECT_EQ(error("MPI_Type_vector(6, 1, 8, MPI_DOUBEL)"),
            "25: \"MPI_DOUBEL\" is no predefined datatype, and no type that was made before");
  EXPECT_EQ(error("MPI_Type_vector(6, 1, 8, T3)"), "25: T3 is a type of a trace: write its constructor call here");
  EXPECT_EQ(error("MPI_Type_vektor(6)"),
            "0: \"MPI_Type_vektor\" is no constructor of datatypes; one is expected, such as MPI_Type_vector");
  EXPECT_EQ(error("MPI_Type_dup(MPI_INT))"), "21: the end of the call is expected");
  EXPECT_EQ(error("MPI_Type_dup(MPI_INT, MPI_INT)"),
            "22: the end of the call is expected; MPI_Type_dup takes (oldtype)");
  EXPECT_EQ(error("MPI_Type_indexed(2, {1, ... (9 values)}, {0}, MPI_INT)"),
            "24: the array was cut here when it was printed, and all its values are needed");
  EXPECT_EQ(error("MPI_Type_indexed(2, (int[]"),
            "26: array_of_blocklengths is an array: write its values in braces, {1, 2, 3}");
  EXPECT_EQ(error("MPI_Type_contiguous(9223372036854775807 + 1, MPI_INT)"), "20: the sum does not fit 64 bits");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "MPI_Type_dup(";
  EXPECT_NE(error(deep).find("more than 500 calls"), std::string::npos);
}

/// All of it nested, the oracle being that equal definitions have one id.
TEST(ConstructorParserRandom, ReadsWhatIsWritten) {
  for_each_random_type(2000, [](TestStore& types, Oracle&, DefinitionId id) {
    std::function<std::string(DefinitionId)> text = [&](DefinitionId part) {
      return constructor_call_text(types.store(), part, text, SIZE_MAX);
    };
    if (const std::string whole = text(id); whole.size() < 100000) {
      const auto result = parse_constructor_call(types.store(), whole);
      const auto* error = std::get_if<CallTextError>(&result);
      ASSERT_EQ(error, nullptr) << whole.substr(0, 2000) << ": " << error->position << error->sentence;
      EXPECT_EQ(std::get<DefinitionId>(result), id) << whole.substr(0, 2000);
    }
  });
}

}  // namespace
}  // namespace ddtscope::test::constructor_parser_test
