// The pending file: what its readers see, while threads change it.
#include "plugin/in_flight/pending_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace ddtscope::plugin::pending_file_test {
namespace {

constexpr EntryPoint receive{"MPI_Recv", "c"}, wait_all{"MPI_Waitall", "c"};

class PendingFileTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() / ("pending-" + std::to_string(getpid()))).string();
    std::filesystem::remove(path_);
    ASSERT_TRUE(file_.create(path_, threads_));
  }
  void TearDown() override { std::filesystem::remove(path_); }
  /// The file as it is on the disk.
  void read() {
    std::ifstream stream(path_, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(stream), {});
    ASSERT_GE(bytes_.size(), sizeof header_);
    std::memcpy(&header_, bytes_.data(), sizeof header_);
  }
  std::size_t threads_at() const { return sizeof header_; }
  std::size_t started_at() const {
    return threads_at() + header_.threads * sizeof(trace::PendingThread) +
           header_.operations * sizeof(trace::PendingOperation) + header_.channels * sizeof(trace::PendingChannel);
  }
  trace::PendingThread thread(std::size_t i) const {
    trace::PendingThread record;
    std::memcpy(&record, bytes_.data() + threads_at() + i * sizeof record, sizeof record);
    return record;
  }
  std::vector<trace::PendingStarted> started() {
    read();
    std::vector<trace::PendingStarted> found;
    for (std::size_t i = 0; i < header_.started; ++i) {
      trace::PendingStarted record;
      std::memcpy(&record, bytes_.data() + started_at() + i * sizeof record, sizeof record);
      if (record.request != 0) found.push_back(record);
    }
    return found;
  }

  PendingFile::Threads threads_ = PendingFile::Threads::one_calls;
  std::string path_;
  PendingFile file_;
  std::vector<char> bytes_;
  trace::PendingFileHeader header_{};
};

TEST_F(PendingFileTest, ShowsTheCallThatAThreadIsIn) {
  PlacesInFlight places{};
  places[0] = {3, file_.operation_of(receive, {}), 17};
  {
    const CallInFlight shown(&file_, trace::PendingCall::message, places);
    read();
    EXPECT_EQ(header_.threads_used, 1U);
    EXPECT_EQ(thread(0).call, static_cast<std::uint32_t>(trace::PendingCall::message));
    EXPECT_EQ(thread(0).channel[0], 3U);
    EXPECT_EQ(thread(0).place[0], 17U);
    EXPECT_EQ(thread(0).sequence % 2, 0U);
    EXPECT_EQ(thread(0).channel[1], trace::pending_none);
  }
  read();
  EXPECT_EQ(thread(0).call, 0U);
}

/// A session behind MPI_Init may allow more threads.
TEST_F(PendingFileTest, SaysThatThreadsMayCallOnceTheyMay) {
  read();
  EXPECT_EQ(header_.threads_may_call, 0U);
  file_.let_all_threads_call();
  file_.start(50, {1, file_.operation_of(receive, {}), 0});
  EXPECT_EQ(started().size(), 1U);
  EXPECT_EQ(header_.threads_may_call, 1U);
}

TEST_F(PendingFileTest, WaitsNameTheirFirstRequestsAndHowManyThereAre) {
  file_.enter_wait(trace::PendingCall::wait_all, file_.operation_of(wait_all, {}), 30,
                   [](std::size_t i) { return HandleBits{100 + i}; });
  read();
  EXPECT_EQ(thread(0).requests, 30U);
  EXPECT_EQ(thread(0).request[0], 100U);
  EXPECT_EQ(thread(0).request[23], 123U);
}

TEST_F(PendingFileTest, AnOperationIsFoundWithoutTheLockOnceItWasAdded) {
  EXPECT_EQ(file_.find_operation(receive, {7}), trace::pending_none);
  const std::uint32_t number = file_.operation_of(receive, {7});
  EXPECT_EQ(file_.operation_of(receive, {7}), number);
  EXPECT_EQ(file_.find_operation(receive, {7}), number);
  EXPECT_EQ(file_.find_operation(receive, {8}), trace::pending_none);
  EXPECT_EQ(file_.find_operation(wait_all, {7}), trace::pending_none);
}

TEST_F(PendingFileTest, WhatIsStartedStandsThereUntilItIsComplete) {
  const std::uint32_t operation = file_.operation_of(receive, {});
  file_.start(50, {1, operation, 0});
  file_.start(51, {1, operation, 1});
  file_.start(50, {2, operation, 5});  // nobody saw the end of the first one
  auto found = started();
  ASSERT_EQ(found.size(), 2U);
  file_.complete(51);
  file_.complete(51);
  found = started();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].request, 50U);
  EXPECT_EQ(found[0].channel, 2U);
  EXPECT_EQ(found[0].place, 5U);
}

TEST_F(PendingFileTest, WhatFindsNoRoomIsCounted) {
  const std::uint32_t operation = file_.operation_of(receive, {});
  for (HandleBits request = 2; request < 5002; ++request) file_.start(request, {1, operation, 0});
  const std::size_t kept = started().size();
  EXPECT_LE(kept, header_.started);
  EXPECT_GT(kept, 1500U);
  EXPECT_EQ(kept + header_.started_left_out, 5000U);
  for (std::uint32_t i = 0; i < 2000; ++i) file_.add_channel({});
  read();
  EXPECT_EQ(header_.channels_used, header_.channels);
  EXPECT_EQ(header_.channels_left_out, 2000U - header_.channels);
}

/// Several threads call.
class PendingFileOfThreadsTest : public PendingFileTest {
 protected:
  PendingFileOfThreadsTest() { threads_ = PendingFile::Threads::all_may_call; }
};

TEST_F(PendingFileOfThreadsTest, ThreadsHaveRecordsOfTheirOwnWhichOthersGetWhenTheyHaveEnded) {
  const std::uint32_t operation = file_.operation_of(receive, {});
  for (int i = 0; i < 100; ++i) {
    std::thread([&] {
      file_.enter(trace::PendingCall::message, {PlaceInFlight{0, operation, 0}, {}});
      file_.leave();
    }).join();
  }
  read();
  EXPECT_EQ(header_.threads_left_out, 0U);
  std::vector<std::thread> threads;
  for (HandleBits first = 1000; first < 9000; first += 1000) {
    threads.emplace_back([&, first] {
      for (int round = 0; round < 1000; ++round) {
        for (HandleBits i = 0; i < 4; ++i) file_.start(first + i, {0, operation, 0});
        for (HandleBits i = 0; i < 4; ++i) file_.complete(first + i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(started().empty());
}

TEST_F(PendingFileTest, AFileThatIsThereIsNotOverwritten) {
  PendingFile other;
  EXPECT_FALSE(other.create(path_, PendingFile::Threads::one_calls));
  other.remove();
  EXPECT_TRUE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace ddtscope::plugin::pending_file_test
