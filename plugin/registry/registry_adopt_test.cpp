// Types that no wrapper saw being made.
#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "plugin/registry/registry_fixture.h"

namespace ddtscope::plugin {
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
  registry_->committed(1);
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
  registry_->end_free(registry_->begin_free(50), FreeOutcome::failed);
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
  registry_->committed(1);
  free(1);
  EXPECT_EQ(lines("definition").size(), 2u);
  EXPECT_EQ(counts_of(get_view, 1), "[[null,0,2,1,2]]");
}

/// At each question a thread tries to get the lock.
class WatchedLibrary : public FakeLibrary {
 public:
  std::optional<DecodedType> decode(HandleBits type, std::string& problem) override {
    look();
    if (type == interrupted) {
      interrupted = 0;
      std::thread(meanwhile).join();
    }
    return FakeLibrary::decode(type, problem);
  }
  ObservedBounds bounds(HandleBits type) override { return look(), FakeLibrary::bounds(type); }
  std::optional<Envelope> envelope(HandleBits type) override { return look(), FakeLibrary::envelope(type); }
  std::string name(HandleBits type) override { return look(), FakeLibrary::name(type); }
  void release(HandleBits type) override { look(), FakeLibrary::release(type); }

  Registry* registry = nullptr;
  std::function<void()> meanwhile;
  HandleBits interrupted = 0;  // when this is decoded, another thread does something
  int questions = 0;
  int under_lock = 0;

 private:
  void look() {
    if (!registry) return;
    ++questions;
    waiting.push_back(std::async(std::launch::async, [this] { registry->knows(1); }));
    if (waiting.back().wait_for(std::chrono::seconds(5)) != std::future_status::ready) ++under_lock;
  }
  std::vector<std::future<void>> waiting;
};

class WatchedRegistry : public RegistryTest {
 protected:
  void SetUp() override {
    RegistryTest::SetUp();
    begin({});
  }
  void begin(Registry::Options options) {
    PredefinedType type;
    type.name = "MPI_DOUBLE";
    type.size = type.extent = type.alignment = 8;
    const std::vector predefined{PredefinedHandle{mpi_double, type}};
    watched_.registry = nullptr;
    registry_ = std::make_unique<Registry>(
        options, Registry::Surroundings{{}, predefined, sites_, watched_, writer_, pages_, memory_});
    watched_.registry = registry_.get();
  }
  WatchedLibrary watched_;
};

TEST_F(WatchedRegistry, TheLibraryIsAskedWithoutTheLock) {
  begin({.verify = true});
  watched_.knows_vector(50, {3, 1, 2}, 51);
  watched_.knows_vector(51, {4, 1, 2}, 60);
  watched_.decoded[60] = DecodedType{};  // predefined
  watched_.names[60] = "MPIX_C_FLOAT16";
  watched_.knows_vector(70, {5, 1, 2}, 71);
  watched_.knows_vector(71, {6, 1, 2}, 99);  // not to be decoded
  watched_.knows_vector(1, {7, 1, 2}, 50);
  watched_.knows_vector(2, {8, 1, 2}, mpi_double);
  make_vector(1, 7, 50);
  make_vector(2, 8);
  make_vector(3, 9, 70);
  get_value_index(20);
  registry_->adopt_used(50, type_contents, stack_);
  registry_->adopt_returned(51, type_contents, stack_);
  EXPECT_GE(watched_.questions, 15);
  EXPECT_EQ(watched_.under_lock, 0);
  EXPECT_EQ(watched_.released[51], watched_.handed_out[51]);
  EXPECT_EQ(watched_.released[71], watched_.handed_out[71]);
  EXPECT_EQ(watched_.released[60], 0);
}

TEST_F(WatchedRegistry, WhatAnotherThreadAdoptsMeanwhileIsAdoptedOnce) {
  watched_.knows_vector(50, {3, 1, 2}, mpi_double);
  watched_.interrupted = 50;
  watched_.meanwhile = [this] { make_vector(2, 5, 50); };
  make_vector(1, 5, 50);
  EXPECT_EQ(lines("definition").size(), 2u);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,0,1,0,0]]");  // 50
  EXPECT_EQ(counts_of(type_vector, 1), "[[null,2,0,0,0]]");
}

TEST_F(WatchedRegistry, WhatTheLibraryGivesTwiceIsSharedThoughAnotherThreadMeetsItMeanwhile) {
  static constexpr EntryPoint get_view{"MPI_File_get_view", "c"};
  watched_.knows_vector(50, {3, 1, 2}, mpi_double);
  watched_.interrupted = 50;
  watched_.meanwhile = [this] { registry_->adopt_returned(50, get_view, stack_); };
  registry_->adopt_returned(50, get_view, stack_);
  free(50);
  registry_->committed(50);  // one is left
  free(50);
  EXPECT_EQ(counts_of(get_view, 0), "[[null,0,2,1,2]]");
}

TEST_F(WatchedRegistry, AKnownPartKeepsItsDefinitionThoughTheProgramFreesIt) {
  make_vector(1, 3);
  DecodedType whole;
  whole.combiner = Combiner::structure;
  whole.envelope = {.num_integers = 3, .num_addresses = 2, .num_datatypes = 2, .combiner = Combiner::structure};
  whole.integers = {2, 1, 1};
  whole.addresses = {0, 64};
  whole.datatypes = {1, 52};
  watched_.decoded[50] = whole;
  watched_.knows_vector(52, {6, 1, 2}, mpi_double);
  watched_.interrupted = 52;  // by then the first part has been found
  watched_.meanwhile = [this] {
    free(1);
    make_vector(1, 9);  // the library gives the handle again
  };
  make_vector(2, 7, 50);
  const std::vector<std::string> definitions = lines("definition");
  ASSERT_EQ(definitions.size(), 5u);  // of 1, of 1 once more, of 52, of 50, of 2
  EXPECT_NE(definitions[3].find("\"datatypes\":[0,2]"), std::string::npos) << definitions[3];
}

TEST_F(WatchedRegistry, NothingIsTakenInAfterTheEnd) {
  watched_.knows_vector(50, {3, 1, 2}, mpi_double);
  watched_.interrupted = 50;
  watched_.meanwhile = [this] { registry_->close({.complete = true, .reason = "MPI_Finalize", .time = "now"}); };
  make_vector(1, 5, 50);
  EXPECT_TRUE(lines("definition").empty());
  EXPECT_EQ(lines("end").size(), 1u);
}

}  // namespace
}  // namespace ddtscope::plugin
