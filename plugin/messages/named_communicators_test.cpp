#include "plugin/messages/named_communicators.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugin/registry/plain_library.h"
#include "plugin/registry/registry_calls.h"
#include "plugin/registry/trace_fixture.h"

namespace ddtscope::plugin::named_communicators_test {
namespace {

constexpr EntryPoint dup{"MPI_Comm_dup", "c"};
constexpr EntryPoint split{"MPI_Comm_split", "c"};
constexpr HandleBits world = 1;
constexpr HandleBits self = 2;

/// Says what the test put in.
class PlayedGroups : public GroupQueries {
 public:
  CommunicatorGroups groups_of(HandleBits communicator) override { return groups[communicator]; }
  int process_of(HandleBits, int rank) override { return rank; }
  bool allows_overtaking(HandleBits) override { return false; }
  std::map<HandleBits, CommunicatorGroups> groups;
};

class NamedCommunicatorsTest : public TraceTest {
 protected:
  void SetUp() override {
    TraceTest::SetUp();
    start({});
  }
  void start(const NamedCommunicators::Options& options) {
    registry_ = std::make_unique<Registry>(Registry::Options{},
                                           Registry::Surroundings{{}, {}, sites_, library_, writer_, pages_, memory_});
    names_ = std::make_unique<NamedCommunicators>(options, NamedCommunicators::Parts{*registry_, groups_, writer_});
    names_->begin({.world = world, .self = self, .number = 1, .rank = 0});
  }
  void make(HandleBits communicator, const EntryPoint& called, HandleBits parent) {
    const CommunicatorNames::Call call = names_->begin_call(parent);
    names_->made_by_parent({communicator, &called, &stack_}, call, communicator);
  }
  std::string name(HandleBits communicator) const {
    const CommunicatorName name = names_->name_of(communicator);
    return name ? key_text(name.value) : "none";
  }

  PlainLibrary library_{{4, 0, 4, 0, 4}};
  PlayedGroups groups_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<NamedCommunicators> names_;
  Stack stack_;
};

TEST_F(NamedCommunicatorsTest, WriteALineForEachWithItsProcesses) {
  groups_.groups[10] = {{0, 1, 2, 3}, {}, true};
  groups_.groups[11] = {{6, 4, 2, 5}, {}, true};
  groups_.groups[12] = {{3, 5}, {0}, true};
  make(10, dup, world);
  make(11, split, world);
  make(12, split, 10);
  const std::vector<std::string> lines = written("communicator");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], R"({"record":"communicator","id":0,"name":")" + name(10) +
                          R"(","called":"MPI_Comm_dup","binding":"c","site":null,"groups":[[[0,3,1]]]})");
  EXPECT_NE(lines[1].find(R"("id":1,"name":")" + name(11)), std::string::npos);
  EXPECT_NE(lines[1].find(R"("groups":[[[6,2,-2],[5,5,1]]])"), std::string::npos);
  EXPECT_NE(lines[2].find(R"("groups":[[[0,0,1]],[[3,5,2]]])"), std::string::npos);
}

TEST_F(NamedCommunicatorsTest, WithoutANameAreToldOnceForEachPlace) {
  groups_.groups[10] = {{0, 1}, {}, false};  // of another world
  for (int i = 0; i < 3; ++i) make(10, dup, world);
  EXPECT_EQ(name(10), "none");
  make(11, split, 10);
  make(12, split, 99);
  EXPECT_EQ(name(11), "none");
  const std::vector<std::string> lines = written("communicator");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            R"({"record":"communicator","id":0,"name":null,"called":"MPI_Comm_dup","binding":"c","site":null,)"
            R"("groups":null})");
  EXPECT_NE(lines[1].find("MPI_Comm_split"), std::string::npos);
}

TEST_F(NamedCommunicatorsTest, OfAHandleThatIsGivenAgainAreOthers) {
  groups_.groups[10] = {{0, 1}, {}, true};
  make(10, dup, world);
  const std::string first = name(10);
  names_->freed(10);
  EXPECT_EQ(name(10), "none");
  make(10, dup, world);
  EXPECT_NE(name(10), first);
  EXPECT_NE(name(10), "none");
}

TEST_F(NamedCommunicatorsTest, OfManyProcessesHaveANameAndNoGroups) {
  groups_.groups[10] = {{0}, {}, true, false};
  make(10, dup, world);
  EXPECT_NE(name(10), "none");
  const std::vector<std::string> lines = written("communicator");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find(R"("groups":null)"), std::string::npos);
}

TEST_F(NamedCommunicatorsTest, SayHowManyAreNotTold) {
  start({.most_lines = 2, .most_runs = 2});
  groups_.groups[10] = {{0, 5, 1, 6, 2, 9}, {}, true};
  for (int i = 0; i < 5; ++i) make(10, dup, world);
  const std::vector<std::string> lines = written("communicator");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find(R"("name":")"), std::string::npos);
  EXPECT_NE(lines[0].find(R"("groups":null)"), std::string::npos);  // they would be three runs
  EXPECT_NE(name(10), "none");
  names_->write(writer_);
  const std::vector<std::string> notes = written("note");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("3 communicators are not told"), std::string::npos);
}

}  // namespace
}  // namespace ddtscope::plugin::named_communicators_test
