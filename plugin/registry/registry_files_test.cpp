// What stands on the disk, whatever becomes of the process, and where it takes no more.
#include <fcntl.h>
#include <sys/resource.h>

#include <cerrno>
#include <thread>

#include "plugin/registry/registry_fixture.h"

namespace ddtscope::plugin::registry_files_test {
namespace {

TEST_F(RegistryTest, EndsWithoutWaitingForEverWhereTheLockIsHeld) {
  class Busy : public trace::LineKeeper {
   public:
    void keep(std::string_view, std::string_view) override {
      ended =
          registry.close({.complete = false, .reason = "exit", .time = "now", .patience = Registry::Patience::bounded});
    }
    explicit Busy(Registry& whole) : registry(whole) {}
    Registry& registry;
    bool ended = true;
  };  // a line, written under the lock, that ends the process
  start({.multithreaded = false});
  Busy busy(*registry_);
  writer_.tell(busy);
  make_vector(9, 3);
  EXPECT_FALSE(busy.ended);
}

TEST_F(RegistryTest, StopsBeforeAWriteWouldPassTheLimitOfFileSizes) {
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{2000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);  // one byte more, and SIGXFSZ would end this test
  for (int i = 0; i < 100; ++i) make_vector(static_cast<HandleBits>(i + 1), i);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(registry_->trace_stopped().error, EFBIG);
  EXPECT_LE(std::filesystem::file_size(folder_ / "rank-0.jsonl"), 2000u);
}

TEST_F(RegistryTest, WritesNothingIntoFilesOfTheProgramsThatGotItsDescriptors) {
  pages_.create((folder_ / "rank-0.counters").string());
  const auto close_and_reopen = [&](const std::string& of) {  // as a program does that closes all from 3 on
    for (const auto& link : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      if (std::filesystem::read_symlink(link, gone) != of) continue;
      const int number = std::stoi(link.path().filename());
      const int of_program = open((of + ".program").c_str(), O_RDWR | O_CREAT | O_EXCL, 0666);
      dup2(of_program, number);
      ::close(of_program);
      return number;
    }
    return -1;
  };
  const int trace = close_and_reopen((folder_ / "rank-0.jsonl").string());
  const int counters = close_and_reopen((folder_ / "rank-0.counters").string());
  ASSERT_GE(trace, 0);
  ASSERT_GE(counters, 0);
  for (int i = 0; i < 2000; ++i) make_vector(static_cast<HandleBits>(i + 1), i);  // more than a page of counters
  EXPECT_EQ(registry_->trace_stopped().error, EBADF);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "rank-0.jsonl.program"), 0u);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "rank-0.counters.program"), 0u);
  ::close(trace);
  ::close(counters);
}

TEST_F(RegistryTest, RemovesNoCountersOfAJobThatBeganInItsFolder) {
  const std::filesystem::path file = folder_ / "rank-0.counters";
  pages_.create(file.string());
  std::filesystem::remove(file);
  std::ofstream(file) << "another job's";
  registry_->close({.complete = true, .reason = "MPI_Finalize", .time = "now"});
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(RegistryTest, CountsWhatTheTraceCannotTakeAnyMore) {
  pages_.create((folder_ / "rank-0.counters").string());
  make_vector(1, 3);
  writer_.limit(writer_.bytes_written());
  make_vector(2, 4);  // the line that would pass the limit
  make_vector(3, 5);
  make_vector(4, 3);  // known: counted as ever
  make_vector(5, 6, 3);
  make_vector(6, 4);  // no more known than when its line was refused
  EXPECT_TRUE(registry_->trace_stopped().limit_reached);
  EXPECT_EQ(registry_->totals().created, 2u);
  EXPECT_EQ(registry_->totals().definitions, 1u);
  EXPECT_EQ(registry_->totals().dropped, 4u);
  free(4);
  EXPECT_EQ(lines("definition").size(), 1u);
  EXPECT_TRUE(lines("end").empty());
  const auto read = read_counters();
  ASSERT_EQ(read.size(), 3u);  // the first definition's handles are in two lanes
  EXPECT_EQ(counted_in_file({0}).created, 2u);
  EXPECT_EQ(counted_in_file({0}).freed, 1u);
  EXPECT_EQ(read[1].definition, trace::counter_file_none);
  EXPECT_EQ(read[1].created, 4u);
  EXPECT_STREQ(read[1].called, "MPI_Type_vector");
}

TEST_F(RegistryTest, CountersAreInTheFileAtEveryMoment) {
  pages_.create((folder_ / "rank-0.counters").string());
  make_vector(1, 3);
  EXPECT_EQ(counted_in_file({0}).created, 1u);
  make_vector(2, 3);
  commit(2);
  free(1);
  EXPECT_EQ(counted_in_file({0}).created, 2u);
  EXPECT_EQ(counted_in_file({0}).committed, 1u);
  EXPECT_EQ(counted_in_file({0}).freed, 1u);
  registry_->close({.complete = true, .reason = "MPI_Finalize", .time = "now"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "rank-0.counters")) << "the counters are in the trace file now";
}

TEST_F(RegistryTest, FailedCallsAreCountedByClassAndOutliveTheProcess) {
  pages_.create((folder_ / "rank-0.counters").string());
  make_vector(1, 3);
  const trace::ErrorClass count{2};
  registry_->failed(type_vector, count, stack_);
  registry_->failed(type_vector, count, stack_);
  registry_->failed(type_contents, {}, stack_);
  const auto read = read_counters();
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].failed, 0u);
  EXPECT_EQ(read[1].failed, 2u);
  EXPECT_EQ(read[1].error_class, 2u);
  EXPECT_EQ(read[1].created, 0u);
  EXPECT_STREQ(read[1].called, "MPI_Type_vector");
  EXPECT_EQ(read[2].failed, 1u);
  EXPECT_EQ(read[2].error_class, 0u);
  EXPECT_EQ(registry_->totals().created, 1u);
  const auto failed = lines("failed_calls");
  ASSERT_EQ(failed.size(), 2u);
  EXPECT_EQ(failed[0],
            "{\"record\":\"failed_calls\",\"called\":\"MPI_Type_get_contents\",\"binding\":\"c\",\"error_class\":null,"
            "\"counts\":[[null,1]]}");
  EXPECT_EQ(failed[1],
            "{\"record\":\"failed_calls\",\"called\":\"MPI_Type_vector\",\"binding\":\"c\",\"error_class\":"
            "\"MPI_ERR_COUNT\",\"counts\":[[null,2]]}");
}

TEST_F(RegistryTest, AThreadLearnsThatTheTraceHasStoppedByAnother) {
  make_vector(1, 3);
  writer_.limit(writer_.bytes_written());
  std::thread other([this] { make_vector(2, 4); });
  while (!registry_->trace_stopped()) std::this_thread::yield();
  other.join();
  EXPECT_TRUE(registry_->trace_stopped().limit_reached);
}

}  // namespace
}  // namespace ddtscope::plugin::registry_files_test
