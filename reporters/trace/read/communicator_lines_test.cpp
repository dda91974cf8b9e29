// Lines that say what communicators are called.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reporters/trace/read/file_at_its_end.h"
#include "reporters/trace/read/lines_fixture.h"

namespace ddtscope::communicator_lines_test {
namespace {

/// A golden trace, and lines behind it or behind its header.
class CommunicatorLines : public test::LinesFixture {
 protected:
  std::vector<CommunicatorRecord> good(const std::string& text) {
    FileAtItsEnd sink;
    const auto problem = read_text(text, sink);
    EXPECT_FALSE(problem) << problem->sentence;
    return sink.known.communicators;
  }
  /// The second line is, with these words.
  void refused(const std::string& text, const std::string& words) {
    FileAtItsEnd sink;
    const auto problem = read_text(text, sink);
    ASSERT_TRUE(problem) << "accepted: " << text.substr(text.find('\n'));
    EXPECT_NE(problem->sentence.find("rank-0.jsonl:2: "), std::string::npos) << problem->sentence;
    EXPECT_NE(problem->sentence.find(words), std::string::npos) << problem->sentence;
  }
};

TEST_F(CommunicatorLines, SayNamesAndProcesses) {
  const std::string head = R"({"record":"communicator","id":)";
  const std::string place = R"("called":"MPI_Comm_split","binding":"c","site":2)";
  const std::vector<CommunicatorRecord> communicators =
      good(text_ + head + R"(0,"name":"00ff00ff00ff00ff",)" + place + R"(,"groups":[[[0,6,2],[5,5,1]],[[9,1,-4]]]})" +
           "\n" + head + R"(1,"name":null,)" + place + R"(,"groups":null})" + "\n");
  ASSERT_EQ(communicators.size(), 2u);
  const CommunicatorRecord& named = communicators[0];
  EXPECT_EQ(named.name, Key{0x00FF00FF00FF00FF});
  EXPECT_EQ(named.called, "MPI_Comm_split");
  EXPECT_EQ(named.site, FrameNumber{2});
  EXPECT_EQ(named.groups, (std::vector<GroupRuns>{{{0, 6, 2}, {5, 5, 1}}, {{9, 1, -4}}}));
  EXPECT_FALSE(communicators[1].name);
  EXPECT_TRUE(communicators[1].groups.empty());
}

TEST_F(CommunicatorLines, AreRefusedWhereTheyMakeNoSense) {
  const std::string head = header_line() + R"({"record":"communicator","id":)";
  const std::string place = R"("called":"MPI_Comm_dup","binding":"c","site":null)";
  refused(head + R"(1,"name":null,)" + place + R"(,"groups":null})" + "\n", "communicator 1 stands where");
  refused(head + R"(0,"name":"00ff",)" + place + R"(,"groups":null})" + "\n", "\"name\" must be null or 16 digits");
  refused(head + R"(0,"name":null,)" + place + "}\n", "\"groups\" is missing");
  for (const char* group :
       {"[[0,1]]", "[[0,1,0]]", "[[0,3,2]]", "[[3,0,1]]", "[[-1,0,1]]", "[[0,4294967296,1]]", "[7]", "8"}) {
    refused(head + R"(0,"name":null,)" + place + R"(,"groups":[)" + group + "]}\n", "\"groups\" must hold groups of");
  }
}

}  // namespace
}  // namespace ddtscope::communicator_lines_test
