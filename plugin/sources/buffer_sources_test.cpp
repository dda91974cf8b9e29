// Which buffers get a line, and how many.
#include "plugin/sources/buffer_sources.h"

#include <gtest/gtest.h>

#include <array>

#include "plugin/uses/counted_uses_fixture.h"

namespace ddtscope::plugin::buffer_sources_test {
namespace {

constexpr HandleBits communicator_handle = 0x44;
constexpr EntryPoint receive_entry{"MPI_Recv", "c"}, reduce_entry{"MPI_Allreduce", "c"},
    alltoallv_entry{"MPI_Alltoallv", "c"};

class TwoProcesses : public CommunicatorQueries {
 public:
  Communicator describe(HandleBits) override {
    Communicator communicator;
    communicator.size = communicator.remote_size = 2;
    return communicator;
  }
};

// buffer, count, type, peer
UseRow receive_row() {
  UseRow row{.uses = {.first = {.parameter = UseParameter::datatype, .type = 2, .count = 1, .buffer = 0, .peer = 3}}};
  row.is_plain = row.has_one_plain_buffer = true;
  row.access = {Access::writes};
  return row;
}

// sendbuf, recvbuf, count, type
UseRow reduce_row() {
  UseRow row{.uses = {.first = {.parameter = UseParameter::datatype, .type = 3, .count = 2, .buffer = 0}}};
  row.is_plain = true;
  row.access = {Access::reads};
  row.result_buffer = 1;
  row.has_several_buffers = true;
  return row;
}

// sendbuf, counts, displacements, type, recvbuf, counts, displacements, type, communicator
UseRow alltoallv_row() {
  UseRow row{
      .uses = {
          .first =
              {.parameter = UseParameter::sendtype, .type = 3, .count = 1, .buffer = 0, .copies = Copies::processes},
          .second =
              {.parameter = UseParameter::recvtype, .type = 7, .count = 5, .buffer = 4, .copies = Copies::processes},
          .communicator = 8}};
  row.access = {Access::reads, Access::writes};
  row.has_count_array = {true, true, false};
  row.needs_communicator = row.has_several_buffers = true;
  return row;
}

class BufferSourcesTest : public CountedUsesTest {
 protected:
  void SetUp() override {
    CountedUsesTest::SetUp();
    begin_counting(communicators_, {.constants = {}, .seen = &seen_});
    uses_->communicator_is_alive(communicator_handle);
    verdicts_ = std::make_unique<Verdicts>(writer_);
    pending_ = std::make_unique<PendingCalls>(
        PendingCalls::Options{.constants = constants},
        PendingCalls::Parts{*registry_, library_, *uses_, *verdicts_, [](const ToldError&) {}});
    begin({});
  }
  void begin(BufferSources::Options options) {
    options.constants = constants;
    sources_ = std::make_unique<BufferSources>(
        options, BufferSources::Parts{*registry_, deep_sites_, *pending_, seen_, writer_});
  }

  using Words = std::vector<std::intptr_t>;
  static std::intptr_t word_of(const void* address) { return reinterpret_cast<std::intptr_t>(address); }
  static Words message(const void* buffer, std::intptr_t count) {
    return {word_of(buffer), count, static_cast<std::intptr_t>(mpi_int), 0};
  }
  /// As a wrapper has it.
  [[gnu::noinline]] PlainUse call(const UseRow& row, const EntryPoint& entry, const Words& words) {
    const UsingCall call{{row, words.data()}, &entry, &stack_};
    PlainUse plain;
    uses_->begin(call, plain);
    sources_->look_at(call, plain, DDTSCOPE_RETURN_PLACE);
    return plain;
  }
  std::size_t lines() const { return written("buffer").size(); }
  std::size_t notes() {
    registry_->beside([&] { sources_->write(writer_); });
    return written("note").size();
  }
  bool has(std::size_t line, const std::string& text) const {
    const std::vector<std::string> all = written("buffer");
    return line < all.size() && all[line].find(text) != std::string::npos;
  }

  TwoProcesses communicators_;
  CallSites deep_sites_{8, [](std::string_view) { return false; }};
  SeenCounts seen_;
  std::unique_ptr<Verdicts> verdicts_;
  std::unique_ptr<PendingCalls> pending_;
  std::unique_ptr<BufferSources> sources_;
};

TEST_F(BufferSourcesTest, EachCountIsToldOnce) {
  const UseRow row = receive_row();
  const std::array<int, 16> buffer{};
  for (const int count : {3, 5, 3, 4, 5, 4, 0}) call(row, receive_entry, message(buffer.data(), count));
  EXPECT_EQ(lines(), 3U);
  EXPECT_TRUE(has(0, R"("elements":3,"called":"MPI_Recv")"));
  call(row, receive_entry, message(nullptr, 9));
  EXPECT_EQ(lines(), 3U);
  EXPECT_EQ(notes(), 0U);
}

TEST_F(BufferSourcesTest, WhatIsSeenNeedsNoSecondLook) {
  const UseRow row = receive_row();
  const std::array<int, 16> buffer{};
  const PlainUse plain = call(row, receive_entry, message(buffer.data(), 3));
  ASSERT_NE(plain.record, nullptr);
  EXPECT_TRUE(seen_.has(plain.record, 3));
  EXPECT_FALSE(seen_.has(plain.record, 4));
  // The quick way takes what is between the smallest and the largest count only where it was seen.
  call(row, receive_entry, message(buffer.data(), 9));
  PlainUse again = plain;
  const Words words = message(buffer.data(), 5);
  const UsingCall between{{row, words.data()}, &receive_entry, &stack_};
  EXPECT_FALSE(uses_->count_again(between, again, [](const void*) { return true; }));
  call(row, receive_entry, words);
  EXPECT_TRUE(uses_->count_again(between, again, [](const void*) { return true; }));
}

TEST_F(BufferSourcesTest, OfOneArgumentSoManyAreTold) {
  begin({.constants = {}, .most_of_one_argument = 4});
  const UseRow row = receive_row();
  const std::array<int, 16> buffer{};
  PlainUse plain;
  for (int count = 1; count < 12; ++count) plain = call(row, receive_entry, message(buffer.data(), count));
  EXPECT_EQ(lines(), 4U);
  EXPECT_TRUE(seen_.has(plain.record, 1000));
  EXPECT_EQ(notes(), 1U);
}

TEST_F(BufferSourcesTest, WhereNoMoreIsToldOtherTypesAreKnownToo) {
  begin({.constants = {}, .most_of_one_argument = 2});
  const UseRow row = receive_row();
  const std::array<int, 16> buffer{};
  for (int count = 1; count < 4; ++count) call(row, receive_entry, message(buffer.data(), count));
  Words others = message(buffer.data(), 1);
  others[2] = static_cast<std::intptr_t>(mpi_double);
  PlainUse plain;
  for (const int count : {1, 9, 5}) {
    others[1] = count;
    plain = call(row, receive_entry, others);
  }
  ASSERT_NE(plain.record, nullptr);
  EXPECT_EQ(lines(), 2U);
  EXPECT_TRUE(seen_.has(plain.record, 1000));
  // Of another function at the same place it is told.
  constexpr EntryPoint other_entry{"MPI_Mrecv", "c"};
  call(row, other_entry, others);
  EXPECT_EQ(lines(), 3U);
}

TEST_F(BufferSourcesTest, WithoutMemoryNoneAreTold) {
  begin({.constants = {}, .most_bytes = 0});
  const std::array<int, 16> buffer{};
  call(receive_row(), receive_entry, message(buffer.data(), 3));
  EXPECT_EQ(lines(), 0U);
  EXPECT_EQ(notes(), 1U);
}

TEST_F(BufferSourcesTest, AReductionHasTwoBuffersAndInPlaceOne) {
  const UseRow row = reduce_row();
  const std::array<int, 4> in{};
  std::array<int, 4> out{};
  const auto type = static_cast<std::intptr_t>(mpi_int);
  for (int i = 0; i < 2; ++i) call(row, reduce_entry, {word_of(in.data()), word_of(out.data()), 4, type});
  EXPECT_EQ(lines(), 2U);
  call(row, reduce_entry, {constants.in_place, word_of(out.data()), 3, type});
  EXPECT_EQ(lines(), 3U);
}

TEST_F(BufferSourcesTest, BlocksHavePositionsAndThoseFromNullOnAreLeftOut) {
  const UseRow row = alltoallv_row();
  const std::array<int, 8> out{};
  std::array<int, 8> in{};
  const std::array<int, 2> counts{2, 3};
  const std::array<int, 2> displacements{0, 4};
  const auto type = static_cast<std::intptr_t>(mpi_int);
  const auto all = [&](const void* receive) {
    return Words{word_of(out.data()),
                 word_of(counts.data()),
                 word_of(displacements.data()),
                 type,
                 word_of(receive),
                 word_of(counts.data()),
                 word_of(displacements.data()),
                 type,
                 static_cast<std::intptr_t>(communicator_handle)};
  };
  call(row, alltoallv_entry, all(nullptr));
  EXPECT_EQ(lines(), 2U);
  EXPECT_TRUE(has(1, R"("elements":3,"called":"MPI_Alltoallv","binding":"c","argument":"sendtype","position":1)"));
  for (int i = 0; i < 2; ++i) call(row, alltoallv_entry, all(in.data()));
  EXPECT_EQ(lines(), 4U);
}

#ifdef __x86_64__

TEST_F(BufferSourcesTest, AVariableIsInItsFrame) {
  std::array<int, 16> buffer{};
  const auto cfa = reinterpret_cast<std::intptr_t>(__builtin_dwarf_cfa());
  call(receive_row(), receive_entry, message(buffer.data(), 3));
  EXPECT_TRUE(has(0, "\"stack\":[0," + std::to_string(word_of(buffer.data()) - cfa) + "]"));
  EXPECT_EQ(sources_->problem(), "");
}

#endif

TEST_F(BufferSourcesTest, StaticMemoryIsOfAModule) {
  static std::array<int, 16> buffer;
  call(receive_row(), receive_entry, message(buffer.data(), 3));
  EXPECT_TRUE(has(0, R"("static":[0,)"));
}

}  // namespace
}  // namespace ddtscope::plugin::buffer_sources_test
