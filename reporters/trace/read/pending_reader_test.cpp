// The pending file as readers take it: whole, changing, cut, damaged, of another version.
#include "reporters/trace/read/pending_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "reporters/trace/format/counter_file.h"

namespace ddtscope::pending_reader_test {
namespace {

using trace::PendingCall;

/// One thread in a receive, one operation started.
struct Whole {
  trace::PendingFileHeader header{};
  trace::PendingThread threads[2]{};
  trace::PendingOperation operations[2]{};
  trace::PendingChannel channels[2]{};
  trace::PendingStarted started[4]{};

  Whole() {
    std::memcpy(header.magic, trace::pending_file_magic, sizeof header.magic);
    header.byte_order = trace::counter_file_byte_order;
    header.version = trace::pending_file_version;
    header.threads = header.operations = header.channels = 2;
    header.started = 4;
    header.threads_used = header.operations_used = header.channels_used = 1;
    threads[0].sequence = 2;
    threads[0].thread = 77;
    threads[0].call = static_cast<std::uint32_t>(PendingCall::message);
    threads[0].channel[1] = trace::pending_none;
    std::strcpy(operations[0].called, "MPI_Recv");
    channels[0].tag = 7;
    started[3].request = 99;
    started[3].sequence = 4;
    started[3].place = 5;
  }
  std::string text() const { return {reinterpret_cast<const char*>(this), sizeof *this}; }
};

class PendingReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("pending_reader_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::variant<std::optional<PendingFile>, TraceProblem> read(const std::string& text) {
    std::ofstream(folder_ / "rank-3.pending", std::ios::binary) << text;
    return read_pending_file(folder_ / "rank-3.jsonl");
  }
  /// What is wrong; empty where nothing is.
  std::string problem(const std::string& text) {
    const auto answer = read(text);
    const auto* const found = std::get_if<TraceProblem>(&answer);
    return found != nullptr ? found->sentence : "";
  }
  PendingFile whole(const Whole& file) {
    const auto answer = read(file.text());
    const auto* const found = std::get_if<std::optional<PendingFile>>(&answer);
    EXPECT_TRUE(found != nullptr && found->has_value());
    return found != nullptr && found->has_value() ? **found : PendingFile{};
  }

  std::filesystem::path folder_;
};

TEST_F(PendingReaderTest, ReadsWhatIsThere) {
  const PendingFile file = whole({});
  ASSERT_EQ(file.threads.size(), 1U);
  EXPECT_EQ(file.threads[0].call, static_cast<std::uint32_t>(PendingCall::message));
  ASSERT_EQ(file.operations.size(), 1U);
  EXPECT_STREQ(file.operations[0].called, "MPI_Recv");
  ASSERT_EQ(file.channels.size(), 1U);
  EXPECT_EQ(file.channels[0].tag, 7);
  ASSERT_EQ(file.started.size(), 1U);
  EXPECT_EQ(file.started[0].place, 5U);
}

TEST_F(PendingReaderTest, WithoutAFileThereIsNothing) {
  const auto answer = read_pending_file(folder_ / "rank-4.jsonl");
  EXPECT_FALSE(std::get<std::optional<PendingFile>>(answer).has_value());
  const auto untouched = read(std::string(sizeof(Whole), '\0'));
  EXPECT_FALSE(std::get<std::optional<PendingFile>>(untouched).has_value());
}

TEST_F(PendingReaderTest, RecordsThatAreBeingWrittenAreLeftOut) {
  Whole file;
  file.threads[0].sequence = 3;
  file.started[3].sequence = 5;
  file.started[2] = file.started[3];
  file.started[2].sequence = 6;
  file.started[2].request = trace::pending_being_written;
  const PendingFile found = whole(file);
  EXPECT_EQ(found.threads[0].call, 0U);
  EXPECT_TRUE(found.started.empty());
}

TEST_F(PendingReaderTest, ACutFileIsTold) {
  const std::string text = Whole().text();
  for (const std::size_t size : {std::size_t{8}, sizeof(trace::PendingFileHeader), text.size() - 1}) {
    EXPECT_NE(problem(text.substr(0, size)).find("rank-3.pending: is damaged"), std::string::npos) << size;
  }
}

TEST_F(PendingReaderTest, NumbersThatNameNoRecordAreTold) {
  const auto expect_damaged = [&](const auto& damage) {
    Whole file;
    damage(file);
    EXPECT_NE(problem(file.text()).find("is damaged"), std::string::npos);
  };
  expect_damaged([](Whole& file) { file.threads[0].operation = 1; });
  expect_damaged([](Whole& file) { file.threads[0].channel[0] = 2; });
  expect_damaged([](Whole& file) { file.threads[0].call = 6; });
  expect_damaged([](Whole& file) { file.started[3].operation = 1; });
  expect_damaged([](Whole& file) { file.started[3].channel = 1; });
  expect_damaged([](Whole& file) { file.channels[0].direction = 4; });
  expect_damaged([](Whole& file) { file.channels[0].predefined = 3; });
  expect_damaged([](Whole& file) { file.header.threads_used = 3; });
  expect_damaged([](Whole& file) { file.header.threads = file.header.threads_used = UINT32_MAX; });
  expect_damaged([](Whole& file) { file.header.state = 3; });
}

TEST_F(PendingReaderTest, OfANewerVersionOrAnotherMachineThatIsTold) {
  Whole newer;
  newer.header.version = trace::pending_file_version + 1;
  EXPECT_NE(problem(newer.text()).find("has version 2, but this ddtscope reads versions up to 1"), std::string::npos);
  Whole other;
  other.header.byte_order = 0x04030201;
  EXPECT_NE(problem(other.text()).find("other byte order"), std::string::npos);
}

TEST_F(PendingReaderTest, ReadsWhateverTheBytesAre) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text = Whole().text();
    for (int i = 0; i < 4; ++i) text[random() % text.size()] = static_cast<char>(random());
    const auto answer = read(text);
    const auto* const found = std::get_if<std::optional<PendingFile>>(&answer);
    if (found == nullptr || !*found) continue;
    for (const trace::PendingStarted& started : (*found)->started) {
      EXPECT_LT(started.operation, (*found)->operations.size());
    }
  }
}

}  // namespace
}  // namespace ddtscope::pending_reader_test
