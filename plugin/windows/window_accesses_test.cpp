// The lines of windows and of what is reached in them.
#include "plugin/windows/window_accesses.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugin/uses/counted_uses_fixture.h"

namespace ddtscope::plugin {
namespace {

constexpr HandleBits world = 100, self = 101, other = 102, window = 200, null_type = 0x9999;
constexpr EntryPoint create_entry{"MPI_Win_create", "c"}, put_entry{"MPI_Put", "c"}, split_entry{"MPI_Comm_split", "c"},
    fetch_entry{"MPI_Fetch_and_op", "c"};

/// MPI_Put.
constexpr UseRow put_row() {
  UseRow row{
      .uses = {.first = {.parameter = UseParameter::origin_datatype, .type = 2, .count = 1, .buffer = 0, .peer = 3},
               .second = {.parameter = UseParameter::target_datatype, .type = 6, .count = 5, .peer = 3}}};
  row.holder = 7;
  return row;
}
/// MPI_Fetch_and_op.
constexpr UseRow fetch_row() {
  UseRow row{
      .uses = {.first = {.parameter = UseParameter::datatype, .type = 2, .buffer = 0, .peer = 3}, .fixed_count = 1}};
  row.holder = 6;
  return row;
}
constexpr UseRow put = put_row(), fetch = fetch_row();

class NoCommunicators : public CommunicatorQueries {
 public:
  Communicator describe(HandleBits) override { return {}; }
};

class PlayedGroups : public GroupQueries {
 public:
  CommunicatorGroups groups_of(HandleBits communicator) override { return groups[communicator]; }
  int process_of(HandleBits, int rank) override { return rank; }
  bool allows_overtaking(HandleBits) override { return false; }
  std::map<HandleBits, CommunicatorGroups> groups{{world, {{0, 1, 2, 3}, {}, true}}, {other, {{3, 1}, {}, true}}};
};

class WindowAccessesTest : public CountedUsesTest {
 protected:
  void SetUp() override {
    CountedUsesTest::SetUp();
    begin_counting(no_communicators_, {.constants = {}, .null_type = null_type, .judge = nullptr});
    communicators_ = std::make_unique<NamedCommunicators>(NamedCommunicators::Options{},
                                                          NamedCommunicators::Parts{*registry_, groups_, writer_});
    communicators_->begin({.world = world, .self = self, .number = 1, .rank = 0});
    record(1 << 20);
  }
  void record(std::size_t most_bytes) {
    const WindowAccesses::Options options{.constants = constants, .world = world, .most_bytes = most_bytes};
    windows_ =
        std::make_unique<WindowAccesses>(options, WindowAccesses::Parts{*registry_, groups_, *communicators_, writer_});
  }
  void make(HandleBits handle, HandleBits communicator, std::int64_t size = 800) {
    const CommunicatorNames::Call call = windows_->begin_call(communicator);
    windows_->made({.window = handle,
                    .communicator = communicator,
                    .size = size,
                    .displacement_unit = 8,
                    .called = &create_entry,
                    .stack = &stack_},
                   call);
  }
  void puts(std::intptr_t target, std::intptr_t displacement, std::intptr_t count = 5, HandleBits handle = window) {
    const std::array<std::intptr_t, 8> words{1,
                                             count,
                                             static_cast<std::intptr_t>(mpi_int),
                                             target,
                                             displacement,
                                             count,
                                             static_cast<std::intptr_t>(mpi_int),
                                             static_cast<std::intptr_t>(handle)};
    windows_->accessed({{put, words.data()}, &put_entry, &stack_});
  }
  void write() {
    registry_->beside([&] { windows_->write(writer_); });
  }
  NoCommunicators no_communicators_;
  PlayedGroups groups_;
  std::unique_ptr<NamedCommunicators> communicators_;
  std::unique_ptr<WindowAccesses> windows_;
};

TEST_F(WindowAccessesTest, OfALoopAreOneLine) {
  make(window, world);
  for (std::intptr_t i = 0; i < 1000; ++i) puts(2, 7 * i - 3);
  puts(1, 4);
  puts(1, 5, 6);
  write();
  const std::vector<std::string> lines = written("accesses");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[0].find(R"("target":2,"type":"MPI_INT","elements":5,)"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find(R"("lowest":-3,"highest":6990,"count":1000})"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find(R"("lowest":4,"highest":4,"count":1})"), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find(R"("elements":6,)"), std::string::npos) << lines[2];
}

TEST_F(WindowAccessesTest, NameTheProcessThatARankStandsFor) {
  communicators_->made_by_parent({other, &split_entry, &stack_}, communicators_->begin_call(world), other);
  make(window, other);
  puts(0, 1);
  puts(2, 1);  // no such rank
  write();
  const std::vector<std::string> lines = written("accesses");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find(R"("target":3,)"), std::string::npos) << lines[0];
  EXPECT_EQ(written("note").size(), 1u);
}

TEST_F(WindowAccessesTest, OfNobodyAndOfNothingAreNone) {
  make(window, world);
  puts(constants.null_process, 1);
  puts(1, 1, 0);
  puts(1, 1, -1);
  write();
  EXPECT_TRUE(written("accesses").empty());
  EXPECT_TRUE(written("note").empty());
}

TEST_F(WindowAccessesTest, OfOneTypeForAllAreAsManyAsTheFunctionHas) {
  make(window, world);
  const std::array<std::intptr_t, 7> words{1,  2, static_cast<std::intptr_t>(mpi_int), 3,
                                           17, 0, static_cast<std::intptr_t>(window)};
  windows_->accessed({{fetch, words.data()}, &fetch_entry, &stack_});
  write();
  const std::vector<std::string> lines = written("accesses");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find(R"("target":3,"type":"MPI_INT","elements":1,"called":"MPI_Fetch_and_op")"),
            std::string::npos);
  EXPECT_NE(lines[0].find(R"("argument":"datatype")"), std::string::npos);
  EXPECT_NE(lines[0].find(R"("lowest":17,"highest":17,"count":1})"), std::string::npos);
}

TEST_F(WindowAccessesTest, OfAHandleThatIsGivenAgainAreOfAnotherWindow) {
  make(window, world);
  puts(1, 0);
  windows_->freed(window);
  puts(1, 1);  // the program's mistake
  make(window, world, 80);
  puts(1, 2);
  write();
  const std::vector<std::string> windows = written("window"), lines = written("accesses");
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_NE(windows[0].substr(windows[0].find("name"), 26), windows[1].substr(windows[1].find("name"), 26));
  EXPECT_NE(windows[1].find(R"("flavour":"create","size":80,"displacement_unit":8,)"), std::string::npos) << windows[1];
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find(R"("window":0,)"), std::string::npos);
  EXPECT_NE(lines[1].find(R"("window":1,)"), std::string::npos);
  EXPECT_EQ(written("note").size(), 1u);
}

TEST_F(WindowAccessesTest, AreCountedWhereThereIsNoMemory) {
  record(600);
  make(window, world);
  for (std::intptr_t count = 1; count <= 10; ++count) puts(1, 0, count);
  puts(1, 9, 1);
  write();
  const std::vector<std::string> lines = written("accesses");
  ASSERT_FALSE(lines.empty());
  ASSERT_LT(lines.size(), 10u);
  EXPECT_NE(lines[0].find(R"("highest":9,"count":2})"), std::string::npos);
  ASSERT_EQ(written("note").size(), 1u);
  EXPECT_NE(written("note")[0].find(std::to_string(10 - lines.size()) + " accesses to windows are not told"),
            std::string::npos);
}

}  // namespace
}  // namespace ddtscope::plugin
