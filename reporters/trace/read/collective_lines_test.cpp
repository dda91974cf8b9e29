// Lines that say which collective operations a process called.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reporters/trace/read/file_at_its_end.h"
#include "reporters/trace/read/lines_fixture.h"

namespace ddtscope::collective_lines_test {
namespace {

/// A `collective` line with these members behind those that do not matter.
std::string collective(int id, const std::string& members) {
  return R"({"record":"collective","id":)" + std::to_string(id) + R"(,"called":"MPI_Gather","binding":"c","site":2,)" +
         members + "}\n";
}
const std::string gather_at_root =
    collective(0, R"("root":0,"op":null,"send":[[1,0,3]],"receive":[[2,0,3],[1,"MPI_INT",7],[1,null,0]])");
const std::string reduce = collective(1, R"("root":3,"op":"MPI_SUM","send":[[1,"MPI_INT",1]],"receive":null)");
const std::string sequence = R"({"record":"sequence","id":0,"of":"collectives","operations":[[9,[0,1]],0]})"
                             "\n";

/// A golden trace, and lines behind it.
class CollectiveLines : public test::LinesFixture {
 protected:
  FileEnd good(const std::string& lines) {
    FileAtItsEnd sink;
    const auto problem = read_text(text_ + lines, sink);
    EXPECT_FALSE(problem) << problem->sentence;
    return std::move(sink.known);
  }
  void refused(const std::string& lines, const std::string& words) {
    FileAtItsEnd sink;
    const auto problem = read_text(text_ + gather_at_root + reduce + lines + "\n", sink);
    ASSERT_TRUE(problem) << "accepted: " << lines;
    EXPECT_NE(problem->sentence.find(words), std::string::npos) << problem->sentence;
  }
};

TEST_F(CollectiveLines, SayCallsSequencesAndCommunicators) {
  const FileEnd end = good(
      gather_at_root + reduce + collective(2, R"("root":"MPI_ROOT","op":null,"send":"in place","receive":"long")") +
      collective(3, R"("root":"MPI_PROC_NULL","op":"user-defined","send":[],"receive":null)") + sequence +
      R"({"record":"collectives","communicator":"MPI_COMM_WORLD","sequence":0})" + "\n" +
      R"({"record":"collectives","communicator":"MPI_COMM_WORLD","sequence":0,"undecided":[4,"failed"]})" + "\n");
  ASSERT_EQ(end.collective_operations.size(), 4u);
  const CollectiveRecord& gather = end.collective_operations[0];
  EXPECT_EQ(gather.called, "MPI_Gather");
  EXPECT_EQ(gather.site, FrameNumber{2});
  EXPECT_EQ(gather.root, (CollectiveRoot{CollectiveRoot::Is::process, 0}));
  EXPECT_TRUE(gather.op.empty());
  EXPECT_EQ(gather.send.is, CollectiveSideIs::blocks);
  ASSERT_EQ(gather.receive.runs.size(), 3u);
  EXPECT_EQ(gather.receive.runs[0].times, 2u);
  EXPECT_EQ(std::get<DefinitionNumber>(*gather.receive.runs[0].type), DefinitionNumber{0});
  EXPECT_EQ(std::get<std::string_view>(*gather.receive.runs[1].type), "MPI_INT");
  EXPECT_EQ(gather.receive.runs[1].elements, 7u);
  EXPECT_FALSE(gather.receive.runs[2].type);
  EXPECT_EQ(end.collective_operations[1].op, "MPI_SUM");
  EXPECT_EQ(end.collective_operations[1].receive.is, CollectiveSideIs::none);
  EXPECT_EQ(end.collective_operations[2].root.is, CollectiveRoot::Is::itself);
  EXPECT_EQ(end.collective_operations[2].send.is, CollectiveSideIs::in_place);
  EXPECT_EQ(end.collective_operations[2].receive.is, CollectiveSideIs::too_long);
  EXPECT_EQ(end.collective_operations[3].root.is, CollectiveRoot::Is::nobody);
  EXPECT_EQ(end.collective_operations[3].send.is, CollectiveSideIs::blocks);
  ASSERT_EQ(end.sequences.size(), 1u);
  EXPECT_EQ(end.sequences[0].of, SequenceOf::collectives);
  EXPECT_EQ(end.sequences[0].elements, (std::vector<SequenceElement>{{9, 2}, {0, 0}, {0, 1}, {0, 0}}));
  ASSERT_EQ(end.collectives.size(), 2u);
  EXPECT_EQ(end.collectives[0].predefined, PredefinedCommunicator::world);
  EXPECT_FALSE(end.collectives[0].undecided);
  EXPECT_EQ(end.collectives[1].undecided->operation, 4u);
  EXPECT_EQ(end.collectives[1].undecided->why, "failed");
}

TEST_F(CollectiveLines, SayNeighbours) {
  const std::string line = R"({"record":"collectives","communicator":"MPI_COMM_WORLD","sequence":0,"neighbours":)";
  const FileEnd end = good(gather_at_root + reduce + sequence + line +
                           R"({"topology":"cartesian","sources":[null,3],"destinations":[3,null]}})" + "\n" + line +
                           R"({"topology":"graph","sources":[],"destinations":[2147483647]}})" + "\n");
  ASSERT_EQ(end.collectives.size(), 2u);
  EXPECT_EQ(end.collectives[0].neighbours, (Neighbours{true, {Neighbours::nobody, 3}, {3, Neighbours::nobody}}));
  EXPECT_EQ(end.collectives[1].neighbours, (Neighbours{false, {}, {2147483647}}));
  const auto wrong = [&](const std::string& neighbours, const std::string& words) {
    refused(sequence + line + neighbours + "}", words);
  };
  wrong("7", "\"neighbours\" must be an object");
  wrong(R"({"topology":"torus","sources":[],"destinations":[]})", "\"cartesian\" or \"graph\"");
  wrong(R"({"topology":"graph","sources":[-1],"destinations":[]})", "\"sources\" must hold ranks or null");
  wrong(R"({"topology":"graph","sources":[],"destinations":[2147483648]})", "\"destinations\" must hold ranks or null");
  wrong(R"({"topology":"graph","sources":[]})", "destinations");
}

TEST_F(CollectiveLines, AreRefusedWhereTheyMakeNoSense) {
  refused(collective(7, R"("root":null)"), "collective 7 stands where collective 2 must come");
  for (const char* root : {"-1", "2147483648", "\"MPI_ANY_SOURCE\"", "[]"}) {
    refused(collective(2, R"("op":null,"send":null,"receive":null,"root":)" + std::string(root)),
            "\"root\" must be a rank");
  }
  refused(collective(2, R"("root":null,"op":5,"send":null,"receive":null)"), "\"op\" must be a string");
  for (const char* side : {"7", "\"short\"", "{}"}) {
    refused(collective(2, R"("root":null,"op":null,"receive":null,"send":)" + std::string(side)),
            "\"send\" must be null, \"in place\", \"long\" or");
  }
  for (const char* runs :
       {"[0]", "[[1,0]]", "[[0,0,1]]", "[[1,0,-1]]", "[[4294967296,0,1]]", "[[4294967295,0,1],[1,0,1]]"}) {
    refused(collective(2, R"("root":null,"op":null,"send":null,"receive":)" + std::string(runs)),
            "\"receive\" must hold [times, type, elements]");
  }
  for (const char* type : {"null", "99", "\"MPI_NONE\""}) {
    refused(collective(2, R"("root":null,"op":null,"send":null,"receive":[[1,)" + std::string(type) + ",1]]"),
            "receive");
  }
  refused(R"({"record":"sequence","id":0,"of":"messages","operations":[]})", "\"of\" must be \"collectives\"");
  refused(R"({"record":"sequence","id":0,"of":"collectives","operations":[2]})", "\"operations\" must hold numbers");
  refused(R"({"record":"sequence","id":0,"operations":[0]})", "\"operations\" must hold numbers");
  const std::string of_operations = R"({"record":"sequence","id":1,"operations":[]})"
                                    "\n";
  const std::string collectives = sequence + of_operations + R"({"record":"collectives","communicator":)";
  refused(collectives + R"("MPI_COMM_NULL","sequence":0})", "\"communicator\" must be");
  refused(collectives + R"(0,"sequence":0})", "names communicator 0");
  refused(collectives + R"("MPI_COMM_WORLD","sequence":2})", "names sequence 2");
  refused(collectives + R"("MPI_COMM_WORLD","sequence":1})", "the number of a sequence of collectives");
  refused(collectives + R"("MPI_COMM_WORLD","sequence":0,"undecided":["memory"]})", "\"undecided\" must be");
  refused(sequence +
              R"({"record":"channels","communicator":"MPI_COMM_WORLD","direction":"send","sequence":0,"channels":[]})",
          "the number of a sequence of operations");
}

}  // namespace
}  // namespace ddtscope::collective_lines_test
