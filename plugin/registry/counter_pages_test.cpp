// Counters that outlive the process.
#include "plugin/registry/counter_pages.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "reporters/trace/read/counter_reader.h"

namespace ddtscope::plugin::counter_pages_test {
namespace {

class CounterPagesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("counter_pages_test." + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file() const { return (folder_ / "rank-0.counters").string(); }
  CounterFile read() const {
    auto result = read_counter_file(folder_ / "rank-0.jsonl");
    if (const auto* problem = std::get_if<TraceProblem>(&result)) {
      ADD_FAILURE() << problem->sentence;
      return {};
    }
    return std::get<std::optional<CounterFile>>(result).value();
  }

  std::filesystem::path folder_;
};

TEST_F(CounterPagesTest, OutliveAKilledProcess) {
  const pid_t child = fork();
  if (child == 0) {
    CounterPages pages;
    pages.create(file());
    for (std::uint32_t i = 0; i < 2000; ++i) {  // several pages
      trace::CounterRecord& record =
          pages.add({.definition = {i}, .site = {i + 1}, .called = "MPI_Type_vector", .binding = "c"});
      record.created = i;
      record.freed = 2 * i;
    }
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const CounterFile counters = read();
  ASSERT_EQ(counters.records.size(), 2000u);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    ASSERT_EQ(counters.records[i].definition, i);
    ASSERT_EQ(counters.records[i].site, i + 1);
    ASSERT_EQ(counters.records[i].created, i);
    ASSERT_EQ(counters.records[i].freed, 2 * i);
    ASSERT_EQ(text_of_field(counters.records[i].called), "MPI_Type_vector");
  }
}

TEST_F(CounterPagesTest, GoOnInMemoryWhereTheFileMayNotGrow) {
  CounterPages pages;
  pages.create(file());
  ASSERT_EQ(pages.problem(), 0);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{100000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);  // one page more would end this test by SIGXFSZ
  for (std::uint32_t i = 0; i < 2000; ++i)
    pages.add({.definition = {i}, .site = {0}, .called = "x", .binding = "c"}).created = 7;
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(pages.problem(), EFBIG);
  for (std::uint32_t i = 1; i <= 2000; ++i) {
    ASSERT_EQ(pages.at(RecordNumber{i}).created, 7u);
    ASSERT_EQ(pages.number_of(pages.at(RecordNumber{i})), RecordNumber{i});
    ASSERT_FALSE(pages.may_park(pages.at(RecordNumber{i})));
  }
  EXPECT_EQ(read().records.size(), 511u) << "as many as the first page holds";
  EXPECT_EQ(read().left_out, 2000u - 511u);
  EXPECT_EQ(read().why_left_out, static_cast<std::uint32_t>(EFBIG));
  EXPECT_EQ(read().left_out_types, 0u) << "a process that is killed now cannot say";
  pages.stay_folded(pages.at(RecordNumber{100}));
  pages.stay_folded(pages.at(RecordNumber{2000}));
  pages.ended(trace::Completeness::complete, "MPI_Finalize");
  EXPECT_EQ(read().left_out_types, 7u * (2000u - 511u - 1u)) << "a line of the trace has those of one";
}

/// Bytes of files that this process has in its memory.
std::size_t file_bytes_in_memory() {
  std::ifstream status("/proc/self/status");
  std::size_t sum = 0;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssFile:") || line.starts_with("RssShmem:")) sum += std::stoul(line.substr(9)) * 1024;
  }
  return sum;
}

TEST_F(CounterPagesTest, RecordsAreLookedAtWithoutStayingInMemory) {
  CounterPages pages;
  pages.create(file());
  constexpr std::uint32_t records = 200000;  // 24 MiB
  const std::size_t before = file_bytes_in_memory();
  for (std::uint32_t i = 1; i <= records; ++i) {
    trace::CounterRecord& record = pages.add({.definition = {i}, .site = {0}, .called = "x", .binding = "c"});
    ASSERT_EQ(pages.number_of(record), RecordNumber{i});
    record.created = i;
    pages.at(RecordNumber{i}).freed = i;
  }
  EXPECT_LT(file_bytes_in_memory(), before + (std::size_t{3} << 20));
  for (std::uint32_t i = 1; i <= records; ++i) {
    const std::uint32_t any = i * 7919u % records + 1;
    ASSERT_EQ(pages.at(RecordNumber{any}).created, any);
    ASSERT_EQ(pages.at(RecordNumber{any}).freed, any);
  }
  EXPECT_LT(file_bytes_in_memory(), before + (std::size_t{3} << 20));
  EXPECT_EQ(pages.last(), RecordNumber{records});
  EXPECT_EQ(read().records.at(records - 1).created, records);
}

TEST_F(CounterPagesTest, NeverTakeAFileThatIsThere) {
  { std::ofstream(file()) << "somebody else's"; }
  CounterPages pages;
  pages.create(file());
  EXPECT_EQ(pages.problem(), EEXIST);
  pages.add({.definition = {0}, .site = {0}, .called = "x", .binding = "c"}).created = 1;
  pages.remove();
  EXPECT_EQ(std::filesystem::file_size(file()), 15u);
}

TEST_F(CounterPagesTest, TooLongNamesAreCut) {
  CounterPages pages;
  pages.create(file());
  pages.add({.definition = {0}, .site = {0}, .called = std::string(200, 'n'), .binding = std::string(200, 'b')});
  EXPECT_EQ(text_of_field(read().records.at(0).called), std::string(47, 'n'));
  EXPECT_EQ(text_of_field(read().records.at(0).binding), std::string(7, 'b'));
}

}  // namespace
}  // namespace ddtscope::plugin::counter_pages_test
