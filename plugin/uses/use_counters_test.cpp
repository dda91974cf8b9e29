// Counting uses: what is kept where a call fails, what is asked of the library, and what becomes of handles that it
// gives again.
#include "plugin/uses/use_counters.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <thread>

#include "plugin/uses/counted_uses_fixture.h"

namespace ddtscope::plugin::use_counters_test {
namespace {

constexpr HandleBits null_type = 0x9999, communicator_handle = 0x44;
constexpr EntryPoint send_entry{"MPI_Send", "c"}, alltoall_entry{"MPI_Alltoall", "c"}, init_entry{"MPI_Send_init", "c"},
    start_entry{"MPI_Start", "c"};

class FewCommunicators : public CommunicatorQueries {
 public:
  Communicator describe(HandleBits handle) override {
    ++asked[handle];
    if (meanwhile) meanwhile();
    Communicator communicator;
    communicator.size = communicator.remote_size = size;
    return communicator;
  }
  int size = 3;
  std::map<HandleBits, int> asked;
  std::function<void()> meanwhile;  // while the library is asked
};

UseRow row_of(const Uses& uses) {
  UseRow row{.uses = uses};
  row.needs_communicator = uses.communicator >= 0;
  row.is_plain = row.has_plain_arguments();
  return row;
}
const UseRow send =
    row_of({.first = {.parameter = UseParameter::datatype, .type = 2, .count = 1, .buffer = 0, .peer = 3}});
const UseRow alltoall =
    row_of({.first = {.parameter = UseParameter::sendtype, .type = 2, .count = 1, .copies = Copies::processes},
            .communicator = 3});
const UseRow send_init = row_of(
    {.first = {.parameter = UseParameter::datatype, .type = 2, .count = 1, .buffer = 0, .peer = 3}, .request = 4});

class UseCountersTest : public CountedUsesTest {
 protected:
  void SetUp() override {
    CountedUsesTest::SetUp();
    begin(std::size_t{1} << 20);
  }
  void begin(std::size_t most_bytes) {
    begin_counting(communicators_,
                   {.constants = {}, .null_type = null_type, .most_bytes = most_bytes, .judge = nullptr});
  }

  /// A call with these arguments, which the library takes or not.
  void call(const UseRow& row, const EntryPoint& entry, std::initializer_list<std::intptr_t> words,
            bool succeeds = true) {
    const std::vector<std::intptr_t> all(words);
    const UsingCall using_call{{row, all.data()}, &entry, &stack_};
    const UseCounters::Known known = uses_->begin(using_call);
    uses_->end(using_call, known, CallOutcome{succeeds});
  }
  /// What is counted of MPI_INT by a function, as the pages have it.
  trace::UseCounts counted(std::string_view called) {
    trace::UseCounts sum{};
    for (std::uint32_t i = 1; i <= static_cast<std::uint32_t>(pages_.last()); ++i) {
      const trace::CounterRecord& record = pages_.at(RecordNumber{i});
      if (record.parameter != 0 && called == record.called) trace::add_uses(sum, trace::use_counts_of(record));
    }
    return sum;
  }

  void make(HandleBits handle, std::int64_t count) {
    static constexpr EntryPoint contiguous{"MPI_Type_contiguous", "c"};
    const std::array<std::int64_t, 1> oldtypes{static_cast<std::int64_t>(mpi_int)};
    ConstructorCall call;
    call.combiner = Combiner::contiguous;
    call.scalars = {count, 0, 0, 0};
    registry_->created({.call = call,
                        .oldtypes = IntegerArray(std::span<const std::int64_t>(oldtypes)),
                        .newtype = handle,
                        .called = &contiguous,
                        .stack = &stack_});
  }
  /// What is counted of a definition, by its number in the trace.
  trace::UseCounts counted_of(std::uint32_t definition) {
    trace::UseCounts sum{};
    for (std::uint32_t i = 1; i <= static_cast<std::uint32_t>(pages_.last()); ++i) {
      const trace::CounterRecord& record = pages_.at(RecordNumber{i});
      if (record.parameter != 0 && record.definition == definition) trace::add_uses(sum, trace::use_counts_of(record));
    }
    return sum;
  }

  FewCommunicators communicators_;
};

/// A call in an attribute's delete function learns what is being freed; the library gives the handle again.
TEST_F(UseCountersTest, ANewCommunicatorIsNotTheOneThatHadItsHandle) {
  uses_->communicator_is_alive(communicator_handle);
  communicators_.size = 2;
  uses_->communicator_is_alive(communicator_handle);
  ASSERT_NE(uses_->communicators().find(communicator_handle), nullptr);
  EXPECT_EQ(uses_->communicators().find(communicator_handle)->size, 3);
  uses_->communicator_is_made(communicator_handle);
  EXPECT_EQ(uses_->communicators().find(communicator_handle)->size, 2);
}

TEST_F(UseCountersTest, ACallThatFailsKeepsItsCallAndGivesItsElementsBack) {
  call(send, send_entry, {1000, 5, mpi_int, 0});
  call(send, send_entry, {1000, 7, mpi_int, 0}, false);
  EXPECT_EQ(counted("MPI_Send").calls, 2u);
  EXPECT_EQ(counted("MPI_Send").elements, 5u);
  EXPECT_EQ(counted("MPI_Send").largest, 7u);
}

TEST_F(UseCountersTest, WhatAStatusToldStandsWithTheUse) {
  const std::intptr_t words[] = {1000, 5, mpi_int, 0};
  const UsingCall received{{send, words}, &send_entry, &stack_};
  PlainUse plain;
  uses_->begin(received, plain);
  EXPECT_FALSE(counted("MPI_Send").received);
  uses_->arrived(received, plain, 0);
  EXPECT_EQ(counted("MPI_Send").received, 0u);
  uses_->arrived(received, plain, 12);
  uses_->arrived(received, PlainUse(), 4);
  EXPECT_EQ(counted("MPI_Send").received, 16u);
  uses_->arrived(received, plain, UINT64_MAX);
  EXPECT_EQ(counted("MPI_Send").received, UINT64_MAX - 1);
  EXPECT_EQ(counted("MPI_Send").calls, 1u);
  // Of what was not counted nothing is.
  uses_->arrived({{send, words}, &start_entry, &stack_}, PlainUse(), 12);
  EXPECT_FALSE(counted("MPI_Start").received);
}

TEST_F(UseCountersTest, ACallThatNeverReturnsIsCounted) {
  const std::intptr_t words[] = {1000, 5, mpi_int, 0};
  uses_->begin({{send, words}, &send_entry, &stack_});
  EXPECT_EQ(counted("MPI_Send").elements, 5u);
}

TEST_F(UseCountersTest, TheLibraryIsAskedOnceAboutACommunicatorThatItTook) {
  call(alltoall, alltoall_entry, {1000, 5, mpi_int, communicator_handle}, false);
  EXPECT_TRUE(communicators_.asked.empty());  // it may be no communicator at all
  call(alltoall, alltoall_entry, {1000, 5, mpi_int, communicator_handle});
  call(alltoall, alltoall_entry, {1000, 5, mpi_int, communicator_handle});
  EXPECT_EQ(communicators_.asked[communicator_handle], 1);
  EXPECT_EQ(counted("MPI_Alltoall").elements, 30u);
}

TEST_F(UseCountersTest, OtherThreadsGoOnWhileTheLibraryIsAsked) {
  std::future<bool> other;
  bool went_on = false;
  communicators_.meanwhile = [&] {
    other = std::async(std::launch::async, [&] { return registry_->knows(mpi_int); });
    went_on = other.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  };
  call(alltoall, alltoall_entry, {1000, 5, mpi_int, communicator_handle});
  ASSERT_TRUE(other.valid());
  EXPECT_TRUE(other.get());
  EXPECT_TRUE(went_on);
}

TEST_F(UseCountersTest, AHandleThatWasFreedStandsForAnotherCommunicator) {
  call(alltoall, alltoall_entry, {1000, 1, mpi_int, communicator_handle});
  uses_->communicator_freed(communicator_handle);
  communicators_.size = 10;
  call(alltoall, alltoall_entry, {1000, 1, mpi_int, communicator_handle});
  EXPECT_EQ(counted("MPI_Alltoall").elements, 13u);
}

TEST_F(UseCountersTest, AHandleThatIsGivenAgainStandsForTheTypeThatItHasNow) {
  constexpr HandleBits handle = 0x2002;
  for (const std::int64_t count : {2, 3, 2}) {
    make(handle, count);
    for (int i = 0; i < 3; ++i) call(send, send_entry, {1000, count, static_cast<std::intptr_t>(handle), 0});
    registry_->end_free(registry_->begin_free(handle), CallOutcome::succeeded);
    call(send, send_entry, {1000, 100, static_cast<std::intptr_t>(handle), 0}, false);  // nobody's now
  }
  EXPECT_EQ(counted_of(0).calls, 6u);
  EXPECT_EQ(counted_of(0).elements, 12u);
  EXPECT_EQ(counted_of(1).calls, 3u);
  EXPECT_EQ(counted_of(1).elements, 9u);
}

TEST_F(UseCountersTest, ATypeThatIsMadeAnewIsKnownAgainWhateverItsHandle) {
  const auto count_again = [&](HandleBits handle, std::intptr_t count) {
    const std::intptr_t words[] = {1000, count, static_cast<std::intptr_t>(handle), 0};
    PlainUse plain;
    plain.type = handle;
    plain.site = registry_->types_in_use().site_of(stack_);
    return uses_->count_again({{send, words}, &send_entry, &stack_}, plain, [](const void*) { return true; });
  };
  const auto make_committed = [&](HandleBits handle, std::int64_t count) {
    make(handle, count);
    registry_->begin_commit(handle);
  };
  make_committed(0x2002, 2);
  EXPECT_FALSE(count_again(0x2002, 4));
  call(send, send_entry, {1000, 4, 0x2002, 0});
  EXPECT_TRUE(count_again(0x2002, 4));
  registry_->end_free(registry_->begin_free(0x2002), CallOutcome::succeeded);
  EXPECT_FALSE(count_again(0x2002, 4));
  make_committed(0x3003, 2);
  EXPECT_TRUE(count_again(0x3003, 4));
  make_committed(0x2002, 3);  // another type, by the handle that the first one had
  EXPECT_FALSE(count_again(0x2002, 4));
  EXPECT_EQ(counted_of(0).elements, 12u);
  EXPECT_EQ(counted_of(0).calls, 3u);
}

TEST_F(UseCountersTest, TheSameCallByAnotherNameOrFromAnotherPlaceIsCountedApart) {
  static constexpr EntryPoint other{"MPI_Ssend", "c"};
  for (int i = 0; i < 3; ++i) {
    stack_.site = {};
    call(send, send_entry, {1000, 1, mpi_int, 0});
    call(send, other, {1000, 10, mpi_int, 0});
    stack_.site.value = 7;
    call(send, other, {1000, 100, mpi_int, 0});
    call(send, other, {1000, 100, mpi_int, -9});  // MPI_PROC_NULL
  }
  EXPECT_EQ(counted("MPI_Send").elements, 3u);
  EXPECT_EQ(counted("MPI_Ssend").elements, 330u);
  EXPECT_EQ(counted("MPI_Ssend").calls, 9u);
  EXPECT_EQ(counted("MPI_Ssend").smallest, 0u);
  std::size_t records = 0;
  for (std::uint32_t i = 1; i <= static_cast<std::uint32_t>(pages_.last()); ++i) {
    if (pages_.at(RecordNumber{i}).parameter != 0) ++records;
  }
  EXPECT_EQ(records, 3u);
}

TEST_F(UseCountersTest, PersistentRequestsCountWhenTheyAreStarted) {
  HandleBits request = 0x77;
  call(send_init, init_entry, {1000, 6, mpi_int, 0, reinterpret_cast<std::intptr_t>(&request)});
  EXPECT_EQ(counted("MPI_Send_init").calls, 1u);
  EXPECT_EQ(counted("MPI_Send_init").largest, 0u);
  const StartingCall start{{&request, 1}, &start_entry, &stack_};
  uses_->start(start);
  uses_->start(start);
  EXPECT_EQ(counted("MPI_Start").elements, 12u);
  uses_->starting_failed(start);
  EXPECT_EQ(counted("MPI_Start").elements, 6u);
  EXPECT_EQ(counted("MPI_Start").calls, 2u);
  uses_->request_freed(request);
  uses_->start(start);
  EXPECT_EQ(counted("MPI_Start").calls, 2u);
}

TEST_F(UseCountersTest, NothingIsAskedAboutHandlesThatTheLibraryNeedNotHaveLookedAt) {
  call(send, send_entry, {1000, 5, null_type, 0});
  call(send, send_entry, {1000, 0, 0x5555, 0});
  call(send, send_entry, {1000, 5, 0x5555, -9});
  EXPECT_EQ(counted("MPI_Send").calls, 0u);
}

TEST_F(UseCountersTest, ThreadsLoseNoCount) {
  constexpr int threads = 8, calls = 5000;
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&] {
      const std::intptr_t words[] = {1000, 2, mpi_int, 0};
      Stack stack;
      const UsingCall using_call{{send, words}, &send_entry, &stack};
      for (int k = 0; k < calls; ++k) uses_->end(using_call, uses_->begin(using_call), CallOutcome{k % 10 != 0});
    });
  }
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(counted("MPI_Send").calls, std::uint64_t{threads} * calls);
  EXPECT_EQ(counted("MPI_Send").elements, std::uint64_t{threads} * calls * 2 * 9 / 10);
}

TEST_F(UseCountersTest, WhatThereIsNoMemoryForIsTold) {
  begin(0);
  for (int i = 0; i < 3; ++i) call(send, send_entry, {1000, 5, mpi_int, 0});
  call(send, send_entry, {1000, 5, mpi_int, 0}, false);
  call(alltoall, alltoall_entry, {1000, 5, mpi_int, communicator_handle});
  UnrecordedCalls unrecorded;
  uses_->write(writer_, unrecorded);
  EXPECT_EQ(counted("MPI_Send").calls, 0u);
  std::vector<UnrecordedRecord> told;
  unrecorded.add_to(told);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(std::pair(told[0].called, told[0].count), std::pair(std::string("MPI_Alltoall"), std::uint64_t{1}));
  EXPECT_EQ(std::pair(told[1].called, told[1].count), std::pair(std::string("MPI_Send"), std::uint64_t{4}));
  EXPECT_EQ(told[0].why, trace::no_memory_for_uses);
}

}  // namespace
}  // namespace ddtscope::plugin::use_counters_test
