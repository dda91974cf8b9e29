// Arguments that the standard forbids, with the class and the name of the culprit.
#include "decoder/definition/arguments.h"

#include <gtest/gtest.h>

#include "decoder/definition/envelope.h"
#include "decoder/testing/test_store.h"

namespace ddtscope::test::arguments_test {
namespace {

class ConstructorArguments : public testing::Test {
 protected:
  /// "MPI_ERR_COUNT: count (-1) is negative"; empty where the arguments are fine.
  std::string erroneous(Combiner combiner, const Contents& contents, Form form = Form::int_counts) {
    CallFromContents call;
    if (!call.build(combiner, form, contents)) {
      EXPECT_NE(call.error(), ErrorClass::success);
      return std::string(mpi_name(call.error())) + ": " + call.problem().substr(call.problem().find(": ") + 2);
    }
    EXPECT_EQ(call.error(), ErrorClass::success);
    const auto problem = erroneous_argument(types.store(), call.call());
    return problem ? std::string(mpi_name(problem->error)) + ": " + problem->text : "";
  }
  std::string subarray(std::vector<std::int64_t> integers) {
    return erroneous(Combiner::subarray, {std::move(integers), {}, {}, one});
  }
  std::string darray(std::vector<std::int64_t> integers) {
    return erroneous(Combiner::darray, {std::move(integers), {}, {}, one});
  }

  TestStore types;
  DefinitionId mpi_int = types.named("MPI_INT");
  std::vector<DefinitionId> one = {mpi_int};
  const std::int64_t c = types.constants().order_c;
  const std::int64_t block = types.constants().distribute_block;
  const std::int64_t cyclic = types.constants().distribute_cyclic;
  const std::int64_t none = types.constants().distribute_none;
  const std::int64_t dflt = types.constants().distribute_dflt_darg;
};

TEST_F(ConstructorArguments, CountsAreNotNegative) {
  EXPECT_EQ(erroneous(Combiner::contiguous, {{-1}, {}, {}, one}), "MPI_ERR_COUNT: count (-1) is negative");
  EXPECT_EQ(erroneous(Combiner::contiguous, {{0}, {}, {}, one}), "");
  EXPECT_EQ(erroneous(Combiner::vector, {{2, -3, 1}, {}, {}, one}), "MPI_ERR_ARG: blocklength (-3) is negative");
  EXPECT_EQ(erroneous(Combiner::vector, {{2, 0, -7}, {}, {}, one}), "");
  EXPECT_EQ(erroneous(Combiner::hindexed, {{2, 1, -1}, {-8, 8}, {}, one}),
            "MPI_ERR_ARG: array_of_blocklengths[1] (-1) is negative");
  EXPECT_EQ(erroneous(Combiner::structure, {{}, {}, {-4}, {}}, Form::large_counts),
            "MPI_ERR_COUNT: count (-4) is negative");
}

TEST_F(ConstructorArguments, IntFormsHoldInts) {
  EXPECT_EQ(erroneous(Combiner::contiguous, {{INT64_C(1) << 31}, {}, {}, one}),
            "MPI_ERR_COUNT: count (2147483648) does not fit an int");
  EXPECT_EQ(erroneous(Combiner::contiguous, {{}, {}, {INT64_C(1) << 31}, one}, Form::large_counts), "");
  EXPECT_EQ(erroneous(Combiner::hvector, {{1, 1}, {INT64_MIN}, {}, one}), "");
  EXPECT_EQ(erroneous(Combiner::vector, {{1, 1, INT64_MIN}, {}, {}, one}),
            "MPI_ERR_ARG: stride (-9223372036854775808) does not fit an int");
}

TEST_F(ConstructorArguments, SubarraysLieWithinTheirArray) {
  EXPECT_EQ(subarray({2, 4, 5, 2, 3, 2, 2, c}), "");
  EXPECT_EQ(subarray({0, c}), "MPI_ERR_DIMS: ndims (0) is not positive");
  EXPECT_EQ(subarray({1, 0, 0, 0, c}), "MPI_ERR_ARG: array_of_sizes[0] (0) is not positive");
  EXPECT_EQ(subarray({1, 4, 0, 0, c}), "MPI_ERR_ARG: array_of_subsizes[0] (0) is not positive");
  EXPECT_EQ(subarray({1, 4, 5, 0, c}), "MPI_ERR_ARG: array_of_subsizes[0] (5) is more than array_of_sizes[0] (4)");
  EXPECT_EQ(subarray({1, 4, 2, -1, c}), "MPI_ERR_ARG: array_of_starts[0] (-1) is negative");
  EXPECT_EQ(subarray({1, 4, 2, 3, c}),
            "MPI_ERR_ARG: array_of_starts[0] (3) and array_of_subsizes[0] (2) go beyond array_of_sizes[0] (4)");
  EXPECT_EQ(subarray({1, 4, 2, 2, 0}), "MPI_ERR_ARG: order (0) is none of MPI_ORDER_C, MPI_ORDER_FORTRAN");
}

TEST_F(ConstructorArguments, DarraysFitTheirGrid) {
  EXPECT_EQ(darray({4, 3, 2, 8, 9, block, cyclic, 4, 1, 2, 2, c}), "");
  EXPECT_EQ(darray({2, 0, 2, 8, 9, block, none, dflt, 0, 2, 1, c}), "");
  EXPECT_EQ(darray({0, 0, 1, 8, block, 8, 1, c}), "MPI_ERR_ARG: size (0) is not positive");
  EXPECT_EQ(darray({2, 2, 1, 8, block, 4, 2, c}), "MPI_ERR_RANK: rank (2) is not below size (2)");
  EXPECT_EQ(darray({2, -1, 1, 8, block, 4, 2, c}), "MPI_ERR_RANK: rank (-1) is negative");
  EXPECT_EQ(darray({2, 0, 0, c}), "MPI_ERR_DIMS: ndims (0) is not positive");
  EXPECT_EQ(darray({2, 0, 1, 0, block, 4, 2, c}), "MPI_ERR_ARG: array_of_gsizes[0] (0) is not positive");
  EXPECT_EQ(darray({2, 0, 1, 8, 7, 4, 2, c}),
            "MPI_ERR_ARG: array_of_distribs[0] (7) is none of MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, "
            "MPI_DISTRIBUTE_NONE");
  EXPECT_EQ(darray({2, 0, 1, 9, block, 4, 2, c}),
            "MPI_ERR_ARG: array_of_dargs[0] (4) times array_of_psizes[0] (2) is less than array_of_gsizes[0] (9)");
  EXPECT_EQ(darray({2, 0, 1, 9, cyclic, 0, 2, c}), "MPI_ERR_ARG: array_of_dargs[0] (0) is not positive");
  // Only "should" it have one process.
  EXPECT_EQ(darray({2, 0, 1, 9, none, 1, 2, c}), "");
  EXPECT_EQ(darray({5, 0, 2, 8, 9, block, cyclic, 4, 1, 2, 2, c}),
            "MPI_ERR_ARG: the product of array_of_psizes (4) is not size (5)");
  EXPECT_EQ(darray({2, 0, 1, 8, block, 4, 2, 9}), "MPI_ERR_ARG: order (9) is none of MPI_ORDER_C, MPI_ORDER_FORTRAN");
}

TEST_F(ConstructorArguments, F90TypesHaveAPrecisionOrARange) {
  EXPECT_EQ(erroneous(Combiner::f90_real, {{15, mpi_undefined}, {}, {}, {}}), "");
  EXPECT_EQ(erroneous(Combiner::f90_real, {{mpi_undefined, mpi_undefined}, {}, {}, {}}),
            "MPI_ERR_ARG: neither a precision nor a range is given");
  EXPECT_EQ(erroneous(Combiner::f90_integer, {{-2}, {}, {}, {}}), "MPI_ERR_ARG: r (-2) is negative");
}

TEST_F(ConstructorArguments, ValuesAndIndicesAreBasic) {
  EXPECT_EQ(erroneous(Combiner::value_index, {{}, {}, {}, {mpi_int, mpi_int}}), "");
  EXPECT_EQ(erroneous(Combiner::value_index, {{}, {}, {}, {mpi_int, types.named("MPI_2INT")}}),
            "MPI_ERR_TYPE: a value or index type is not a basic datatype");
}

TEST_F(ConstructorArguments, DatatypesAreThereInTheRightNumber) {
  EXPECT_EQ(erroneous(Combiner::dup, {{}, {}, {}, {}}), "MPI_ERR_TYPE: datatypes has the wrong length");
  EXPECT_EQ(erroneous(Combiner::dup, {{}, {}, {}, {DefinitionId{}}}), "MPI_ERR_TYPE: datatypes has an invalid element");
  EXPECT_EQ(erroneous(Combiner::dup, {{}, {}, {}, {DefinitionId{4711}}}), "MPI_ERR_TYPE: datatype 0 is none");
}

TEST_F(ConstructorArguments, WhatALibraryMayLetPassIsNotImpossible) {
  CallFromContents call;
  EXPECT_TRUE(call.build(Combiner::darray, Form::int_counts, {{5, 0, 1, 9, block, 4, 2, 9}, {}, {}, one}));
  EXPECT_TRUE(call.build(Combiner::subarray, Form::int_counts, {{1, 4, 5, 0, 0}, {}, {}, one}));
}

}  // namespace
}  // namespace ddtscope::test::arguments_test
