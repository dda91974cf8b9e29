// Types that no wrapper saw being made.
#include "plugin/registry/registry_fixture.h"

namespace ddtscope::plugin::registry_adopt_test {
namespace {

TEST_F(RegistryTest, AnUnknownOldTypeIsAdoptedWithAllItIsMadeOf) {
  library_.knows_vector(50, {3, 1, 2}, 51);
  library_.knows_vector(51, {4, 1, 2}, mpi_int);
  make_vector(1, 5, 50);
  EXPECT_EQ(lines("definition").size(), 3u);
  EXPECT_EQ(library_.released[51], library_.handed_out[51]);  // no handle leaks
  EXPECT_EQ(library_.released[mpi_int], 0);
  EXPECT_EQ(counts_of(type_vector, 1), "[[null,0,1,0,0]]");  // 50
  EXPECT_EQ(counts_of(type_vector, 2), "[[null,1,0,0,0]]");
}

TEST_F(RegistryTest, AnUnknownPredefinedTypeIsTakenByItsNameAndNeverFreed) {
  library_.knows_vector(50, {3, 1, 2}, 60);
  library_.decoded[60] = DecodedType{};
  library_.names[60] = "MPIX_C_FLOAT16";
  make_vector(1, 5, 50);
  EXPECT_EQ(
      lines("predefined").at(0),
      R"({"record":"predefined","name":"MPIX_C_FLOAT16","kind":"basic","size":64,"extent":64,"alignment":16,"parts":null})");
  EXPECT_EQ(lines("definition").size(), 2u);
  EXPECT_EQ(library_.released[60], 0);
}

TEST_F(RegistryTest, GivingUpAnAdoptionFreesNothingThatIsNotDerived) {
  library_.knows_vector(50, {3, 1, 2}, 60);
  library_.decoded[60] = DecodedType{};  // predefined, and without a name
  make_vector(1, 5, 50);
  EXPECT_EQ(lines("definition").size(), 0u);
  EXPECT_EQ(library_.released[60], 0);
}

TEST_F(RegistryTest, AnOldTypeThatCannotBeDecodedIsCountedAsUnrecorded) {
  make_vector(1, 5, 99);
  EXPECT_EQ(lines("definition").size(), 0u);
  EXPECT_NE(lines("end").at(0).find("\"unrecorded\":[{\"called\":\"MPI_Type_vector\",\"count\":1,"), std::string::npos);
}

// MPICH 4.0.2 makes types of freed handles and frees them again.
TEST_F(RegistryTest, NothingIsAskedAboutAFreedHandle) {
  make_vector(1, 3);
  free(1);
  library_.asked.clear();
  library_.knows_vector(1, {3, 1, 2}, mpi_double);
  library_.knows_vector(2, {5, 1, 2}, 1);
  make_vector(2, 5, 1);
  registry_->adopt_used(1, {"MPI_Type_get_envelope", "c"}, stack_);
  commit(1);
  registry_->named(1, "gone");
  get_contents(1, mpi_double);
  free(1);
  EXPECT_TRUE(library_.asked.empty());
  EXPECT_EQ(lines("definition").size(), 1u);
  EXPECT_TRUE(lines("name").empty());
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,0,1]]");
  EXPECT_NE(lines("end").at(0).find(
                R"({"called":"MPI_Type_vector","count":1,"why":"its old type could not be decoded: it was freed"})"),
            std::string::npos)
      << lines("end").at(0);
}

TEST_F(RegistryTest, NothingIsAskedAboutATypeMadeOfAFreedOne) {
  make_vector(1, 3);
  free(1);
  make_vector(2, 5, 1);
  library_.asked.clear();
  library_.knows_vector(2, {5, 1, 2}, 1);
  make_vector(3, 7, 2);
  EXPECT_TRUE(library_.asked.empty());
}

TEST_F(RegistryTest, NothingIsAskedAboutAHandleThatWasFreedUnseen) {
  library_.knows_vector(50, {3, 1, 2}, mpi_double);
  free(50);
  make_vector(1, 5, 50);
  EXPECT_TRUE(library_.asked.empty());
}

TEST_F(RegistryTest, AFailedFreeOfAnUnknownHandleLeavesItToBeAdopted) {
  library_.knows_vector(50, {3, 1, 2}, mpi_double);
  registry_->end_free(registry_->begin_free(50), CallOutcome::failed);
  make_vector(1, 5, 50);
  EXPECT_EQ(lines("definition").size(), 2u);
}

TEST_F(RegistryTest, AnAdoptedTypeMayBeMadeOfAHandleThatTheProgramFreed) {
  make_vector(1, 3);
  free(1);
  library_.knows_vector(1, {3, 1, 2}, mpi_double);
  library_.knows_vector(50, {5, 1, 2}, 1);  // the library holds it still
  make_vector(2, 7, 50);
  EXPECT_EQ(lines("definition").size(), 3u);
  EXPECT_EQ(library_.released[1], library_.handed_out[1]);
}

TEST_F(RegistryTest, WhatTheLibraryHandsOutIsAdoptedUnderAFreedHandleToo) {
  static constexpr EntryPoint get_view{"MPI_File_get_view", "c"};
  make_vector(1, 3);
  free(1);
  library_.knows_vector(1, {7, 1, 2}, mpi_double);
  registry_->adopt_returned(1, get_view, stack_);
  registry_->adopt_returned(1, get_view, stack_);  // the same object again
  registry_->adopt_returned(mpi_int, get_view, stack_);
  free(1);
  commit(1);
  free(1);
  EXPECT_EQ(lines("definition").size(), 2u);
  EXPECT_EQ(counts_of(get_view, 1), "[[null,0,2,1,2]]");
}

}  // namespace
}  // namespace ddtscope::plugin::registry_adopt_test
