// Handles: given, given again, shared, freed by several calls at once.
#include "plugin/registry/registry_fixture.h"

namespace ddtscope::plugin::registry_lives_test {
namespace {

TEST_F(RegistryTest, AReusedHandleIsAnotherType) {
  make_vector(1, 3);
  free(1);
  make_vector(1, 4);
  commit(1);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,0,1]]");
  EXPECT_EQ(counts_of(type_vector, 1), "[[null,1,0,1,0]]");
}

TEST_F(RegistryTest, AHandleReusedWhileItIsBeingFreedKeepsItsNewLife) {
  make_vector(1, 3);
  const Registry::Free pending = registry_->begin_free(1);
  make_vector(1, 4);  // another thread, before the library's free has come back
  registry_->end_free(pending, CallOutcome::succeeded);
  commit(1);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,0,1]]");
  EXPECT_EQ(counts_of(type_vector, 1), "[[null,1,0,1,0]]");
}

TEST_F(RegistryTest, AFailedFreeLeavesTheTypeAlive) {
  make_vector(1, 3);
  registry_->end_free(registry_->begin_free(1), CallOutcome::failed);
  commit(1);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,1,0]]");
}

TEST_F(RegistryTest, AFailedCommitIsNotCounted) {
  make_vector(1, 3);
  registry_->commit_failed(registry_->begin_commit(1));
  EXPECT_FALSE(registry_->begin_commit(1).is_doubtful());
  make_vector(2, 3);
  registry_->commit_failed(registry_->begin_commit(2));
  registry_->commit_failed(registry_->begin_commit(mpi_int));
  registry_->commit_failed(registry_->begin_commit(99));
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,2,0,1,0]]");
}

TEST_F(RegistryTest, AnOldTypeStaysUsableWhileItIsDying) {
  make_vector(1, 3);
  const Registry::Free pending = registry_->begin_free(1);
  make_vector(2, 5, 1);  // a delete callback makes a type of it
  registry_->end_free(pending, CallOutcome::succeeded);
  EXPECT_EQ(lines("definition").size(), 2u);
  EXPECT_TRUE(library_.handed_out.empty());
}

TEST_F(RegistryTest, ASharedHandleFromGetContentsIsFreedYoungestFirst) {
  make_vector(1, 3);
  make_vector(2, 5, 1);
  get_contents(2, 1);  // as MPICH: the same handle, one more reference
  free(1);
  commit(1);  // the older life goes on
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,1,0]]");
  EXPECT_EQ(counts_of(type_contents, 0), "[[null,1,0,0,1]]");
}

TEST_F(RegistryTest, ANewHandleFromGetContentsHasTheChildsDefinition) {
  make_vector(1, 3);
  make_vector(2, 5, 1);
  get_contents(2, 7);  // as Open MPI: a new handle
  commit(7);
  free(7);
  EXPECT_EQ(lines("definition").size(), 2u);
  EXPECT_EQ(counts_of(type_contents, 0), "[[null,1,0,1,1]]");
}

TEST_F(RegistryTest, PredefinedHandlesHaveNoLives) {
  commit(mpi_int);
  free(mpi_int);
  make_vector(1, 3, mpi_int);
  EXPECT_EQ(lines("definition").size(), 1u);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,0,0]]");
}

TEST_F(RegistryTest, OverlappingFreesOfASharedHandleEndEachLifeOnce) {
  make_vector(1, 3);
  make_vector(2, 5, 1);
  get_contents(2, 1);
  const Registry::Free first = registry_->begin_free(1);
  const Registry::Free second = registry_->begin_free(1);
  registry_->end_free(first, CallOutcome::succeeded);
  registry_->end_free(second, CallOutcome::succeeded);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,0,1]]");
  EXPECT_EQ(counts_of(type_contents, 0), "[[null,1,0,0,1]]");
}

TEST_F(RegistryTest, OverlappingFreesEndEachLifeOnceThoughTheHandleIsReused) {
  make_vector(1, 3);
  make_vector(2, 5, 1);
  get_contents(2, 1);
  const Registry::Free first = registry_->begin_free(1);
  const Registry::Free second = registry_->begin_free(1);
  make_vector(1, 4);  // a third thread, after the library has freed both references
  registry_->end_free(second, CallOutcome::succeeded);
  registry_->end_free(first, CallOutcome::succeeded);
  commit(1);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,0,1]]");
  EXPECT_EQ(counts_of(type_contents, 0), "[[null,1,0,0,1]]");
  EXPECT_EQ(counts_of(type_vector, 2), "[[null,1,0,1,0]]");
}

TEST_F(RegistryTest, AReferenceTakenWhileAnotherIsBeingFreedIsOneMoreOfTheSameObject) {
  make_vector(1, 3);
  make_vector(2, 5, 1);
  get_contents(2, 1);
  const Registry::Free pending = registry_->begin_free(1);
  get_contents(2, 1);  // another thread: there is an older reference, so the handle is no other object's
  registry_->end_free(pending, CallOutcome::succeeded);
  free(1);
  commit(1);  // one is left
  free(1);
  EXPECT_EQ(registry_->totals().created, 4u);
  EXPECT_EQ(registry_->totals().freed, 3u);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,1,1]]");
  EXPECT_EQ(counts_of(type_contents, 0), "[[null,2,0,0,2]]");
}

TEST_F(RegistryTest, IntegerHandlesHoldForOneLifeOfTheirType) {
  // What a debugger does: the live type that an INTEGER stands for; 0 where there is none.
  const auto type_of = [&](std::int32_t integer) -> HandleBits {
    const auto* integers = reinterpret_cast<const trace::DebugTable*>(memory_.table(trace::DebugTableKind::fortran));
    const auto* handles = reinterpret_cast<const trace::DebugTable*>(memory_.table(trace::DebugTableKind::handles));
    HandleBits found = 0;
    for (std::uint64_t i = 0; i < integers->capacity; ++i) {
      const auto& entry = reinterpret_cast<const trace::DebugFortran*>(integers + 1)[i];
      if (entry.handle == 0 || entry.integer != integer) continue;
      for (std::uint64_t k = 0; k < handles->capacity; ++k) {
        const auto& slot = reinterpret_cast<const trace::DebugHandle*>(handles + 1)[k];
        if (slot.handle != entry.handle || slot.state != trace::DebugHandleState::live) continue;
        if (slot.generation != entry.generation) continue;
        EXPECT_EQ(found, 0u) << "two types for one INTEGER";
        found = slot.handle;
      }
    }
    return found;
  };
  EXPECT_EQ(memory_.table(trace::DebugTableKind::fortran), 0u) << "a C program needs none";
  make_vector(1, 3);
  registry_->stands_in_fortran(1, 70);
  registry_->stands_in_fortran(mpi_int, 7);
  registry_->stands_in_fortran(99, 71);  // not known
  EXPECT_EQ(type_of(70), 1u);
  EXPECT_EQ(type_of(7), mpi_int);
  EXPECT_EQ(type_of(71), 0u);
  free(1);
  EXPECT_EQ(type_of(70), 0u);
  EXPECT_EQ(registry_->freed_in_fortran(70), 1u);
  EXPECT_EQ(registry_->freed_in_fortran(7), 0u);   // it stands for what is alive
  EXPECT_EQ(registry_->freed_in_fortran(71), 0u);  // for nothing
  make_vector(2, 3);
  registry_->stands_in_fortran(2, 70);  // the library gives INTEGERs again, too
  EXPECT_EQ(registry_->freed_in_fortran(70), 0u);
  make_vector(1, 3);  // and the handle to a type that Fortran never saw
  EXPECT_EQ(type_of(70), 2u);
  registry_->stands_in_fortran(1, 72);
  EXPECT_EQ(type_of(72), 1u);
  // Many of them, a few alive at once: the table stays as large as those need.
  for (HandleBits handle = 1000; handle < 21000; ++handle) {
    make_vector(handle, 3);
    registry_->stands_in_fortran(handle, static_cast<std::int32_t>(handle));
    EXPECT_EQ(handle % 1000 != 0 || type_of(static_cast<std::int32_t>(handle)) == handle, true);
    free(handle);
  }
  EXPECT_EQ(type_of(72), 1u);
  EXPECT_LE(reinterpret_cast<trace::DebugTable*>(memory_.table(trace::DebugTableKind::fortran))->capacity, 1024u);
  for (HandleBits handle = 1000; handle < 3000; ++handle) {
    make_vector(handle, 3);
    registry_->stands_in_fortran(handle, static_cast<std::int32_t>(handle));
  }
  EXPECT_EQ(type_of(1000), 1000u);
  EXPECT_EQ(type_of(2999), 2999u);
  EXPECT_EQ(type_of(72), 1u);
}

// MPICH's get_contents gives the handle of an old type that the program has freed and the library still holds.
TEST_F(RegistryTest, AFreedHandleThatTheLibraryGivesAgainIsAliveAgain) {
  make_vector(1, 3);
  make_vector(2, 5, 1);
  free(1);
  get_contents(2, 1);
  commit(1);
  make_vector(3, 6, 1);
  EXPECT_EQ(lines("definition").size(), 3u);
  EXPECT_EQ(counts_of(type_contents, 0), "[[null,1,0,1,0]]");
}

TEST_F(RegistryTest, F90TypesAreNotLeftBehind) {
  static constexpr EntryPoint create_f90{"MPI_Type_create_f90_integer", "c"};
  ConstructorCall call;
  call.combiner = Combiner::f90_integer;
  call.scalars = {9, 0, 0, 0};
  registry_->created({.call = call, .oldtypes = {}, .newtype = 9, .called = &create_f90, .stack = &stack_});
  EXPECT_EQ(registry_->totals().created, 1u);
  EXPECT_EQ(registry_->totals().freed, 1u);
}

TEST_F(RegistryTest, APairWithoutANameIsADefinitionThatNobodyFrees) {
  library_.decoded[20].envelope = {.num_datatypes = 2, .combiner = Combiner::value_index};
  get_value_index(20);
  get_value_index(20);
  EXPECT_EQ(counts_of(get_pair, 0), "[[null,2,0,0,0]]");
  EXPECT_EQ(registry_->totals().definitions, 1u);
  EXPECT_EQ(registry_->totals().freed, 2u);
  // The library refuses that.
  EXPECT_FALSE(registry_->begin_free(20).known);
}

TEST_F(RegistryTest, ManyHandlesAtOnceAreAllFound) {
  constexpr HandleBits count = 20000;
  for (HandleBits i = 0; i < count; ++i) make_vector(0x10000 + i * 16, 3);
  for (HandleBits i = 0; i < count; i += 2) free(0x10000 + i * 16);
  for (HandleBits i = 1; i < count; i += 2) commit(0x10000 + i * 16);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,20000,0,10000,10000]]");
}

}  // namespace
}  // namespace ddtscope::plugin::registry_lives_test
