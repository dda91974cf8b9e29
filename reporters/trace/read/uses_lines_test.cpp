// Lines that say how a type was used.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "reporters/trace/read/file_at_its_end.h"
#include "reporters/trace/read/lines_fixture.h"

namespace ddtscope::uses_lines_test {
namespace {

/// A golden trace, with a line behind its header.
class UsesLines : public test::LinesFixture {
 protected:
  std::optional<TraceProblem> read(const std::string& counts, FileAtItsEnd& sink) {
    const std::string line =
        R"({"record":"uses","type":"MPI_INT","called":"MPI_Start","binding":"c","argument":"datatype","counts":)" +
        counts + "}\n";
    std::string text = text_;
    return read_text(text.insert(header_line().size(), line), sink);
  }
  std::vector<UsesRecord> good(const std::string& counts) {
    FileAtItsEnd sink;
    const auto problem = read(counts, sink);
    EXPECT_FALSE(problem) << problem->sentence;
    return sink.known.uses;
  }
  void refused(const std::string& counts) {
    FileAtItsEnd sink;
    const auto problem = read(counts, sink);
    ASSERT_TRUE(problem) << "accepted: " << counts;
    EXPECT_NE(problem->sentence.find("received or null, sent_calls, sent_elements"), std::string::npos)
        << problem->sentence;
  }
};

TEST_F(UsesLines, SayWhatWasReceivedAndSentWhereThatIsKnown) {
  const std::vector<UsesRecord> uses =
      good("[[null,2,6,1,5],[null,3,9,3,3,12,0,0],[null,4,8,2,2,null,1,2],[null,1,1,1,1,0,0,0]]");
  ASSERT_EQ(uses.size(), 4u);
  EXPECT_EQ(uses[0].counts, (trace::UseCounts{2, 6, 1, 5}));
  EXPECT_EQ(uses[1].counts, (trace::UseCounts{3, 9, 3, 3, 0, 0, 12}));
  EXPECT_EQ(uses[2].counts, (trace::UseCounts{4, 8, 2, 2, 1, 2}));
  EXPECT_EQ(uses[3].counts, (trace::UseCounts{1, 1, 1, 1, 0, 0, 0}));
}

TEST_F(UsesLines, AreRefusedWhereTheyAreDamaged) {
  for (const std::string counts :
       {"[[null,2,6,1]]", "[[null,2,6,1,5,12]]", "[[null,2,6,1,5,12,1]]", "[[null,2,6,1,5,-1,0,0]]",
        "[[null,2,6,1,5,12,null,0]]", "[[null,2,6,1,5,12,0,0,[[0,0]]]]"}) {
    refused(counts);
  }
}

}  // namespace
}  // namespace ddtscope::uses_lines_test
