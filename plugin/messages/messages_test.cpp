// What stands in the trace of messages: held against plain lists of what was sent and received.
#include "plugin/messages/messages.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "plugin/uses/counted_uses_fixture.h"

namespace ddtscope::plugin::messages_test {
namespace {

constexpr HandleBits world = 100, self = 101, copy = 102, null_type = 0x9999;
constexpr int any = -1, nobody = -9;
constexpr EntryPoint send_entry{"MPI_Send", "c"}, receive_entry{"MPI_Recv", "c"}, init_entry{"MPI_Send_init", "c"},
    start_entry{"MPI_Startall", "c"}, dup_entry{"MPI_Comm_dup", "c"};

constexpr UseRow row_of(MessageDirection direction, std::int8_t request = -1) {
  UseRow row{.uses = {.first = {.parameter = UseParameter::datatype, .type = 2, .count = 1, .buffer = 0, .peer = 3},
                      .request = request}};
  row.is_plain = row.has_plain_arguments();
  row.has_one_plain_buffer = row.is_plain;
  row.message.sides[0] = {.direction = direction, .peer = 3, .tag = 4};
  row.message.communicator = 5;
  return row;
}
constexpr UseRow send = row_of(MessageDirection::send), receive = row_of(MessageDirection::receive),
                 send_init = row_of(MessageDirection::send, 6);

class NoCommunicators : public CommunicatorQueries {
 public:
  Communicator describe(HandleBits) override { return {}; }
};

/// In all communicators but MPI_COMM_WORLD a rank is that of the process before; the last one is of another world.
class PlayedGroups : public GroupQueries {
 public:
  CommunicatorGroups groups_of(HandleBits) override { return {{0, 1, 2, 3}, {}, true}; }
  int process_of(HandleBits, int rank) override {
    ++asked;
    return rank == 9 ? -1 : rank + 10;
  }
  bool allows_overtaking(HandleBits communicator) override { return communicator == overtaking; }
  int asked = 0;
  HandleBits overtaking = 0;
};

/// One message, as a test speaks of it.
struct Sent {
  int peer = 0, tag = 0;
  std::intptr_t count = 1;
  HandleBits communicator = world;
};

class MessagesTest : public CountedUsesTest {
 protected:
  void SetUp() override {
    CountedUsesTest::SetUp();
    begin({});
  }
  void begin(Messages::Options options) {
    begin_counting(no_communicators_, {.constants = {}, .null_type = null_type, .judge = nullptr});
    communicators_ = std::make_unique<NamedCommunicators>(NamedCommunicators::Options{},
                                                          NamedCommunicators::Parts{*registry_, groups_, writer_});
    communicators_->begin({.world = world, .self = self, .number = 1, .rank = 7});
    options.constants = constants;
    options.any_source = options.any_tag = any;
    options.world = world;
    options.self = self;
    options.rank = 7;
    messages_ = std::make_unique<Messages>(options, Messages::Parts{*registry_, *uses_, *communicators_, groups_});
  }
  void make(HandleBits communicator) {
    const CommunicatorNames::Call call = communicators_->begin_call(world);
    communicators_->made_by_parent({communicator, &dup_entry, &stack_}, call, communicator);
  }

  std::array<std::intptr_t, 7> words(const Sent& message) {
    return {1,
            message.count,
            static_cast<std::intptr_t>(mpi_int),
            message.peer,
            message.tag,
            static_cast<std::intptr_t>(message.communicator),
            reinterpret_cast<std::intptr_t>(&request_)};
  }
  Messages::Placed call(const UseRow& row, const EntryPoint& entry, const Sent& message) {
    const auto arguments = words(message);
    const UsingCall using_call{{row, arguments.data()}, &entry, &stack_};
    PlainUse plain;
    uses_->begin(using_call, plain);
    return messages_->begin(using_call, plain)[0];
  }
  Messages::Placed sends(const Sent& message) { return call(send, send_entry, message); }
  Messages::Placed receives(const Sent& message) { return call(receive, receive_entry, message); }
  /// A persistent request to send.
  void make_request(const Sent& message, HandleBits request) {
    const auto arguments = words(message);
    messages_->made({{send_init, arguments.data()}, &init_entry, &stack_}, request);
  }
  void start(HandleBits request) { messages_->start({{&request, 1}, &start_entry, &stack_}); }
  /// As the wrappers do it where they can. Whether it was done so.
  template <const UseRow& row>
  bool again(const EntryPoint& entry, const Sent& message) {
    const auto arguments = words(message);
    const UsingCall using_call{{row, arguments.data()}, &entry, nullptr};
    PlainUse& plain = last_plain_;
    plain = {};
    plain.type = mpi_int;
    bool is_done = false;
    registry_->beside([&] {
      is_done = uses_->count_again(using_call, plain, [&](const void* counted) {
        return messages_->append_again<row>(using_call, plain, counted);
      });
    });
    return is_done;
  }
  void write() {
    registry_->beside([&] { messages_->write(writer_); });
  }
  /// The channels' lines, after the members that are alike in all of them.
  std::vector<std::string> channels() {
    write();
    std::vector<std::string> lines;
    for (const std::string& line : written("channels")) lines.push_back(line.substr(21, line.size() - 22));
    return lines;
  }

  PlainUse last_plain_;  // of again()
  NoCommunicators no_communicators_;
  PlayedGroups groups_;
  std::unique_ptr<NamedCommunicators> communicators_;
  std::unique_ptr<Messages> messages_;
  HandleBits request_ = 0;
};

TEST_F(MessagesTest, StandInTheirChannels) {
  sends({1, 5, 3});
  sends({1, 5, 3});
  sends({2, 5, 3});
  receives({1, 5, 3});
  sends({nobody, 5, 3});
  EXPECT_EQ(channels(),
            (std::vector<std::string>{
                R"("communicator":"MPI_COMM_WORLD","direction":"send","sequence":0,"channels":[[1,5]])",
                R"("communicator":"MPI_COMM_WORLD","direction":"send","sequence":1,"channels":[[2,5]])",
                R"("communicator":"MPI_COMM_WORLD","direction":"receive","sequence":2,"channels":[[1,5]])"}));
  EXPECT_EQ(written("sequence")[0], R"({"record":"sequence","id":0,"operations":[[2,[0]]]})");
  EXPECT_EQ(written("operation")[0],
            R"({"record":"operation","id":0,"type":"MPI_INT","elements":3,"called":"MPI_Send","binding":"c",)"
            R"("argument":"datatype","site":null})");
  EXPECT_EQ(written("operation").size(), 2u);
  EXPECT_EQ(written("messages")[0], R"({"record":"messages","left_out":[]})");
}

TEST_F(MessagesTest, AreOfProcessesOfTheWorld) {
  make(copy);
  sends({1, 5, 3, self});
  sends({1, 5, 3, copy});
  sends({1, 5, 3, copy});
  sends({2, 5, 3, copy});
  sends({9, 5, 3, copy});
  sends({1, 5, 3, 999});
  EXPECT_EQ(groups_.asked, 3);  // once for each
  EXPECT_EQ(channels(), (std::vector<std::string>{
                            R"("communicator":"MPI_COMM_SELF","direction":"send","sequence":0,"channels":[[7,5]])",
                            R"("communicator":0,"direction":"send","sequence":0,"channels":[[12,5]])",
                            R"("communicator":0,"direction":"send","sequence":1,"channels":[[11,5]])"}));
  EXPECT_EQ(written("messages")[0],
            R"({"record":"messages","left_out":[{"why":"communicator without a name","count":1},)"
            R"({"why":"process of another world","count":1}]})");
}

TEST_F(MessagesTest, OfAHandleThatIsGivenAgainAreOfAnotherCommunicator) {
  make(copy);
  sends({1, 5, 3, copy});
  messages_->communicator_freed(copy);
  communicators_->freed(copy);
  make(copy);
  EXPECT_FALSE(again<send>(send_entry, {1, 5, 3, copy}));
  sends({1, 5, 3, copy});
  EXPECT_EQ(channels().size(), 2u);
}

TEST_F(MessagesTest, ThatComeAgainAreDoneQuickly) {
  EXPECT_FALSE(again<send>(send_entry, {1, 5, 3}));
  sends({1, 5, 3});
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(again<send>(send_entry, {1, 5, 3}));
  EXPECT_FALSE(again<send>(send_entry, {1, 5, 3, self})) << "nobody has asked for the communicator";
  EXPECT_FALSE(again<receive>(receive_entry, {1, 5, 3})) << "it was not counted before";
  EXPECT_EQ(channels().size(), 1u);
  EXPECT_EQ(written("sequence")[0], R"({"record":"sequence","id":0,"operations":[[5,[0]]]})");
}

TEST_F(MessagesTest, OfOtherChannelsAndCountsAreDoneQuicklyToo) {
  sends({1, 5, 3});
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(again<send>(send_entry, {1, 5, 4}));
    EXPECT_TRUE(again<send>(send_entry, {2, 5, 3}));
    EXPECT_TRUE(again<send>(send_entry, {1, 6, 3}));
    EXPECT_TRUE(again<send>(send_entry, {1, 5, 3}));
  }
  EXPECT_EQ(channels(),
            (std::vector<std::string>{
                R"("communicator":"MPI_COMM_WORLD","direction":"send","sequence":0,"channels":[[1,5]])",
                R"("communicator":"MPI_COMM_WORLD","direction":"send","sequence":1,"channels":[[2,5],[1,6]])"}));
  EXPECT_EQ(written("sequence")[0], R"({"record":"sequence","id":0,"operations":[[2,[0,1]],0]})");
  EXPECT_EQ(written("sequence")[1], R"({"record":"sequence","id":1,"operations":[[2,[0]]]})");
}

TEST_F(MessagesTest, OfAChannelOfWhichNothingIsKnownAreNotDoneQuickly) {
  sends({1, 6, 3});
  const Messages::Placed failed = sends({1, 5, 3});
  sends({1, 5, 4});
  messages_->failed({failed});
  EXPECT_FALSE(again<send>(send_entry, {1, 5, 3}));
  EXPECT_TRUE(again<send>(send_entry, {1, 6, 3}));
  receives({any, any, 3});
  receives({1, 7, 3});
  EXPECT_FALSE(again<receive>(receive_entry, {1, 7, 3})) << "it waits behind the one of any source";
  EXPECT_FALSE(again<receive>(receive_entry, {any, 7, 3})) << "its channel is not known";
}

TEST_F(MessagesTest, ThatFailedHaveNoPlace) {
  sends({1, 5, 3});
  messages_->failed({sends({1, 5, 4})});
  sends({1, 5, 3});
  EXPECT_EQ(channels()[0], R"("communicator":"MPI_COMM_WORLD","direction":"send","sequence":0,"channels":[[1,5]])");
  EXPECT_EQ(written("sequence")[0], R"({"record":"sequence","id":0,"operations":[[2,[0]]]})");
}

TEST_F(MessagesTest, AreNotKnownBehindOneThatFailedAndCannotBeTakenBack) {
  sends({1, 5, 3});
  const Messages::Placed failed = sends({1, 5, 4});
  sends({1, 5, 3});
  messages_->failed({failed});
  EXPECT_NE(channels()[0].find(R"("undecided":[1,"failed"])"), std::string::npos);
}

TEST_F(MessagesTest, ThatFailedWhileAnotherThreadSentTheSameAreNotKnown) {
  const Sent failing{1, 5, 3};
  sends(failing);
  EXPECT_TRUE(again<send>(send_entry, failing));
  const PlainUse plain = last_plain_;
  std::thread([&] { EXPECT_TRUE(again<send>(send_entry, {1, 6, 3})); }).join();
  const auto arguments = words(failing);
  messages_->failed_again({{send, arguments.data()}, &send_entry, nullptr}, plain);
  EXPECT_EQ(
      channels()[0].find(R"("undecided")") != std::string::npos ? channels()[0] : channels()[1],
      R"("communicator":"MPI_COMM_WORLD","direction":"send","sequence":0,"undecided":[1,"failed"],"channels":[[1,5]])");
}

TEST_F(MessagesTest, OfAnySourceHaveTheirPlaceByTheirStart) {
  const Messages::Placed first = receives({any, 5, 1});
  const Messages::Placed second = receives({any, any, 2});
  receives({3, 5, 3});
  receives({3, 6, 4});
  EXPECT_FALSE(again<receive>(receive_entry, {3, 5, 3}));
  messages_->received(second, {3, 5});
  messages_->received(first, {3, 5});
  EXPECT_EQ(channels(),
            (std::vector<std::string>{
                R"("communicator":"MPI_COMM_WORLD","direction":"receive","sequence":0,"channels":[[3,6]])",
                R"("communicator":"MPI_COMM_WORLD","direction":"receive","sequence":1,"channels":[[3,5]])"}));
  EXPECT_EQ(written("sequence")[1], R"({"record":"sequence","id":1,"operations":[0,1,2]})");
}

TEST_F(MessagesTest, OfAnySourceThatNobodyTellsLeaveTheirChannelsUndecided) {
  receives({3, 5, 1});
  messages_->wait_for(receives({any, 5, 2}), {77, 1});
  receives({3, 5, 1});
  receives({3, 6, 1});
  EXPECT_TRUE(messages_->awaits_requests());
  messages_->request_freed({77, 1});
  EXPECT_FALSE(messages_->awaits_requests());
  receives({4, 5, 1});
  EXPECT_EQ(
      channels(),
      (std::vector<std::string>{
          R"("communicator":"MPI_COMM_WORLD","direction":"receive","sequence":0,"channels":[[3,6]])",
          R"("communicator":"MPI_COMM_WORLD","direction":"receive","sequence":1,"undecided":[0,"wildcard"],"channels":[[4,5],[null,5]])",
          R"("communicator":"MPI_COMM_WORLD","direction":"receive","sequence":0,"undecided":[1,"wildcard"],"channels":[[3,5]])"}));
}

TEST_F(MessagesTest, WaitInBoundedMemory) {
  begin({.constants = {}, .most_waiting = 4});
  const Messages::Placed first = receives({any, 5, 1});
  for (int i = 0; i < 10; ++i) receives({3, 5, 2});
  messages_->received(first, {3, 5});
  EXPECT_NE(channels()[0].find(R"("undecided":[0,"wildcard"])"), std::string::npos);
}

TEST_F(MessagesTest, ThatAreCancelledHaveNoPlace) {
  messages_->wait_for(receives({any, 5, 2}), {77, 1});
  receives({3, 5, 1});
  messages_->completed({77, 1}, {0, 0, ReceivedMessage::Outcome::cancelled});
  EXPECT_EQ(channels(),
            (std::vector<std::string>{
                R"("communicator":"MPI_COMM_WORLD","direction":"receive","sequence":0,"channels":[[3,5]])"}));
  EXPECT_EQ(written("sequence")[0], R"({"record":"sequence","id":0,"operations":[1]})");
}

TEST_F(MessagesTest, OfRequestsThatShareAHandleAreToldByTheirPlaces) {
  messages_->wait_for(receives({any, 5, 1}), {77, 1});
  messages_->wait_for(receives({any, 6, 2}), {77, 2});
  messages_->completed({77, 2}, {3, 6});
  messages_->completed({77, 1}, {4, 5});
  EXPECT_EQ(channels(),
            (std::vector<std::string>{
                R"("communicator":"MPI_COMM_WORLD","direction":"receive","sequence":0,"channels":[[3,6]])",
                R"("communicator":"MPI_COMM_WORLD","direction":"receive","sequence":1,"channels":[[4,5]])"}));
}

TEST_F(MessagesTest, OfPersistentRequestsStandWhereTheseAreStarted) {
  make_request({1, 5, 3}, 50);
  make_request({1, 6, 4}, 51);
  make_request({1, 6, 5}, 52);
  const std::vector<HandleBits> both{50, 51}, two_of_one_channel{51, 52};
  sends({1, 5, 9});
  messages_->start({both, &start_entry, &stack_});
  messages_->starting_failed(messages_->start({both, &start_entry, &stack_}));
  messages_->start({two_of_one_channel, &start_entry, &stack_});
  EXPECT_EQ(
      channels(),
      (std::vector<std::string>{
          R"("communicator":"MPI_COMM_WORLD","direction":"send","sequence":0,"channels":[[1,5]])",
          R"("communicator":"MPI_COMM_WORLD","direction":"send","sequence":1,"unordered":true,"channels":[[1,6]])"}));
  EXPECT_EQ(written("sequence")[0], R"({"record":"sequence","id":0,"operations":[0,1]})");
  EXPECT_NE(written("operation")[1].find(R"("elements":3,"called":"MPI_Startall")"), std::string::npos);
}

TEST_F(MessagesTest, OfAPersistentRequestGoOnWhereItHasAnotherHandle) {
  make_request({1, 5, 3}, 50);
  make_request({1, 6, 3}, 51);
  start(50);
  messages_->request_moved({50, 60});
  start(60);
  start(50);  // is nobody's
  start(51);
  start(51);
  EXPECT_EQ(channels(),
            (std::vector<std::string>{
                R"("communicator":"MPI_COMM_WORLD","direction":"send","sequence":0,"channels":[[1,5],[1,6]])"}));
}

TEST_F(MessagesTest, OfAnotherThreadsRequestWithTheHandleOfOneThatIsCompleteAreNotTold) {
  messages_->wait_for(receives({any, 5, 1}), {77, 1});
  const std::uint64_t last = messages_->last_awaited();
  messages_->wait_for(receives({any, 6, 2}), {78, 2});
  messages_->completed({78, 9}, {1, 1}, last);  // a send, whose handle the library gave out again
  messages_->lost({78, 9}, last);
  messages_->completed({77, 1}, {4, 5}, last);
  messages_->completed({78, 2}, {3, 6});
  EXPECT_EQ(channels(),
            (std::vector<std::string>{
                R"("communicator":"MPI_COMM_WORLD","direction":"receive","sequence":0,"channels":[[4,5]])",
                R"("communicator":"MPI_COMM_WORLD","direction":"receive","sequence":1,"channels":[[3,6]])"}));
}

TEST_F(MessagesTest, OfSeveralThreadsAreUnordered) {
  sends({1, 5, 3});
  sends({1, 6, 3});
  std::thread([&] { EXPECT_TRUE(again<send>(send_entry, {1, 5, 3})); }).join();
  EXPECT_EQ(
      channels(),
      (std::vector<std::string>{
          R"("communicator":"MPI_COMM_WORLD","direction":"send","sequence":1,"channels":[[1,6]])",
          R"("communicator":"MPI_COMM_WORLD","direction":"send","sequence":0,"unordered":true,"channels":[[1,5]])"}));
}

TEST_F(MessagesTest, ThatMayOvertakeAreUnordered) {
  make(copy);
  groups_.overtaking = copy;
  sends({1, 5, 3, copy});
  sends({1, 5, 3});
  const std::vector<std::string> lines = channels();
  EXPECT_EQ(lines[1].find("unordered"), std::string::npos);
  EXPECT_NE(lines[0].find(R"("communicator":0,"direction":"send","sequence":0,"unordered":true)"), std::string::npos);
}

TEST_F(MessagesTest, AreNotKnownOnceTheProgramHasStoppedThat) {
  sends({1, 5, 3});
  registry_->beside([&] { messages_->stop(Unknown::switched_off); });
  EXPECT_FALSE(again<send>(send_entry, {1, 5, 3}));
  sends({1, 5, 3});
  sends({2, 5, 3});
  EXPECT_EQ(
      channels(),
      (std::vector<std::string>{
          R"("communicator":"MPI_COMM_WORLD","direction":"send","sequence":0,"undecided":[1,"switched off"],"channels":[[1,5]])"}));
  EXPECT_EQ(written("messages")[0], R"({"record":"messages","left_out":[{"why":"switched off","count":0}]})");
}

/// Bytes of the lines.
std::size_t bytes(const std::vector<std::string>& lines) {
  std::size_t sum = 0;
  for (const std::string& line : lines) sum += line.size() + 1;
  return sum;
}

TEST_F(MessagesTest, InALoopAreAConstant) {
  for (int i = 0; i < 250000; ++i) {
    for (int channel = 0; channel < 4; ++channel) {
      const Sent message{channel, 5, 1 + (i + channel) % 3};
      if (!again<send>(send_entry, message)) sends(message);
    }
  }
  write();
  EXPECT_LT(bytes(written("operation")) + bytes(written("sequence")) + bytes(written("channels")), 2000u);
}

TEST_F(MessagesTest, InRandomOrderAreAFewBytesEach) {
  begin({.constants = {}, .most_bytes = std::size_t{1} << 24});
  std::mt19937 random(1);
  std::map<int, std::uint64_t> numbers;
  for (int i = 0; i < 1000000; ++i) {
    const Sent message{i % 4, 5, static_cast<std::intptr_t>(1 + random() % 1000)};
    if (!again<send>(send_entry, message)) sends(message);
  }
  const std::vector<std::string> lines = channels();
  EXPECT_EQ(lines.size(), 4u);
  for (const std::string& line : lines) EXPECT_EQ(line.find("undecided"), std::string::npos);
  EXPECT_LT(bytes(written("operation")) + bytes(written("sequence")) + bytes(written("channels")),
            std::size_t{8} << 20);
}

TEST_F(MessagesTest, BeyondTheirMemoryAreNotKnown) {
  begin({.constants = {}, .most_bytes = 200000});
  std::mt19937 random(1);
  for (int i = 0; i < 100000; ++i) {
    const Sent message{i % 4, 5, static_cast<std::intptr_t>(1 + random() % 100)};
    if (!again<send>(send_entry, message)) sends(message);
  }
  sends({5, 5, 1});
  const std::vector<std::string> lines = channels();
  EXPECT_EQ(lines.size(), 4u);
  for (const std::string& line : lines) EXPECT_NE(line.find(R"(,"memory"])"), std::string::npos) << line.substr(0, 200);
  EXPECT_EQ(written("messages")[0], R"({"record":"messages","left_out":[{"why":"memory","count":1}]})");
}

TEST_F(MessagesTest, BeyondTheirMemoryTakeNoMore) {
  begin({.constants = {}, .most_bytes = 200000});
  const auto allocated = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  const std::size_t before = allocated();
  for (int i = 0; i < 100000; ++i) sends({1, 5, static_cast<std::intptr_t>(1 + i)});
  EXPECT_LT(allocated() - before, std::size_t{4} << 20) << "each count is an operation of its own";
}

}  // namespace
}  // namespace ddtscope::plugin::messages_test
