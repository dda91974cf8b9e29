// Lines that say what went from process to process.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reporters/trace/read/file_at_its_end.h"
#include "reporters/trace/read/lines_fixture.h"

namespace ddtscope::message_lines_test {
namespace {

const std::string operation_0 =
    R"({"record":"operation","id":0,"type":0,"elements":3,"called":"MPI_Send","binding":"c","argument":"datatype","site":2})"
    "\n";
const std::string operation_1 =
    R"({"record":"operation","id":1,"type":"MPI_INT","elements":7,"called":"mpi_isend_","binding":"mpif.h","argument":"datatype","site":null})"
    "\n";

/// A golden trace, and lines behind it.
class MessageLines : public test::LinesFixture {
 protected:
  std::optional<TraceProblem> read(const std::string& lines, FileAtItsEnd& sink) {
    return read_text(text_ + lines, sink);
  }
  FileEnd good(const std::string& lines) {
    FileAtItsEnd sink;
    const auto problem = read(lines, sink);
    EXPECT_FALSE(problem) << problem->sentence;
    return std::move(sink.known);
  }
  void refused(const std::string& lines, const std::string& words) {
    FileAtItsEnd sink;
    const auto problem = read(operation_0 + operation_1 + lines + "\n", sink);
    ASSERT_TRUE(problem) << "accepted: " << lines;
    EXPECT_NE(problem->sentence.find(words), std::string::npos) << problem->sentence;
  }
};

TEST_F(MessageLines, SayOperationsSequencesAndChannels) {
  const FileEnd end = good(
      operation_0 + operation_1 + R"({"record":"sequence","id":0,"operations":[1,[1000,[0,[2,[1]]]],0]})" + "\n" +
      R"({"record":"channels","communicator":"MPI_COMM_WORLD","direction":"send","sequence":0,"channels":[[1,3],[2,-4]]})" +
      "\n" +
      R"({"record":"channels","communicator":"MPI_COMM_SELF","direction":"receive","sequence":0,"partitioned":true,"unordered":true,"undecided":[17,"wildcard"],"channels":[[null,7],[1,null]]})" +
      "\n" + R"({"record":"messages","left_out":[{"why":"memory","count":5}]})" + "\n");
  ASSERT_EQ(end.operations.size(), 2u);
  EXPECT_EQ(end.operations[0].elements, 3u);
  EXPECT_EQ(end.operations[0].site, FrameNumber{2});
  EXPECT_EQ(std::get<std::string_view>(*end.operations[1].type), "MPI_INT");
  ASSERT_EQ(end.sequences.size(), 1u);
  EXPECT_EQ(end.sequences[0].elements,
            (std::vector<SequenceElement>{{0, 1}, {1000, 3}, {0, 0}, {2, 1}, {0, 1}, {0, 0}}));
  ASSERT_EQ(end.channels.size(), 2u);
  EXPECT_EQ(end.channels[0].predefined, PredefinedCommunicator::world);
  EXPECT_EQ(end.channels[0].direction, ChannelDirection::send);
  EXPECT_EQ(end.channels[0].channels, (std::vector<ChannelEnd>{{1, 3}, {2, -4}}));
  EXPECT_FALSE(end.channels[0].is_partitioned || end.channels[0].is_unordered || end.channels[0].undecided);
  EXPECT_TRUE(end.channels[1].is_partitioned && end.channels[1].is_unordered);
  EXPECT_EQ(end.channels[1].channels, (std::vector<ChannelEnd>{{ChannelEnd::any, 7}, {1, ChannelEnd::any}}));
  EXPECT_EQ(end.channels[1].undecided->operation, 17u);
  EXPECT_EQ(end.channels[1].undecided->why, "wildcard");
  ASSERT_EQ(end.messages.size(), 1u);
  EXPECT_EQ(end.messages[0].left_out, (std::vector<MessagesLeftOut>{{"memory", 5}}));
  EXPECT_TRUE(good(operation_0).messages.empty());
}

TEST_F(MessageLines, AreRefusedWhereTheyMakeNoSense) {
  const std::string sequence = R"({"record":"sequence","id":0,"operations":)";
  refused(R"({"record":"operation","id":0})", "operation 0 stands where operation 2 must come");
  for (const char* folded : {"[2]", "[-1]", "7", "[[1,[0]]]", "[[2,[]]]", "[[2]]", "[[2,0]]",
                             "[[4294967296,[[4294967296,[0]]]]]", "[[\"9223372036854775807\",[0]],0]"}) {
    refused(sequence + folded + "}", "\"operations\" must hold numbers of operations");
  }
  std::string deep = "0";
  for (int i = 0; i < 100; ++i) deep = "[2,[" + deep + "]]";
  refused(sequence + "[" + deep + "]}", "\"operations\" must hold");
  const std::string channels = sequence + "[0]}\n" + R"({"record":"channels","direction":"send",)";
  refused(channels + R"("communicator":"MPI_COMM_NULL","sequence":0,"channels":[]})", "\"communicator\" must be");
  refused(channels + R"("communicator":0,"sequence":0,"channels":[]})", "names communicator 0");
  refused(channels + R"("communicator":"MPI_COMM_WORLD","sequence":1,"channels":[]})", "names sequence 1");
  for (const char* ends : {"[[0]]", "[[-1,0]]", "[[0,2147483648]]", "[0]"}) {
    refused(channels + R"("communicator":"MPI_COMM_WORLD","sequence":0,"channels":)" + ends + "}",
            "\"channels\" must hold [rank or null, tag or null]");
  }
}

}  // namespace
}  // namespace ddtscope::message_lines_test
