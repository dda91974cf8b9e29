// What other threads do while the library is asked, which is done without the lock.
#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "plugin/registry/registry_fixture.h"

namespace ddtscope::plugin::registry_lock_test {
namespace {

/// At each question a thread tries to get the lock.
class WatchedLibrary : public FakeLibrary {
 public:
  std::optional<DecodedType> decode(HandleBits type, std::string& problem) override {
    return look(type), FakeLibrary::decode(type, problem);
  }
  ObservedBounds bounds(HandleBits type) override { return look(type), FakeLibrary::bounds(type); }
  std::optional<Envelope> envelope(HandleBits type) override { return look(type), FakeLibrary::envelope(type); }
  std::string name(HandleBits type) override { return look(type), FakeLibrary::name(type); }
  void release(HandleBits type) override { look(type), FakeLibrary::release(type); }

  Registry* registry = nullptr;
  HandleBits interrupted = 0;  // at the first question about this one, another thread does something
  std::function<void()> meanwhile;
  int questions = 0;
  int under_lock = 0;

 private:
  void look(HandleBits type) {
    if (!registry) return;
    ++questions;
    waiting_.push_back(std::async(std::launch::async, [this] { registry->knows(1); }));
    if (waiting_.back().wait_for(std::chrono::seconds(5)) != std::future_status::ready) ++under_lock;
    if (type != interrupted) return;
    interrupted = 0;
    std::thread(meanwhile).join();
  }
  std::vector<std::future<void>> waiting_;
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
  /// Frees handle 1, and makes so much that all goes that may.
  void replace_all_but_what_is_used() {
    free(1);
    for (std::int64_t i = 0; i < 500; ++i) {
      make_vector(1, 100 + i);
      free(1);
    }
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
  commit(50);  // one is left
  free(50);
  EXPECT_EQ(counts_of(get_view, 0), "[[null,0,2,1,2]]");
}

TEST_F(WatchedRegistry, AKnownPartKeepsItsDefinitionThoughTheProgramFreesIt) {
  begin({.most_bytes = 40000});
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
  watched_.meanwhile = [this] { replace_all_but_what_is_used(); };
  make_vector(2, 7, 50);
  const std::vector<std::string> definitions = lines("definition");
  ASSERT_EQ(definitions.size(), 504u);  // of 1, the others, of 52, of 50, of 2
  EXPECT_NE(definitions[502].find("\"datatypes\":[0,501]"), std::string::npos) << definitions[502];
}

TEST_F(WatchedRegistry, AnOldtypeKeepsItsDefinitionWhileTheLibraryIsAsked) {
  begin({.most_bytes = 40000});
  make_vector(1, 3);
  watched_.interrupted = 2;
  watched_.meanwhile = [this] { replace_all_but_what_is_used(); };
  make_vector(2, 7, 1);
  const std::vector<std::string> definitions = lines("definition");
  ASSERT_EQ(definitions.size(), 502u);
  EXPECT_NE(definitions[501].find("\"datatypes\":[0]"), std::string::npos) << definitions[501];
  EXPECT_EQ(counts_of(type_vector, 501), "[[null,1,0,0,0]]");
}

TEST_F(WatchedRegistry, WhatTwoThreadsMakeAtOnceIsOneDefinition) {
  watched_.interrupted = 1;
  watched_.meanwhile = [this] { make_vector(2, 3); };
  make_vector(1, 3);
  free(1);
  EXPECT_EQ(lines("definition").size(), 1u);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,2,0,0,1]]");
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
}  // namespace ddtscope::plugin::registry_lock_test
