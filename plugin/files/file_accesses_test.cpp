// The lines of files, of their views and of what is accessed in them, and what a file's mode forbids.
#include "plugin/files/file_accesses.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "plugin/uses/counted_uses_fixture.h"

namespace ddtscope::plugin::file_accesses_test {
namespace {

constexpr HandleBits world_comm = 100, self_comm = 101, other_comm = 102, file = 0x700000000200, no_type = 0x9999;
constexpr int read_only = 2, write_only = 4, read_write = 8, created = 1, sequential = 256;
constexpr std::int64_t at_current = -54278278;
constexpr EntryPoint open_entry{"MPI_File_open", "c"}, access_entry{"MPI_File_write_at", "c"},
    view_entry{"MPI_File_set_view", "c"};

/// MPI_File_write_at and its like.
constexpr UseRow access_row(Access access, FilePointer pointer) {
  UseRow row{.uses = {.first = {.parameter = UseParameter::datatype, .type = 4, .count = 3, .buffer = 2}}};
  row.access[0] = access;
  row.file = 0;
  row.pointer = pointer;
  return row;
}
constexpr UseRow set_view_row() {
  UseRow row{.uses = {.first = {.parameter = UseParameter::etype, .type = 2},
                      .second = {.parameter = UseParameter::filetype, .type = 3}}};
  row.file = 0;
  return row;
}
constexpr UseRow writes_at = access_row(Access::reads, FilePointer::given_offset),
                 reads_at = access_row(Access::writes, FilePointer::given_offset),
                 reads_own = access_row(Access::writes, FilePointer::individual),
                 reads_shared = access_row(Access::writes, FilePointer::shared), set_view = set_view_row();

class NobodysCommunicators : public CommunicatorQueries {
 public:
  Communicator describe(HandleBits) override { return {}; }
};

class FileAccessesTest : public CountedUsesTest {
 protected:
  void SetUp() override {
    CountedUsesTest::SetUp();
    begin_counting(no_communicators_, {.constants = {}, .null_type = no_type, .judge = nullptr});
    verdicts_ = std::make_unique<Verdicts>(writer_);
    record(1 << 20);
  }
  void record(std::size_t most_bytes, std::uint32_t most_lines = 4096) {
    FileAccesses::Options options{.constants = constants,
                                  .files = {.modes = {{read_only, "MPI_MODE_RDONLY"},
                                                      {write_only, "MPI_MODE_WRONLY"},
                                                      {read_write, "MPI_MODE_RDWR"},
                                                      {created, "MPI_MODE_CREATE"},
                                                      {sequential, "MPI_MODE_SEQUENTIAL"}},
                                            .read_only = read_only,
                                            .write_only = write_only,
                                            .sequential = sequential,
                                            .current_displacement = at_current},
                                  .world = world_comm,
                                  .self = self_comm,
                                  .most_lines = most_lines,
                                  .most_bytes = most_bytes};
    const auto tell = [this](const ToldError& error) { told_.push_back(error.message); };
    files_ =
        std::make_unique<FileAccesses>(options, FileAccesses::Parts{*registry_, *verdicts_, writer_, nullptr, tell});
  }
  void open(int mode, const std::string& name = "a", HandleBits handle = file, HandleBits comm = world_comm) {
    files_->opened(
        {.file = handle, .communicator = comm, .name = name, .mode = mode, .called = &open_entry, .stack = &stack_});
  }
  void access(const UseRow& row, std::intptr_t count, CallOutcome outcome = CallOutcome::succeeded) {
    const std::array<std::intptr_t, 6> words{static_cast<std::intptr_t>(file),    8, 1, count,
                                             static_cast<std::intptr_t>(mpi_int), 0};
    const UsingCall call{{row, words.data()}, &access_entry, &stack_};
    files_->judge(call);
    files_->accessed(call, outcome);
  }
  void view(std::intptr_t displacement, const char* datarep = "native") {
    const std::array<std::intptr_t, 6> words{
        static_cast<std::intptr_t>(file),         displacement,
        static_cast<std::intptr_t>(mpi_int),      static_cast<std::intptr_t>(mpi_int),
        reinterpret_cast<std::intptr_t>(datarep), 0};
    const UsingCall call{{set_view, words.data()}, &view_entry, &stack_};
    files_->judge(call);
    files_->accessed(call, CallOutcome::succeeded);
  }
  void write() {
    registry_->beside([&] { files_->write(writer_); });
  }
  NobodysCommunicators no_communicators_;
  std::unique_ptr<Verdicts> verdicts_;
  std::unique_ptr<FileAccesses> files_;
  std::vector<std::string> told_;
};

TEST_F(FileAccessesTest, OfALoopAreOneLine) {
  for (int i = 0; i < 100; ++i) {
    open(read_write | created);
    access(writes_at, 5);
    access(reads_own, 2);
    files_->closed(file);
  }
  write();
  const std::vector<std::string> opened = written("file");
  ASSERT_EQ(opened.size(), 1u);
  EXPECT_NE(
      opened[0].find(R"("id":0,"name":"a","communicator":"MPI_COMM_WORLD","mode":"MPI_MODE_RDWR | MPI_MODE_CREATE",)"),
      std::string::npos)
      << opened[0];
  const std::vector<std::string> accesses = written("file_accesses");
  ASSERT_EQ(accesses.size(), 1u);  // one function, whatever its rows
  EXPECT_NE(accesses[0].find(R"("file":0,"type":"MPI_INT","elements":700,)"), std::string::npos) << accesses[0];
  EXPECT_NE(accesses[0].find(R"("count":200})"), std::string::npos) << accesses[0];
  EXPECT_TRUE(told_.empty());
}

TEST_F(FileAccessesTest, OthersAreOthers) {
  open(read_only, "a");
  open(read_only, "b");
  open(write_only, "b");
  open(read_only, "b", file, self_comm);
  open(read_only, "b", file, other_comm);
  const std::vector<std::string> opened = written("file");
  ASSERT_EQ(opened.size(), 5u);
  EXPECT_NE(opened[3].find(R"("communicator":"MPI_COMM_SELF")"), std::string::npos) << opened[3];
  EXPECT_NE(opened[4].find(R"("communicator":null)"), std::string::npos) << opened[4];
}

TEST_F(FileAccessesTest, ThatFailMoveNothing) {
  open(read_write);
  access(writes_at, 5);
  access(writes_at, 7, CallOutcome::failed);
  write();
  const std::vector<std::string> accesses = written("file_accesses");
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_NE(accesses[0].find(R"("elements":5,)"), std::string::npos) << accesses[0];
  EXPECT_NE(accesses[0].find(R"("count":2})"), std::string::npos) << accesses[0];
}

TEST_F(FileAccessesTest, HaveViewsWithTheirDisplacements) {
  open(read_write | sequential);
  for (int i = 3; i < 10; ++i) view(8 * i);
  view(0, "external32");
  view(at_current);
  write();
  const std::vector<std::string> views = written("view");
  ASSERT_EQ(views.size(), 3u);
  EXPECT_NE(views[0].find(R"("etype":"MPI_INT","filetype":"MPI_INT","datarep":"native","lowest":24,"highest":72,)"),
            std::string::npos)
      << views[0];
  EXPECT_NE(views[0].find(R"("count":7})"), std::string::npos) << views[0];
  EXPECT_NE(views[1].find(R"("datarep":"external32","lowest":0,)"), std::string::npos) << views[1];
  EXPECT_NE(views[2].find(R"("lowest":null,"highest":null,)"), std::string::npos) << views[2];
}

TEST_F(FileAccessesTest, AreJudgedByTheMode) {
  open(read_only);
  access(reads_at, 1);
  EXPECT_TRUE(written("finding").empty());
  access(writes_at, 1);
  access(writes_at, 1);
  ASSERT_EQ(written("finding").size(), 1u);
  EXPECT_NE(written("finding")[0].find("bad-argument"), std::string::npos) << written("finding")[0];
  ASSERT_EQ(told_.size(), 1u);  // once
  EXPECT_EQ(told_[0], "MPI_File_write_at writes to \"a\", which was opened with MPI_MODE_RDONLY.");
}

TEST_F(FileAccessesTest, AreNotJudgedByTheModeOfOneThatWasClosed) {
  open(read_only);
  files_->closed(file);
  access(writes_at, 1);
  open(read_write);
  access(writes_at, 1);
  EXPECT_TRUE(written("finding").empty());
  write();
  ASSERT_EQ(written("note").size(), 1u);
  EXPECT_NE(written("note")[0].find("1 access to a file is not told: the file or the type is not known."),
            std::string::npos);
}

TEST_F(FileAccessesTest, OfSequentialFilesUseTheSharedPointer) {
  open(read_only | sequential);
  access(reads_shared, 1);
  EXPECT_TRUE(written("finding").empty());
  access(reads_own, 1);
  ASSERT_EQ(written("finding").size(), 1u);
  access(reads_at, 0);  // nothing moves
  EXPECT_EQ(told_.size(), 1u);
}

TEST_F(FileAccessesTest, AreAsManyAsThereIsMemoryFor) {
  record(1 << 20, 2);
  for (const char* name : {"a", "b", "c"}) open(read_write, name);
  EXPECT_EQ(written("file").size(), 2u);
  access(writes_at, 1);
  write();
  const std::vector<std::string> notes = written("note");
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(notes[0].find("1 call that opened a file is not told: a process tells 2,"), std::string::npos) << notes[0];
  EXPECT_NE(notes[1].find("1 access to a file is not told: that the file was opened is not, either."),
            std::string::npos)
      << notes[1];
  record(0);
  open(read_write, "d");
  EXPECT_EQ(written("file").size(), 2u);
}

TEST_F(FileAccessesTest, AreJudgedByTheModeOfAFileWithoutALine) {
  record(1 << 20, 1);
  open(read_write, "a");
  open(read_only, "b");
  access(reads_at, 1);
  EXPECT_TRUE(told_.empty());
  access(writes_at, 1);
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0], "MPI_File_write_at writes to a file that was opened with MPI_MODE_RDONLY.");
  open(read_write, "c");  // the handle is another file's
  access(writes_at, 1);
  EXPECT_EQ(written("finding").size(), 1u);
}

TEST_F(FileAccessesTest, ViewsThatAreNotToldAreNotedAsViews) {
  view(0);  // of a file that nobody opened
  record(1 << 20, 0);
  open(read_write);
  view(0);
  view(8);
  write();
  const std::vector<std::string> notes = written("note");
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(notes[1].find("2 views of files are not told: that the file was opened is not, either."), std::string::npos)
      << notes[1];
  record(1 << 20);
  view(0);
  write();
  ASSERT_EQ(written("note").size(), 3u);
  EXPECT_NE(written("note")[2].find("1 view of a file is not told: the file or the type is not known."),
            std::string::npos)
      << written("note")[2];
}

}  // namespace
}  // namespace ddtscope::plugin::file_accesses_test
