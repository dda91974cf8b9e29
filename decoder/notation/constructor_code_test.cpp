// Constructor calls as C text.
#include "decoder/notation/constructor_code.h"

#include <gtest/gtest.h>

#include "decoder/testing/test_store.h"

namespace ddtscope::test::constructor_code_test {
namespace {

class ConstructorCode : public testing::Test {
 protected:
  std::string text(DefinitionId id, std::size_t limit = 16) {
    return constructor_call_text(
        types.store(), id, [](DefinitionId oldtype) { return "D" + std::to_string(oldtype.value); }, limit);
  }
  TestStore types;
  DefinitionId mpi_int = types.named("MPI_INT");
  DefinitionId mpi_double = types.named("MPI_DOUBLE");
};

TEST_F(ConstructorCode, WritesScalarsThenTheOldtype) {
  EXPECT_EQ(text(types.vector(3, 2, 5, mpi_double)), "MPI_Type_vector(3, 2, 5, MPI_DOUBLE)");
  EXPECT_EQ(text(types.make(Combiner::hvector, Form::large_counts, {{3}, {2}, {-5}}, {mpi_double})),
            "MPI_Type_create_hvector_c(3, 2, -5, MPI_DOUBLE)");
}

TEST_F(ConstructorCode, NamesPredefinedAndDerivedOldtypes) {
  const DefinitionId pair = types.contiguous(2, mpi_int);
  const std::string name = "D" + std::to_string(pair.value);
  EXPECT_EQ(text(mpi_int), "MPI_INT");
  EXPECT_EQ(text(types.dup(pair)), "MPI_Type_dup(" + name + ")");
  EXPECT_EQ(text(types.structure({1, 1}, {0, 8}, {mpi_int, pair})),
            "MPI_Type_create_struct(2, {1, 1}, {0, 8}, {MPI_INT, " + name + "})");
}

TEST_F(ConstructorCode, ResizedHasItsOldtypeFirst) {
  EXPECT_EQ(text(types.resized(mpi_int, 0, 16)), "MPI_Type_create_resized(MPI_INT, 0, 16)");
}

TEST_F(ConstructorCode, WritesConstantsByName) {
  const LibraryConstants& c = types.constants();
  EXPECT_EQ(text(types.subarray({4, 4}, {2, 2}, {1, 1}, c.order_c, mpi_double)),
            "MPI_Type_create_subarray(2, {4, 4}, {2, 2}, {1, 1}, MPI_ORDER_C, MPI_DOUBLE)");
  EXPECT_EQ(text(types.darray({4,
                               3,
                               {8, 8, 8},
                               {c.distribute_block, c.distribute_cyclic, c.distribute_none},
                               {c.distribute_dflt_darg, 2, c.distribute_dflt_darg},
                               {2, 2, 1},
                               c.order_fortran},
                              mpi_int)),
            "MPI_Type_create_darray(4, 3, 3, {8, 8, 8}, {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, "
            "MPI_DISTRIBUTE_NONE}, {MPI_DISTRIBUTE_DFLT_DARG, 2, MPI_DISTRIBUTE_DFLT_DARG}, {2, 2, 1}, "
            "MPI_ORDER_FORTRAN, MPI_INT)");
}

TEST_F(ConstructorCode, DoesNotTakeOtherArgumentsForConstants) {
  TestStore openmpi(openmpi_constants);  // MPI_ORDER_FORTRAN is 1 there, and so are many counts
  const DefinitionId id = openmpi.subarray({1}, {1}, {0}, 1, openmpi.named("MPI_INT"));
  EXPECT_EQ(constructor_call_text(openmpi.store(), id, nullptr),
            "MPI_Type_create_subarray(1, {1}, {1}, {0}, MPI_ORDER_FORTRAN, MPI_INT)");
}

TEST_F(ConstructorCode, CutsLongArrays) {
  EXPECT_EQ(text(types.indexed({1, 2, 3, 4}, {0, 4, 8, 16}, mpi_int), 2),
            "MPI_Type_indexed(4, {1, 2, ... (4 values)}, {0, 4, ... (4 values)}, MPI_INT)");
}

TEST_F(ConstructorCode, WritesStatementsThatCompile) {
  const auto statement = [&](DefinitionId id) {
    return constructor_statement(
        types.store(), id, [](DefinitionId) { return "t0"; }, "t1");
  };
  const DefinitionId pair = types.contiguous(2, mpi_int);
  EXPECT_EQ(statement(types.resized(pair, 0, 16)), "MPI_Type_create_resized(t0, 0, 16, &t1);");
  EXPECT_EQ(statement(types.structure({1, 1}, {0, 8}, {mpi_int, pair})),
            "MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, t0}, &t1);");
  EXPECT_EQ(statement(types.make(Combiner::hindexed, Form::large_counts, {{1}, {2}, {-8}}, {mpi_int})),
            "MPI_Type_create_hindexed_c(1, (MPI_Count[]){2}, (MPI_Count[]){-8}, MPI_INT, &t1);");
  EXPECT_EQ(statement(types.indexed({}, {}, mpi_int)), "MPI_Type_indexed(0, (int[]){0}, (int[]){0}, MPI_INT, &t1);");
}

TEST_F(ConstructorCode, WritesF90Types) {
  EXPECT_EQ(text(types.make(Combiner::f90_real, Form::int_counts, {{15}, {307}}, {})),
            "MPI_Type_create_f90_real(15, 307)");
  EXPECT_EQ(text(types.make(Combiner::f90_complex, Form::int_counts, {{15}, {mpi_undefined}}, {})),
            "MPI_Type_create_f90_complex(15, MPI_UNDEFINED)");
}

}  // namespace
}  // namespace ddtscope::test::constructor_code_test
