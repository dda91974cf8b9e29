// A trace whose last lines stand beside its file: whatever moment its process was stopped at, all of them are read.
#include "reporters/trace/read/lines_beside.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "reporters/trace/read/file_at_its_end.h"
#include "reporters/trace/read/line_file.h"
#include "reporters/trace/write/writer.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ddtscope::lines_beside_test {
namespace {

namespace fs = std::filesystem;

class LinesBesideTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("lines_beside_test_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path file() const { return folder_ / "rank-0.jsonl"; }
  fs::path beside() const { return folder_ / "rank-0.lines"; }

  static void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
  static std::string text_of(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static trace::LinesFileHeader header(const std::string& first_line, std::uint64_t begin, std::uint64_t length) {
    trace::LinesFileHeader header{};
    std::copy_n(trace::lines_file_magic, sizeof header.magic, header.magic);
    header.byte_order = trace::lines_file_byte_order;
    header.version = trace::lines_file_version;
    header.trace = XXH3_64bits(first_line.data(), first_line.size());
    header.begin = begin;
    header.length = length;
    return header;
  }
  void write_beside(const trace::LinesFileHeader& header, const std::string& lines) {
    std::string text(trace::lines_file_header_bytes, '\0');
    std::copy_n(reinterpret_cast<const char*>(&header), sizeof header, text.begin());
    write(beside(), text + lines);
  }
  /// The trace's lines, as its reader gets them; what is behind the last one, too.
  std::vector<std::string> read(std::string* rest = nullptr) {
    std::vector<std::string> found;
    LineFile lines;
    EXPECT_FALSE(lines.open(file()));
    std::string_view line;
    while (true) {
      const LineFile::Next next = lines.next(line);
      if (next == LineFile::Next::failed) ADD_FAILURE() << lines.failure().sentence;
      if (next != LineFile::Next::line) break;
      found.emplace_back(line);
    }
    if (rest != nullptr) *rest = lines.rest();
    return found;
  }
  void refused(const std::string& words) {
    LineFile lines;
    ASSERT_FALSE(lines.open(file()));
    std::string_view line;
    LineFile::Next next = LineFile::Next::line;
    while (next == LineFile::Next::line) next = lines.next(line);
    ASSERT_EQ(next, LineFile::Next::failed) << words;
    const TraceProblem problem = lines.failure();
    EXPECT_EQ(problem.kind, TraceProblem::Kind::unreadable);
    EXPECT_TRUE(problem.sentence.starts_with(beside().string() + ": ")) << problem.sentence;
    EXPECT_NE(problem.sentence.find(words), std::string::npos) << problem.sentence;
  }

  const std::vector<std::string> lines_{"{\"first\":1}", "b", "", "dddddddd", "ee", "f"};
  std::string text_ = "{\"first\":1}\nb\n\ndddddddd\nee\nf\n";
  fs::path folder_;
};

TEST_F(LinesBesideTest, AreReadFromWhereTheFileEnds) {
  // Whatever the process was about: the file may end within a line, and have lines that wait still.
  const std::size_t first = lines_[0].size() + 1;
  for (std::size_t begin = first; begin < text_.size(); ++begin) {
    if (text_[begin - 1] != '\n') continue;
    write_beside(header(lines_[0], begin, text_.size() - begin), text_.substr(begin));
    for (std::size_t end = first; end <= text_.size(); ++end) {
      write(file(), text_.substr(0, end));
      std::string rest;
      const std::vector<std::string> found = read(&rest);
      if (end >= begin) {
        EXPECT_EQ(found, lines_) << begin << " " << end;
        EXPECT_EQ(rest, "");
      } else {  // a copy that was made while the process ran lacks what lies between
        EXPECT_EQ(static_cast<std::ptrdiff_t>(found.size()),
                  std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      }
    }
  }
}

TEST_F(LinesBesideTest, ThatTheFileHasAllAddNothing) {
  write(file(), text_ + "g\n");
  write_beside(header(lines_[0], 12, 2), "b\nx\n");  // what was there before may stand behind
  EXPECT_EQ(read().size(), lines_.size() + 1);
  write_beside(header(lines_[0], text_.size() + 2, 0), "x\n");
  EXPECT_EQ(read().size(), lines_.size() + 1);
}

TEST_F(LinesBesideTest, OfAFileThatWasBeingMadeAreNone) {
  write(file(), text_);
  for (const std::string& unfinished : {std::string(), std::string(20, '\0'), std::string(70000, '\0')}) {
    write(beside(), unfinished);
    EXPECT_EQ(read(), lines_);
  }
  fs::remove(beside());
  fs::create_directory(beside());
  EXPECT_EQ(read(), lines_);
}

TEST_F(LinesBesideTest, ThatAreDamagedAreRefusedWithAdvice) {
  write(file(), text_.substr(0, 14));
  const std::string more = text_.substr(14);
  const trace::LinesFileHeader good = header(lines_[0], 14, more.size());
  write_beside(good, more);
  EXPECT_EQ(read(), lines_);
  write_beside(good, more.substr(0, more.size() - 1));
  refused("cut short");
  trace::LinesFileHeader bad = good;
  bad.magic[0] = 'x';
  write_beside(bad, more);
  refused("no file of a trace's last lines; remove it");
  bad = good;
  bad.version = 7;
  write_beside(bad, more);
  refused("has version 7");
  bad = good;
  bad.byte_order = 0x04030201;
  write_beside(bad, more);
  refused("other byte order");
  bad = good;
  bad.length = UINT64_MAX;
  write_beside(bad, more);
  refused("does not fit its size; remove it");
  write_beside(header("{\"first\":2}", 14, more.size()), more);
  refused("of another trace");
}

TEST_F(LinesBesideTest, ThatAreNoRecordsAreToldWithTheirFile) {
  const fs::path golden = fs::path(DDTSCOPE_TESTDATA) / "v1" / "hand" / "rank-0.jsonl";
  const std::string whole = text_of(golden);
  const std::size_t feed = whole.find('\n');
  const std::size_t end = whole.rfind("{\"record\":\"end\"");
  write(file(), whole.substr(0, end));
  for (const std::string lines : {"{\"record\":\n", "{\"record\":\"name\"}\n"}) {
    write_beside(header(whole.substr(0, feed), end, lines.size()), lines);
    FileAtItsEnd sink;
    TraceReader reader;
    const auto problem = reader.read(file(), sink);
    ASSERT_TRUE(problem);
    EXPECT_TRUE(problem->sentence.starts_with(beside().string() + ": is damaged: line ")) << problem->sentence;
  }
}

/// Notes with their number, of any length: the longest has no room where lines wait.
class WaitingLines : public LinesBesideTest {
 protected:
  static std::string note_of(int number) {
    const int length = number % 997 == 5 ? 70000 : number * 7919 % 1500;
    return std::to_string(number) + " " + std::string(static_cast<std::size_t>(length), 'x');
  }
  void begin(trace::Writer& writer) const {
    ASSERT_TRUE(writer.create(file()));
    writer.let_lines_wait();
    writer.header({});
  }
  /// How many notes the trace has, all that belong before each other.
  int notes() {
    int number = 0;
    for (const std::string& line : read()) {
      if (line.find("\"record\":\"note\"") == line.npos) continue;
      EXPECT_EQ(line, "{\"record\":\"note\",\"text\":\"" + note_of(number) + "\"}");
      ++number;
    }
    return number;
  }
  bool holds_whole_lines_alone() const { return text_of(file()).ends_with('\n'); }
};

TEST_F(WaitingLines, AreInTheTraceAtEveryMomentAndInItsFileAtTheEnd) {
  trace::Writer writer;
  begin(writer);
  std::uintmax_t writes = 0, size = fs::file_size(file());
  for (int i = 0; i < 1200; ++i) {
    writer.note(note_of(i));
    const std::uintmax_t now = fs::file_size(file());
    writes += now != size ? 1 : 0;
    size = now;
    if (i % 100 != 7) continue;
    EXPECT_EQ(notes(), i + 1);
    EXPECT_TRUE(holds_whole_lines_alone());
  }
  EXPECT_TRUE(fs::exists(beside()));
  EXPECT_LT(writes, 60u) << "of many lines each";
  writer.end({.complete = true, .reason = "MPI_Finalize", .ended = "now"});
  EXPECT_FALSE(fs::exists(beside()));
  EXPECT_EQ(notes(), 1200);
  EXPECT_EQ(writer.bytes_written(), fs::file_size(file()));
}

TEST_F(WaitingLines, OfAFewThereAreNone) {
  trace::Writer writer;
  begin(writer);
  for (int i = 0; i < 4; ++i) writer.note(note_of(i));
  EXPECT_FALSE(fs::exists(beside()));
  EXPECT_EQ(notes(), 4);
}

TEST_F(WaitingLines, AreReadWhileTheirProcessWritesOn) {
  constexpr int all = 12000;
  const pid_t child = fork();
  if (child == 0) {
    trace::Writer writer;
    begin(writer);
    for (int i = 0; i < all; ++i) writer.note(note_of(i));
    writer.end({.complete = true, .reason = "MPI_Finalize", .ended = "now"});
    _exit(0);
  }
  int found = 0, times = 0;
  while (waitpid(child, nullptr, WNOHANG) == 0) {
    if (!fs::exists(file()) || fs::file_size(file()) == 0) continue;
    const int now = notes();
    EXPECT_GE(now, found) << "what was there once stays";
    found = now;
    ++times;
  }
  EXPECT_EQ(notes(), all);
  EXPECT_GT(times, 0);
}

TEST_F(WaitingLines, SurviveTheirProcess) {
  std::mt19937 numbers(7);
  for (int round = 0; round < 12; ++round) {
    fs::remove(file());
    fs::remove(beside());
    int pipes[2];
    ASSERT_EQ(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0) {
      trace::Writer writer;
      begin(writer);
      for (int i = 0;; ++i) {
        writer.note(note_of(i));
        if (::write(pipes[1], &i, sizeof i) != sizeof i) _exit(1);
      }
    }
    ::close(pipes[1]);
    const int wanted = static_cast<int>(numbers() % 4000);
    int said = -1;
    while (said < wanted && ::read(pipes[0], &said, sizeof said) == sizeof said) {
    }
    kill(child, SIGKILL);
    while (::read(pipes[0], &said, sizeof said) == sizeof said) {
    }
    waitpid(child, nullptr, 0);
    ::close(pipes[0]);
    const int found = notes();
    EXPECT_GE(found, said + 1);
    EXPECT_LE(found, said + 2);
  }
}

TEST_F(WaitingLines, StayBesideAFileThatTakesNoMore) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  trace::Writer writer;
  begin(writer);
  int taken = 0;
  for (; taken < 200; ++taken) writer.note(note_of(taken));
  ASSERT_TRUE(fs::exists(beside()));
  const rlimit full{static_cast<rlim_t>(fs::file_size(file()) + 20000), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);  // one byte more, and SIGXFSZ would end this test
  for (; !writer.stopped(); ++taken) writer.note(note_of(taken));
  EXPECT_EQ(writer.stopped().error, EFBIG);
  EXPECT_TRUE(holds_whole_lines_alone());
  EXPECT_LE(fs::file_size(file()), full.rlim_cur);
  EXPECT_GT(fs::file_size(file()) + 2000, full.rlim_cur) << "as many as there was room for";
  EXPECT_EQ(notes(), taken - 1);
  writer.settle();
  EXPECT_TRUE(fs::exists(beside()));
  EXPECT_EQ(notes(), taken - 1);
  setrlimit(RLIMIT_FSIZE, &before);
  writer.settle();  // there is room again
  EXPECT_FALSE(fs::exists(beside()));
  EXPECT_EQ(notes(), taken - 1);
  EXPECT_TRUE(holds_whole_lines_alone());
}

TEST_F(WaitingLines, WhereTheLimitOfTheTraceIsReachedGoIntoItsFile) {
  trace::Writer writer;
  begin(writer);
  writer.limit(300000);
  int taken = 0;
  for (; !writer.stopped(); ++taken) writer.note(note_of(taken));
  EXPECT_TRUE(writer.stopped().limit_reached);
  EXPECT_EQ(notes(), taken - 1);
  writer.settle();
  EXPECT_FALSE(fs::exists(beside()));
  EXPECT_EQ(notes(), taken - 1);
  EXPECT_LE(fs::file_size(file()), 300000u);
  EXPECT_GT(fs::file_size(file()), 298000u);
}

TEST_F(WaitingLines, WhereTheyCannotWaitEachIsAWrite) {
  write(beside(), "another's");
  trace::Writer writer;
  begin(writer);
  for (int i = 0; i < 300; ++i) {
    writer.note(note_of(i));
    ASSERT_EQ(fs::file_size(file()), writer.bytes_written());
  }
  writer.end({});
  EXPECT_EQ(text_of(beside()), "another's");
}

TEST_F(WaitingLines, GoWithTheFileThatTheProgramClosed) {
  trace::Writer writer;
  begin(writer);
  for (int i = 0; i < 100; ++i) writer.note(note_of(i));
  for (const auto& link : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (fs::read_symlink(link, gone) == file()) ::close(std::stoi(link.path().filename()));
  }
  int taken = 100;
  for (; !writer.stopped(); ++taken) writer.note(note_of(taken));
  EXPECT_EQ(writer.stopped().error, EBADF);
  EXPECT_EQ(notes(), taken - 1) << "what was taken is not lost";
}

}  // namespace
}  // namespace ddtscope::lines_beside_test
