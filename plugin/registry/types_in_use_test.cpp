// What is known of a handle that a call uses: which type it is, whether it may be used, where it was freed.
#include "plugin/registry/registry_fixture.h"

namespace ddtscope::plugin::types_in_use_test {
namespace {

constexpr EntryPoint type_indexed{"MPI_Type_indexed", "c"}, type_struct{"MPI_Type_create_struct", "c"};
constexpr EntryPoint type_dup{"MPI_Type_dup", "c"}, get_view{"MPI_File_get_view", "c"}, type_free{"MPI_Type_free", "c"};

class TypesInUseTest : public RegistryTest {
 protected:
  TypeInUse find(HandleBits handle) {
    TypeInUse found;
    registry_->beside([&] { found = registry_->types_in_use().find(handle); });
    return found;
  }
  bool lacks_commit(HandleBits handle) { return find(handle).lacks_commit; }
  void duplicate(HandleBits newtype, HandleBits oldtype) {
    ConstructorCall call;
    call.combiner = Combiner::dup;
    make(call, newtype, oldtype, type_dup);
  }
  const FreedType* last_life(HandleBits handle) { return registry_->types_in_use().last_life(handle); }
};

TEST_F(TypesInUseTest, ATypeLacksItsCommitUntilItHasOne) {
  make_vector(1, 3);
  EXPECT_TRUE(lacks_commit(1));
  commit(1);
  EXPECT_FALSE(lacks_commit(1));
  EXPECT_FALSE(lacks_commit(mpi_int));
  // The same definition under another handle has a life of its own.
  make_vector(2, 3);
  EXPECT_TRUE(lacks_commit(2));
}

TEST_F(TypesInUseTest, ADuplicateIsCommittedWhereItsTypeIs) {
  make_vector(1, 3);
  duplicate(2, 1);
  EXPECT_TRUE(lacks_commit(2));
  commit(1);
  duplicate(3, 1);
  duplicate(4, 3);
  EXPECT_FALSE(lacks_commit(3));
  EXPECT_FALSE(lacks_commit(4));
  // Twice the same call, which is found by another way.
  duplicate(5, 1);
  EXPECT_FALSE(lacks_commit(5));
}

TEST_F(TypesInUseTest, WhatTheLibraryGivesMayBeCommitted) {
  make_vector(1, 3);
  make_vector(2, 5, 1);
  get_contents(2, 60);
  EXPECT_EQ(find(60).state, TypeInUse::State::known);
  EXPECT_FALSE(lacks_commit(60));
  library_.knows_vector(50, {3, 1, 2}, mpi_double);
  registry_->adopt_returned(50, get_view, stack_);
  EXPECT_FALSE(lacks_commit(50));
}

TEST_F(TypesInUseTest, AHandleThatIsGivenTwiceIsOneObject) {
  make_vector(1, 3);
  commit(1);
  make_vector(2, 5, 1);
  get_contents(2, 1);  // MPICH gives the same handle once more
  EXPECT_FALSE(lacks_commit(1));
  free(1);
  EXPECT_FALSE(lacks_commit(1));
  free(1);
  EXPECT_EQ(find(1).state, TypeInUse::State::freed);
}

TEST_F(TypesInUseTest, TheBasicTypesOfATypeAreThoseOfItsEntries) {
  const auto basic = [&](HandleBits handle) { return registry_->types_in_use().basic_types_of(handle); };
  EXPECT_FALSE(basic(mpi_int).are_derived);
  EXPECT_EQ(basic(mpi_int).first, "MPI_INT");
  EXPECT_TRUE(basic(mpi_int).second.empty());
  duplicate(1, mpi_int);
  EXPECT_FALSE(basic(1).are_derived);
  make_vector(2, 3);
  duplicate(3, 2);
  EXPECT_TRUE(basic(3).are_derived);
  EXPECT_EQ(basic(3).first, basic(2).first);
  EXPECT_TRUE(basic(3).second.empty());
  EXPECT_TRUE(basic(77).first.empty());
}

TEST_F(TypesInUseTest, WhatHasNoEntriesHasNoBasicTypes) {
  make_vector(1, 0, mpi_int);
  EXPECT_TRUE(registry_->types_in_use().basic_types_of(1).first.empty());
  make_vector(2, 3, mpi_int);
  EXPECT_EQ(registry_->types_in_use().basic_types_of(2).first, "MPI_INT");
  ConstructorCall call;  // of lengths that are all 0
  call.combiner = Combiner::indexed;
  call.scalars = {2, 0, 0, 0};
  const std::array<std::int32_t, 2> none{0, 0};
  call.arrays[0] = call.arrays[1] = IntegerArray(std::span<const std::int32_t>(none));
  make(call, 3, mpi_int, type_indexed);
  EXPECT_TRUE(registry_->types_in_use().basic_types_of(3).first.empty());
  // A member that has none beside one that has: one basic type, not several.
  const std::array<std::int64_t, 2> members{1, static_cast<std::int64_t>(mpi_double)};
  const std::array<std::int32_t, 2> ones{1, 1};
  const std::array<std::int64_t, 2> displacements{0, 8};
  ConstructorCall record;
  record.combiner = Combiner::structure;
  record.scalars = {2, 0, 0, 0};
  record.arrays[0] = IntegerArray(std::span<const std::int32_t>(ones));
  record.arrays[1] = IntegerArray(std::span<const std::int64_t>(displacements));
  registry_->created({.call = record,
                      .oldtypes = IntegerArray(std::span<const std::int64_t>(members)),
                      .newtype = 4,
                      .called = &type_struct,
                      .stack = &stack_});
  EXPECT_EQ(registry_->types_in_use().basic_types_of(4).first, "MPI_DOUBLE");
  EXPECT_TRUE(registry_->types_in_use().basic_types_of(4).second.empty());
}

TEST_F(TypesInUseTest, AFreedHandleIsToldFromOneThatNobodyHasSeen) {
  EXPECT_EQ(find(77).state, TypeInUse::State::unknown);
  make_vector(1, 3);
  free(1);
  EXPECT_EQ(find(1).state, TypeInUse::State::freed);
  make_vector(1, 5);  // given again
  EXPECT_EQ(find(1).state, TypeInUse::State::known);
  EXPECT_TRUE(lacks_commit(1));
}

TEST_F(TypesInUseTest, OfWhatWasFreedUnseenNothingIsSaid) {
  free(50);
  EXPECT_EQ(find(50).state, TypeInUse::State::lost);
  make_vector(1, 3);
  free(1);
  make_vector(2, 5, 1);  // some libraries take it
  EXPECT_EQ(find(2).state, TypeInUse::State::lost);
}

TEST_F(TypesInUseTest, AHandleThatTheLibraryTakesForItselfIsNoLongerTheFreedType) {
  make_vector(1, 3);
  free(1);
  registry_->made_by_library(1);
  EXPECT_EQ(find(1).state, TypeInUse::State::lost);
  make_vector(2, 3);
  registry_->made_by_library(2);
  EXPECT_EQ(find(2).state, TypeInUse::State::known);
}

TEST_F(TypesInUseTest, WhereATypeWasFreedIsRemembered) {
  make_vector(1, 3);
  int here = 0;
  registry_->end_free(registry_->begin_free(1), CallOutcome::failed, {&type_free, &here});
  EXPECT_EQ(last_life(1), nullptr);
  registry_->end_free(registry_->begin_free(1), CallOutcome::succeeded, {&type_free, &here});
  ASSERT_NE(last_life(1), nullptr);
  EXPECT_EQ(last_life(1)->definition, DefinitionNumber{0});
  EXPECT_EQ(last_life(1)->at.address, &here);
  EXPECT_EQ(last_life(2), nullptr);
}

}  // namespace
}  // namespace ddtscope::plugin::types_in_use_test
