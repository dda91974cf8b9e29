// Which pairs of buffers calls leave in the trace: what begins, what is complete, and what threads do at once.
#include "plugin/pending/pending_calls.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <thread>

#include "plugin/pending/pending_calls_fixture.h"

namespace ddtscope::plugin::pending_calls_test {
namespace {

TEST_F(PendingCallsTest, APairIsWrittenOnceAndToldWhereItIsCertain) {
  for (int round = 0; round < 3; ++round) {
    call(receive, receive_entry, at(1000, 10), {1, 100});
    call(send, send_entry, at(1036, 10), {2, 200});
    pending_->complete({1, 100});
    pending_->complete({2, 200});
  }
  EXPECT_FALSE(pending_->any());
  const auto found = written("finding");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(
      found[0].find("\"access\":\"reads\",\"elements\":10,\"other\":{\"type\":\"MPI_INT\",\"called\":\"MPI_Irecv\""),
      std::string::npos)
      << found[0];
  EXPECT_NE(found[0].find("\"distance\":-36,\"same_call\":false"), std::string::npos) << found[0];
  EXPECT_EQ(told_, std::vector<std::string>{"MPI_Isend reads memory that the pending MPI_Irecv writes."});
  EXPECT_TRUE(notes().empty());
  ASSERT_EQ(written("finding_count").size(), 2u);  // the first one in case that the process is killed
  EXPECT_NE(written("finding_count")[0].find("\"count\":2"), std::string::npos);
  EXPECT_NE(written("finding_count")[1].find("\"count\":3"), std::string::npos);
}

TEST_F(PendingCallsTest, WhatOneLookDoesNotTellIsLeftToAfter) {
  call(receive, receive_entry, at(1000, 10), {1, 100});
  EXPECT_TRUE(is_left_to_after_);  // nobody has asked how far the type reaches
  call(receive, receive_entry, at(1040, 10), {2, 200});
  EXPECT_FALSE(is_left_to_after_);
  call(receive, receive_entry, at(1000, 0), {3, 300});
  EXPECT_FALSE(is_left_to_after_);
  EXPECT_EQ(pairs(), 0u);
  call(send, send_entry, at(1079, 1), {4, 400});
  EXPECT_TRUE(is_left_to_after_);
  EXPECT_EQ(pairs(), 1u);
  constexpr auto last_byte = std::numeric_limits<std::intptr_t>::max();
  call(receive, receive_entry, at(last_byte - 6, 2), {5, 500});  // it ends where no address is
  EXPECT_TRUE(is_left_to_after_);
  for (std::uint64_t i = 0; i < 100; ++i) {
    call(receive, receive_entry, at(static_cast<std::intptr_t>(2000 + 40 * i), 10), {10 + i, i});
    EXPECT_EQ(is_left_to_after_, i >= 29) << i;  // they are many by then
  }
  for (std::uint64_t i = 0; i < 100; ++i) pending_->complete({10 + i, i});
  for (std::uint64_t i = 1; i <= 4; ++i) pending_->complete({i, 100 * i});
  EXPECT_FALSE(pending_->any());
  call(receive, receive_entry, at(1000, 10), {1, 100});
  EXPECT_FALSE(is_left_to_after_);
  EXPECT_EQ(pairs(), 1u);
  ASSERT_EQ(notes().size(), 1u);
}

TEST_F(PendingCallsTest, WhatIsCompleteIsNoMatterOfLaterCalls) {
  call(receive, receive_entry, at(1000, 10), {1, 100});
  pending_->complete({1, 100});
  call(blocking, blocking_entry, at(1000, 10));
  call(receive, receive_entry, at(1000, 0), {3, 300});
  call(receive, receive_entry, {1000, 10, static_cast<std::intptr_t>(mpi_int), -9, 0}, {4, 400});  // MPI_PROC_NULL
  call(blocking, blocking_entry, at(1000, 10));
  EXPECT_EQ(pairs(), 0u);
  call(send, send_entry, at(1000, 10), {5, 500});
  call(blocking, blocking_entry, at(1040, 1));
  EXPECT_EQ(pairs(), 0u);  // it begins behind the last one
  call(blocking, blocking_entry, at(1036, 1));
  EXPECT_EQ(pairs(), 1u);
}

TEST_F(PendingCallsTest, APersistentRequestIsPendingFromItsStart) {
  const UseRow init = receive_init();
  call(init, receive_entry, at(1000, 4), {7, 0});
  call(blocking, blocking_entry, at(1000, 4));
  EXPECT_FALSE(pending_->any());
  start({7, 70});
  call(blocking, blocking_entry, at(1000, 4));
  EXPECT_EQ(pairs(), 1u);
  pending_->complete({7, 70});
  call(blocking, blocking_entry, at(1004, 4));
  EXPECT_EQ(pairs(), 1u);
  start({7, 70});
  pending_->request_freed({7, 70});
  start({7, 70});  // another one of the same handle, which was never made
  EXPECT_FALSE(pending_->any());
}

TEST_F(PendingCallsTest, APartitionIsPendingFromWhenItIsReady) {
  call(partitioned_init(Access::reads), send_entry, {1000, 2, static_cast<std::intptr_t>(mpi_int), 0, 3, 0}, {7, 0});
  const auto ready = [&](const std::vector<int>& partitions) {
    pending_->ready({{7, partitions}, &start_entry, &stack_});
  };
  ready({1});
  EXPECT_FALSE(pending_->any());          // it was not started
  EXPECT_TRUE(pending_->may_complete());  // who waits for it may do so before its partitions are ready
  start({7, 70});
  EXPECT_FALSE(pending_->any());
  ready({1, 3, -1});  // the others do not exist
  call(blocking, blocking_entry, at(1000, 2));
  call(blocking, blocking_entry, at(1016, 2));
  EXPECT_EQ(pairs(), 0u);
  call(blocking, blocking_entry, at(1012, 1));
  ASSERT_EQ(pairs(), 1u);
  EXPECT_NE(written("finding")[0].find("\"distance\":-4,"), std::string::npos) << written("finding")[0];
  ready({0});
  pending_->no_more_pending({7, std::vector<int>{0}});
  call(blocking, blocking_entry, at(1000, 2));
  EXPECT_EQ(pairs(), 1u);
  ready({2});
  pending_->complete({7, 70});
  EXPECT_FALSE(pending_->any());
  pending_->request_freed({7, 70});
  EXPECT_FALSE(pending_->may_complete());
}

TEST_F(PendingCallsTest, APartitionIsPendingUntilItHasArrived) {
  const UseRow init = partitioned_init(Access::writes);
  call(init, receive_entry, {1000, 2, static_cast<std::intptr_t>(mpi_int), 0, 3, 0}, {7, 0});
  start({7, 70});
  pending_->no_more_pending({7, std::vector<int>{1, 5}});
  call(blocking, blocking_entry, at(1008, 2));
  EXPECT_EQ(pairs(), 0u);
  call(blocking, blocking_entry, at(1004, 1));
  call(blocking, blocking_entry, at(1016, 1));
  EXPECT_EQ(pairs(), 2u);
  pending_->complete({7, 70});
  EXPECT_FALSE(pending_->any());
  call(init, receive_entry, {1000, 2, static_cast<std::intptr_t>(mpi_int), 0, 1025, 0}, {7, 0});
  start({7, 70});
  EXPECT_FALSE(pending_->any());
  ASSERT_EQ(notes().size(), 1u);  // they are too many
}

TEST_F(PendingCallsTest, AWindowCompletesWhatHasARequest) {
  const UseRow put = put_with_request();
  constexpr std::intptr_t window = 0xa0;
  const auto put_to = [&](std::intptr_t target, std::intptr_t address, const Holder& request) {
    call(put, send_entry, {address, 4, static_cast<std::intptr_t>(mpi_int), target, window}, request);
  };
  put_to(0, 1000, {1, 100});
  put_to(1, 2000, {2, 200});
  pending_->release_at({window, 0});
  call(blocking, blocking_entry, at(1000, 4));
  EXPECT_EQ(pairs(), 0u);
  call(blocking, blocking_entry, at(2000, 4));
  EXPECT_EQ(pairs(), 1u);
  pending_->release(window);
  EXPECT_FALSE(pending_->any());
  // A request that was complete may be another operation's by now.
  put_to(1, 2000, {2, 200});
  pending_->complete({2, 200});
  call(receive, receive_entry, at(3000, 4), {2, 200});
  pending_->release(window);
  EXPECT_TRUE(pending_->any());
  pending_->complete({2, 200});
  for (std::uint64_t i = 0; i < 1000; ++i) {
    put_to(static_cast<std::intptr_t>(i % 300), 2000, {2, i});
    if (i % 2 == 0) pending_->complete({2, i});
  }
  pending_->release(window);
  EXPECT_FALSE(pending_->any());
}

TEST_F(PendingCallsTest, AReductionHasTwoBuffersUnlessItIsInPlace) {
  const UseRow row = allreduce();
  const auto words = [](std::intptr_t from, std::intptr_t to) {
    return Words{from, to, 4, static_cast<std::intptr_t>(mpi_int)};
  };
  call(row, reduce_entry, words(1000, 1016));
  call(row, reduce_entry, words(-1, 1000));
  EXPECT_EQ(pairs(), 0u);
  call(row, reduce_entry, words(1000, 1012));
  ASSERT_EQ(pairs(), 1u);
  EXPECT_NE(written("finding")[0].find("\"same_call\":true"), std::string::npos);
}

TEST_F(PendingCallsTest, BlocksStandWhereTheirDisplacementsSay) {
  const UseRow row = alltoallv();
  const std::array<int, 3> counts{1, 0, 2};
  const std::array<int, 3> even{0, 100, 2};
  const std::array<int, 3> odd{1, 0, 4};
  const std::array<int, 3> wrong{1, 0, 3};  // the third one begins with the last integer of the other's third
  const auto words = [&](const std::array<int, 3>& displacements) {
    return Words{4000,
                 reinterpret_cast<std::intptr_t>(counts.data()),
                 reinterpret_cast<std::intptr_t>(even.data()),
                 static_cast<std::intptr_t>(mpi_int),
                 4000,
                 reinterpret_cast<std::intptr_t>(counts.data()),
                 reinterpret_cast<std::intptr_t>(displacements.data()),
                 static_cast<std::intptr_t>(mpi_int),
                 static_cast<std::intptr_t>(communicator_handle)};
  };
  uses_->communicator_is_alive(communicator_handle);
  call(row, alltoallv_entry, words(odd));
  EXPECT_EQ(pairs(), 0u);
  call(row, alltoallv_entry, words(wrong));
  EXPECT_EQ(pairs(), 1u);
}

TEST_F(PendingCallsTest, BlocksOfOneArgumentThatIsWrittenShareNoByte) {
  const UseRow row = alltoallv();
  const std::array<int, 3> counts{3, 3, 3};
  const std::array<int, 3> upwards{0, 3, 6};
  const std::array<int, 3> downwards{6, 3, 0};
  const std::array<int, 3> meeting{0, 6, 2};
  const auto exchange = [&](const std::array<int, 3>& sent, const std::array<int, 3>& received) {
    const Words words{4000,
                      reinterpret_cast<std::intptr_t>(counts.data()),
                      reinterpret_cast<std::intptr_t>(sent.data()),
                      static_cast<std::intptr_t>(mpi_int),
                      8000,
                      reinterpret_cast<std::intptr_t>(counts.data()),
                      reinterpret_cast<std::intptr_t>(received.data()),
                      static_cast<std::intptr_t>(mpi_int),
                      static_cast<std::intptr_t>(communicator_handle)};
    call(row, alltoallv_entry, words);
  };
  uses_->communicator_is_alive(communicator_handle);
  exchange(upwards, downwards);
  exchange(meeting, upwards);  // what is sent may be
  EXPECT_EQ(pairs(), 0u);
  exchange(upwards, meeting);
  ASSERT_EQ(pairs(), 1u);  // the third and the first
  const std::string line = written("finding")[0];
  EXPECT_NE(line.find("\"receive-overlap\""), std::string::npos) << line;
  EXPECT_NE(line.find("\"distance\":-8"), std::string::npos) << line;
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0], "MPI_Alltoallv writes memory that two blocks of recvtype share.");
}

TEST_F(PendingCallsTest, BlocksThatAreNotComparedAreCounted) {
  const UseRow row = alltoallv();
  const auto blocks = static_cast<std::size_t>(processes_of_wide);
  std::vector<int> counts(blocks, 100);
  std::vector<int> displacements(blocks);
  for (std::size_t i = 0; i < blocks; ++i) displacements[i] = static_cast<int>(i);
  std::vector<int> apart(blocks);
  for (std::size_t i = 0; i < blocks; ++i) apart[i] = static_cast<int>(100 * i);
  uses_->communicator_is_alive(wide_communicator);
  call(row, alltoallv_entry,
       Words{40000, reinterpret_cast<std::intptr_t>(counts.data()), reinterpret_cast<std::intptr_t>(apart.data()),
             static_cast<std::intptr_t>(mpi_int), 80000, reinterpret_cast<std::intptr_t>(counts.data()),
             reinterpret_cast<std::intptr_t>(displacements.data()), static_cast<std::intptr_t>(mpi_int),
             static_cast<std::intptr_t>(wide_communicator)});
  ASSERT_EQ(notes().size(), 1u);  // each with those before it, less the 16 nearest ones: 1 + 2 + ... + 7
  EXPECT_NE(notes()[0].find("28 pairs of buffers were not compared"), std::string::npos) << notes()[0];
}

TEST_F(PendingCallsTest, BlocksOfThousandsOfProcessesAreCompared) {
  constexpr auto blocks = static_cast<std::size_t>(processes_of_huge);
  uses_->communicator_is_alive(huge_communicator);
  std::vector<int> counts(blocks, 2);
  std::vector<int> apart(blocks);
  for (std::size_t i = 0; i < blocks; ++i) apart[i] = static_cast<int>(2 * ((i * 1001) % blocks));
  const auto exchange = [&] {
    call(alltoallv(), alltoallv_entry,
         Words{4000, reinterpret_cast<std::intptr_t>(counts.data()), reinterpret_cast<std::intptr_t>(apart.data()),
               static_cast<std::intptr_t>(mpi_int), 80000, reinterpret_cast<std::intptr_t>(counts.data()),
               reinterpret_cast<std::intptr_t>(apart.data()), static_cast<std::intptr_t>(mpi_int),
               static_cast<std::intptr_t>(huge_communicator)});
  };
  exchange();
  EXPECT_EQ(pairs(), 0u);
  apart.back() = apart.front() + 1;  // half of the first block, and half of its neighbour; that is sent, too
  exchange();
  EXPECT_EQ(pairs(), 2u);
  EXPECT_EQ(notes().size(), 0u);
}

TEST_F(PendingCallsTest, CountsOfABroadcastBelowTheLargestAreNoLines) {
  make_pair(50);
  uses_->communicator_is_alive(communicator_handle);
  const auto receive_copies = [&](std::intptr_t count) {
    call(broadcast(), broadcast_entry, {4000, count, 50, 1, static_cast<std::intptr_t>(communicator_handle)});
  };
  for (const std::intptr_t count : {4, 3, 2, 1, 4}) receive_copies(count);
  EXPECT_EQ(pairs(), 1u);
  receive_copies(5);
  EXPECT_EQ(pairs(), 2u);
}

TEST_F(PendingCallsTest, WhatIsNotWatchedIsSaid) {
  begin({.constants = constants, .most_pending = 2});
  for (std::uint64_t i = 0; i < 5; ++i) {
    call(receive, receive_entry, at(static_cast<std::intptr_t>(1000 + 100 * i), 4), {i + 1, i});
  }
  ASSERT_EQ(notes().size(), 1u);
  EXPECT_NE(notes()[0].find("3 buffers were not compared with later ones"), std::string::npos);
}

TEST_F(PendingCallsTest, WhatIsCountedIsWhatIsSaid) {
  for (std::uint64_t i = 0; i < 20; ++i) call(send, send_entry, at(1000, 100), {i + 1, i});
  for (int round = 0; round < 3; ++round) call(blocking, blocking_entry, at(1000, 100));
  EXPECT_EQ(pairs(), 1u);  // sixteen times, thrice
  for (std::uint64_t i = 0; i < 20; ++i) pending_->complete({i + 1, i});
  // At so many distances that they are not told apart any more.
  call(receive, receive_entry, at(1000, 5000), {1, 100});
  for (std::intptr_t i = 0; i < 4100; ++i) call(blocking, blocking_entry, at(1000 + 4 * i, 1));
  for (int round = 0; round < 2; ++round) call(blocking, blocking_entry, at(1000 + 4 * 4099, 1));
  const std::vector<std::string> all = notes();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NE(all[0].find("Pairs of buffers were not compared 7 times: "), std::string::npos) << all[0];
  EXPECT_EQ(all[1].find("At least"), std::string::npos) << all[1];
  EXPECT_NE(all[1].find("12 pairs of buffers were not compared"), std::string::npos) << all[1];  // thrice 20 less 16
}

// Each has buffers of its own, and one for all that is only read.
TEST(PendingCallsThreads, DoNotDisturbEachOther) {
  class Exchange : public PendingCallsTest {
   public:
    void TestBody() override {}
    void run() {
      SetUp();
      std::vector<std::thread> threads;
      for (std::uint64_t id = 1; id <= 4; ++id) threads.emplace_back([this, id] { exchange(id); });
      for (std::thread& thread : threads) thread.join();
      EXPECT_EQ(pairs(), 0u);
      EXPECT_FALSE(pending_->any());
      TearDown();
    }

   private:
    void exchange(std::uint64_t id) {
      for (std::uint64_t round = 0; round < 500; ++round) {
        for (std::uint64_t i = 0; i < 20; ++i) {
          const Words words = at(static_cast<std::intptr_t>(100000 * id + 1000 * i), 10);
          call(receive, receive_entry, words, {100 * id + i, id});
        }
        call(send, send_entry, at(16, 4), {1, id});
        for (std::uint64_t i = 0; i < 20; ++i) pending_->complete({100 * id + i, id});
        pending_->complete({1, id});
      }
    }
  };
  Exchange().run();
}

}  // namespace
}  // namespace ddtscope::plugin::pending_calls_test
