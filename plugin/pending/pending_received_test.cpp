// How many bytes came into pending receives, as the statuses of what is complete tell.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "decoder/testing/sanitizers.h"
#include "plugin/pending/pending_calls_fixture.h"

namespace ddtscope::plugin::pending_received_test {
namespace {

/// Receives of a type whose shape is known, and a send, at places of their own.
class ReceivedTest : public PendingCallsTest {
 protected:
  void SetUp() override {
    PendingCallsTest::SetUp();
    told_receive_ = receive;
    told_receive_.status_tells = true;
  }
  void begin_receive(const Holder& holder) { call(told_receive_, receive_entry, at(address_ += 100, 10), holder); }
  void begin_send(const Holder& holder) { call(send, send_entry, at(address_ += 100, 10), holder); }

  /// Bytes that were received by MPI_Irecv, as the pages have it.
  std::optional<std::uint64_t> received() {
    trace::UseCounts sum{};
    for (std::uint32_t i = 1; i <= static_cast<std::uint32_t>(pages_.last()); ++i) {
      const trace::CounterRecord& record = pages_.at(RecordNumber{i});
      if (record.parameter != 0 && receive_entry.name == std::string_view(record.called))
        trace::add_uses(sum, trace::use_counts_of(record));
    }
    return sum.received;
  }
  /// They are complete, and the status of each tells of 100 bytes, of one more than that of the one before it.
  void complete(const std::vector<Holder>& requests) {
    const auto each = [&](const auto& complete) {
      for (std::size_t i = 0; i < requests.size(); ++i) complete(requests[i], i);
    };
    pending_->complete_those(each, [](std::size_t which) { return static_cast<std::int64_t>(100 + which); });
  }

 private:
  UseRow told_receive_;
  std::intptr_t address_ = 1000;
};

TEST_F(ReceivedTest, StatusesTellOfReceivesAlone) {
  EXPECT_FALSE(received());
  begin_send({1, 100});
  complete({{1, 100}});
  EXPECT_FALSE(received());
  begin_receive({1, 100});
  begin_send({2, 200});
  begin_receive({3, 300});
  // Among them null handles, and one that is complete already.
  complete({{0, 1}, {1, 100}, {2, 200}, {0, 4}, {3, 300}, {1, 100}});
  EXPECT_FALSE(pending_->any());
  EXPECT_EQ(received(), 101u + 104u);
}

TEST_F(ReceivedTest, NobodyIsToldWhereNoStatusTells) {
  begin_receive({1, 100});
  const auto one = [](const auto& complete) { complete(Holder{1, 100}, 0); };
  pending_->complete_those(one, [](std::size_t) { return std::int64_t{-1}; });
  EXPECT_FALSE(pending_->any());
  EXPECT_FALSE(received());
}

TEST_F(ReceivedTest, RequestsOfOneHandleAreToldByTheirPlaces) {
  for (const std::uint64_t place : {10u, 20u, 30u}) begin_receive({7, place});
  complete({{7, 20}});
  EXPECT_EQ(received(), 100u);
  complete({{7, 30}, {7, 10}});
  EXPECT_EQ(received(), 100u + 100u + 101u);
  EXPECT_FALSE(pending_->any());
}

TEST_F(ReceivedTest, WhereItIsKeptElsewhereItsHandleMustDo) {
  begin_receive({7, 10});
  begin_receive({8, 20});
  complete({{8, 99}});
  EXPECT_EQ(received(), 100u);
  EXPECT_TRUE(pending_->any());
  complete({{7, 98}});
  EXPECT_EQ(received(), 200u);
  EXPECT_FALSE(pending_->any());
}

TEST_F(ReceivedTest, NobodyGuessesWhichOfSeveralItIs) {
  begin_receive({7, 10});
  begin_receive({7, 20});
  begin_receive({8, 30});
  complete({{7, 99}, {8, 30}});
  EXPECT_EQ(received(), 101u);
  EXPECT_FALSE(pending_->any());  // they are let go, lest something wrong be found
  // What is told by its place is told of before the other one takes it along.
  begin_receive({7, 10});
  begin_receive({7, 20});
  begin_receive({7, 30});
  complete({{7, 99}, {7, 20}});
  EXPECT_EQ(received(), 101u + 101u);
  EXPECT_FALSE(pending_->any());
}

/// As libraries give one to all small sends. Each that is told would go through all of them: half an hour.
TEST_F(ReceivedTest, OfManyWithOneHandleNoneIsSearched) {
  constexpr std::uint64_t number = test::has_sanitizer ? 50'000 : 200'000;
  for (std::uint64_t i = 0; i < number; ++i) begin_send({7, 10 + i});
  begin_receive({8, 1});
  std::vector<Holder> requests(number, Holder{7, 5});
  requests.push_back({8, 1});
  complete(requests);
  EXPECT_EQ(received(), 100u + number);
  EXPECT_FALSE(pending_->any());
}

TEST_F(ReceivedTest, OfManyEachIsTold) {
  constexpr std::uint64_t number = 100;  // more than are kept in an array
  std::vector<Holder> requests;
  for (std::uint64_t i = 0; i < number; ++i) requests.push_back({i + 1, 10 * i});
  for (const Holder& request : requests) begin_receive(request);
  complete(requests);
  EXPECT_EQ(received(), number * 100 + number * (number - 1) / 2);
  EXPECT_FALSE(pending_->any());
}

}  // namespace
}  // namespace ddtscope::plugin::pending_received_test
