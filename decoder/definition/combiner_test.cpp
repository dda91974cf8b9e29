// The combiner table and the predefined names.
#include "decoder/definition/combiner.h"

#include <gtest/gtest.h>

#include <set>

#include "decoder/definition/basic_type.h"

namespace ddtscope::combiner_test {
namespace {

TEST(Combiner, NamesLeadBackToTheirRows) {
  for (int i = 0; i < combiner_count; ++i) {
    const CombinerRow& row = row_of(static_cast<Combiner>(i));
    EXPECT_EQ(static_cast<int>(row.combiner), i);
    EXPECT_EQ(combiner_of_name(row.mpi_name), row.combiner) << row.mpi_name;
  }
  EXPECT_EQ(combiner_of_name("MPI_COMBINER_NONSENSE"), std::nullopt);
  EXPECT_EQ(combiner_of_name(""), std::nullopt);
}

TEST(Combiner, RemovedFortranNamesDecodeLikeTheirSuccessors) {
  EXPECT_EQ(combiner_of_name("MPI_COMBINER_HVECTOR_INTEGER"), Combiner::hvector);
  EXPECT_EQ(combiner_of_name("MPI_COMBINER_HINDEXED_INTEGER"), Combiner::hindexed);
  EXPECT_EQ(combiner_of_name("MPI_COMBINER_STRUCT_INTEGER"), Combiner::structure);
}

TEST(Combiner, LargeConstructorsHaveASuffix) {
  EXPECT_EQ(constructor_name(Combiner::vector, Form::int_counts), "MPI_Type_vector");
  EXPECT_EQ(constructor_name(Combiner::vector, Form::large_counts), "MPI_Type_vector_c");
  EXPECT_EQ(constructor_name(Combiner::dup, Form::large_counts), "MPI_Type_dup");
  EXPECT_EQ(constructor_name(Combiner::named, Form::int_counts), "");
}

TEST(Combiner, SlotsCountScalarsAndArraysApart) {
  EXPECT_EQ(parameter_slot(Combiner::darray, "order"), 3);
  EXPECT_EQ(parameter_slot(Combiner::darray, "array_of_psizes"), 3);
  EXPECT_EQ(parameter_slot(Combiner::subarray, "order"), 1);
  EXPECT_EQ(parameter_slot(Combiner::indexed_block, "array_of_displacements"), 0);
  EXPECT_EQ(parameter_slot(Combiner::vector, "order"), -1);
}

TEST(PredefinedNames, SynonymsAreFolded) {
  EXPECT_EQ(find_predefined_name("MPI_LONG_LONG")->canonical, "MPI_LONG_LONG_INT");
  EXPECT_EQ(find_predefined_name("MPI_C_FLOAT_COMPLEX")->canonical, "MPI_C_COMPLEX");
  EXPECT_EQ(find_predefined_name("MPI_INT")->canonical, "MPI_INT");
  EXPECT_EQ(find_predefined_name("MPI_NONSENSE"), nullptr);
}

TEST(PredefinedNames, AreUniqueAndComeAfterTheirCanonicalName) {
  std::set<std::string_view> seen;
  for (const PredefinedName& name : predefined_names()) {
    EXPECT_TRUE(seen.insert(name.name).second) << name.name;
    EXPECT_TRUE(seen.contains(name.canonical)) << name.name;
    if (name.kind == PredefinedKind::pair) {
      EXPECT_NE(find_predefined_name(name.first), nullptr) << name.name;
      EXPECT_NE(find_predefined_name(name.second), nullptr) << name.name;
    }
  }
}

TEST(PredefinedTable, OneTypeForAllSynonyms) {
  PredefinedTable table;
  const PredefinedId id = table.add({"MPI_LONG_LONG", PredefinedKind::basic, 8, 8, 8, {}, {}, 0});
  EXPECT_EQ(table[id].name, "MPI_LONG_LONG_INT");
  EXPECT_EQ(table.add({"MPI_LONG_LONG_INT", PredefinedKind::basic, 8, 8, 8, {}, {}, 0}), id);
  EXPECT_EQ(table.find("MPI_LONG_LONG"), id);
  EXPECT_EQ(table.find("MPI_INT"), std::nullopt);
}

TEST(Combiner, CodesAreThoseOfTheFirstTraces) {
  EXPECT_EQ(combiner_code(Combiner::named), 1);
  EXPECT_EQ(combiner_code(Combiner::vector), 4);
  EXPECT_EQ(combiner_code(Combiner::structure), 10);
  EXPECT_EQ(combiner_code(Combiner::value_index), 17);
  EXPECT_EQ(combiner_of_code(10), Combiner::structure);
  EXPECT_EQ(combiner_of_code(0), std::nullopt);
  EXPECT_EQ(combiner_of_code(18), std::nullopt);
}

TEST(NaturalAlignment, IsThatOfTheElement) {
  EXPECT_EQ(natural_alignment("MPI_DOUBLE", 8), 8);
  EXPECT_EQ(natural_alignment("MPI_LONG_DOUBLE", 12), 4);
  EXPECT_EQ(natural_alignment("MPI_C_DOUBLE_COMPLEX", 16), 8);
  EXPECT_EQ(natural_alignment("MPI_C_LONG_DOUBLE_COMPLEX", 32), 16);
  EXPECT_EQ(natural_alignment("MPI_REAL16", 32), 16);
  EXPECT_EQ(natural_alignment("MPI_BYTE", 1), 1);
  EXPECT_EQ(natural_alignment("MPI_LB", 0), 1);
}

}  // namespace
}  // namespace ddtscope::combiner_test
