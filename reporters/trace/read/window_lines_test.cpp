// Lines that say what one-sided calls reach, and in which windows.
#include <gtest/gtest.h>

#include <string>

#include "reporters/trace/read/file_at_its_end.h"
#include "reporters/trace/read/lines_fixture.h"

namespace ddtscope {
namespace {

class WindowLines : public test::LinesFixture {
 protected:
  /// The line with this number is, with these words.
  void refused(const std::string& text, int line, const std::string& words) {
    FileAtItsEnd sink;
    const auto problem = read_text(text, sink);
    ASSERT_TRUE(problem) << "accepted: " << text.substr(text.find('\n'));
    EXPECT_NE(problem->sentence.find("rank-0.jsonl:" + std::to_string(line) + ": "), std::string::npos)
        << problem->sentence;
    EXPECT_NE(problem->sentence.find(words), std::string::npos) << problem->sentence;
  }
  static std::string window(const std::string& members) {
    return R"({"record":"window",)" + members + R"(,"called":"MPI_Win_create","binding":"c","site":null})" + "\n";
  }
  static std::string accesses(const std::string& members) {
    return R"({"record":"accesses",)" + members +
           R"(,"type":"MPI_INT","elements":4,"called":"MPI_Put","binding":"c","site":null})" + "\n";
  }
  const std::string first_ = R"("id":0,"name":"00ff00ff00ff00ff",)";
};

TEST_F(WindowLines, SayWhatIsReached) {
  FileAtItsEnd sink;
  const auto problem = read_text(
      header_line() + window(first_ + R"("flavour":"create","size":800,"displacement_unit":8)") +
          window(R"("id":1,"name":"00ff00ff00ff00fe","flavour":"dynamic","size":null,"displacement_unit":null)") +
          accesses(
              R"("window":1,"target":3,"argument":"target_datatype","lowest":-2,"highest":"9223372036854775807","count":7)"),
      sink);
  ASSERT_FALSE(problem) << problem->sentence;
  const auto& windows = sink.known.windows;
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[0].name, Key{0x00FF00FF00FF00FF});
  EXPECT_EQ(windows[0].flavour, WindowFlavour::create);
  EXPECT_EQ(windows[0].size, 800);
  EXPECT_EQ(windows[0].displacement_unit, 8);
  EXPECT_EQ(windows[1].flavour, WindowFlavour::dynamic);
  EXPECT_FALSE(windows[1].size);
  ASSERT_EQ(sink.known.accesses.size(), 1u);
  const AccessesRecord& accesses = sink.known.accesses[0];
  EXPECT_EQ(accesses.window, WindowNumber{1});
  EXPECT_EQ(accesses.target, 3);
  EXPECT_EQ(accesses.elements, 4u);
  EXPECT_EQ(accesses.parameter, trace::UseParameter::target_datatype);
  EXPECT_EQ(accesses.lowest, -2);
  EXPECT_EQ(accesses.highest, INT64_MAX);
  EXPECT_EQ(accesses.count, 7u);
}

TEST_F(WindowLines, AreRefusedWhereTheyMakeNoSense) {
  const std::string head = header_line();
  const std::string memory = R"("size":8,"displacement_unit":1)";
  refused(head + window(R"("id":1,"name":"00ff00ff00ff00ff","flavour":"create",)" + memory), 2,
          "window 1 stands where");
  refused(head + window(R"("id":0,"name":"00ff","flavour":"create",)" + memory), 2, "\"name\" must be 16 digits");
  refused(head + window(first_ + R"("flavour":"huge",)" + memory), 2, "\"flavour\" must be");
  refused(head + window(first_ + R"("flavour":"dynamic",)" + memory), 2, "\"size\" must be");
  refused(head + window(first_ + R"("flavour":"create","size":-1,"displacement_unit":1)"), 2, "\"size\" must be");
  refused(head + window(first_ + R"("flavour":"create","size":8,"displacement_unit":null)"), 2,
          "\"displacement_unit\" must be");
  const std::string above = head + window(first_ + R"("flavour":"create",)" + memory);
  const std::string places = R"("argument":"datatype","lowest":0,"highest":1,"count":2)";
  refused(above + accesses(R"("window":1,"target":0,)" + places), 3, "names window 1, but only 1 stand");
  refused(above + accesses(R"("window":0,"target":-1,)" + places), 3, "\"target\" must be a rank");
  refused(above + accesses(R"("window":0,"target":0,"argument":"buffer","lowest":0,"highest":1,"count":2)"), 3,
          "\"argument\" must be");
  refused(above + accesses(R"("window":0,"target":0,"argument":"datatype","lowest":2,"highest":1,"count":2)"), 3,
          "\"highest\" must be");
}

}  // namespace
}  // namespace ddtscope
