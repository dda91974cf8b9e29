// Lines that say which files were opened, how they were viewed, and what was accessed in them.
#include <gtest/gtest.h>

#include <string>

#include "reporters/trace/read/file_at_its_end.h"
#include "reporters/trace/read/lines_fixture.h"

namespace ddtscope::file_lines_test {
namespace {

class FileLines : public test::LinesFixture {
 protected:
  void refused(const std::string& text, const std::string& words) {
    FileAtItsEnd sink;
    const auto problem = read_text(text, sink);
    ASSERT_TRUE(problem) << "accepted: " << text.substr(text.find('\n'));
    EXPECT_NE(problem->sentence.find(words), std::string::npos) << problem->sentence;
  }
  static std::string line(const std::string& record, const std::string& members) {
    return R"({"record":")" + record + R"(",)" + members + R"(,"called":"MPI_File_x","binding":"c","site":null})" +
           "\n";
  }
  const std::string file_ = line("file", R"("id":0,"name":"a \"b\"","communicator":null,"mode":"MPI_MODE_RDONLY")");
};

TEST_F(FileLines, SayWhatWasAccessed) {
  FileAtItsEnd sink;
  const auto problem = read_text(
      header_line() + file_ +
          line("file", R"("id":1,"name":"c","communicator":"MPI_COMM_WORLD","mode":"MPI_MODE_RDWR")") +
          line(
              "view",
              R"("file":1,"etype":"MPI_INT","filetype":"MPI_INT","datarep":"native","lowest":-8,"highest":16,"count":3)") +
          line(
              "view",
              R"("file":0,"etype":"MPI_INT","filetype":"MPI_INT","datarep":"","lowest":null,"highest":null,"count":1)") +
          line("file_accesses",
               R"("file":0,"type":"MPI_INT","elements":"18446744073709551615","argument":"datatype","count":7)"),
      sink);
  ASSERT_FALSE(problem) << problem->sentence;
  ASSERT_EQ(sink.known.files.size(), 2u);
  EXPECT_EQ(sink.known.files[0].name, "a \"b\"");
  EXPECT_EQ(sink.known.files[0].communicator, "");
  EXPECT_EQ(sink.known.files[1].communicator, "MPI_COMM_WORLD");
  EXPECT_EQ(sink.known.files[1].mode, "MPI_MODE_RDWR");
  ASSERT_EQ(sink.known.views.size(), 2u);
  EXPECT_EQ(sink.known.views[0].file, OpenedFileNumber{1});
  EXPECT_EQ(sink.known.views[0].lowest, -8);
  EXPECT_EQ(sink.known.views[0].highest, 16);
  EXPECT_EQ(sink.known.views[0].count, 3u);
  EXPECT_FALSE(sink.known.views[1].lowest);
  ASSERT_EQ(sink.known.file_accesses.size(), 1u);
  EXPECT_EQ(sink.known.file_accesses[0].elements, UINT64_MAX);
  EXPECT_EQ(sink.known.file_accesses[0].count, 7u);
}

TEST_F(FileLines, AreRefusedWhereTheyMakeNoSense) {
  refused(header_line() + line("file", R"("id":1,"name":"a","communicator":null,"mode":"")"),
          "file 1 stands where file 0");
  refused(header_line() + file_ +
              line("file_accesses", R"("file":1,"type":"MPI_INT","elements":1,"argument":"datatype","count":1)"),
          "file");
  refused(header_line() + file_ +
              line("view",
                   R"("file":0,"etype":"MPI_INT","filetype":"MPI_INT","datarep":"","lowest":3,"highest":2,"count":1)"),
          "highest");
  refused(
      header_line() + file_ +
          line("view",
               R"("file":0,"etype":"MPI_INT","filetype":"MPI_INT","datarep":"","lowest":null,"highest":2,"count":1)"),
      "highest");
  refused(header_line() + file_ +
              line("file_accesses", R"("file":0,"type":"MPI_INT","elements":1,"argument":"colour","count":1)"),
          "argument");
}

}  // namespace
}  // namespace ddtscope::file_lines_test
