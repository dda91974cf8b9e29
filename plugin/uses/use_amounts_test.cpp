// What calls use, by the text of the standard: MPI-4.1 3 (point-to-point), 6 (collectives), 8.6 (neighbourhoods), 12
// (one-sided).
#include "plugin/uses/use_amounts.h"

#include <gtest/gtest.h>

#include <array>

namespace ddtscope::plugin::use_amounts_test {
namespace {

constexpr int nobody = -9;
constexpr int root_mark = -8;
constexpr std::intptr_t in_place = -1;
constexpr HandleBits no_op = 77, no_message = 66, world = 5;
constexpr UseConstants constants{in_place, nobody, root_mark, no_op, no_message, 4};

class UseAmountsTest : public ::testing::Test {
 protected:
  std::vector<UseAmount> of(const UseRow& row, const Communicator* communicator = nullptr) {
    return amounts_.of({row, words_.data()}, communicator);
  }
  static std::intptr_t address(const void* memory) { return reinterpret_cast<std::intptr_t>(memory); }

  UseAmounts amounts_{constants};
  std::array<std::intptr_t, 13> words_{};
};

Communicator group(int rank, int size) {
  Communicator communicator;
  communicator.rank = rank;
  communicator.size = communicator.remote_size = size;
  return communicator;
}

UseRow row_of(const Uses& uses, bool has_counts = false, bool has_types = false) {
  UseRow row{.uses = uses};
  row.has_count_array = {has_counts, has_counts, false};
  row.has_type_array = {has_types, has_types, false};
  row.needs_communicator = uses.communicator >= 0;
  return row;
}

const UseRow send =
    row_of({.first = {.parameter = UseParameter::datatype, .type = 2, .count = 1, .buffer = 0, .peer = 3}});
const UseRow gather =
    row_of({.first = {.parameter = UseParameter::sendtype, .type = 2, .count = 1, .buffer = 0, .side = Side::leaves},
            .second = {.parameter = UseParameter::recvtype,
                       .type = 5,
                       .count = 4,
                       .buffer = 3,
                       .copies = Copies::processes,
                       .side = Side::root},
            .communicator = 7,
            .root = 6});

TEST_F(UseAmountsTest, ASendUsesItsCount) {
  words_ = {1000, 6, 42, 0};
  const auto amounts = of(send);
  ASSERT_EQ(amounts.size(), 1u);
  EXPECT_EQ(amounts[0].type, 42u);
  EXPECT_EQ(amounts[0].elements, 6u);
  EXPECT_EQ(amounts[0].largest, 6u);
}

TEST_F(UseAmountsTest, OnlyTheLowerHalfOfAWordIsAnInt) {
  words_ = {1000, std::intptr_t{0x7777777700000006}, std::intptr_t{0x7777777700000000} + 42, 0};
  EXPECT_EQ(of(send)[0].elements, 6u);
  EXPECT_EQ(of(send)[0].type, 42u);
}

TEST_F(UseAmountsTest, NothingGoesToNobody) {
  words_ = {1000, 6, 42, nobody};
  ASSERT_EQ(of(send).size(), 1u);
  EXPECT_EQ(of(send)[0].elements, 0u);
  EXPECT_EQ(of(send)[0].largest, 0u);
}

TEST_F(UseAmountsTest, ANegativeCountMovesNothing) {
  words_ = {1000, -6, 42, 0};
  EXPECT_EQ(of(send)[0].elements, 0u);
}

TEST_F(UseAmountsTest, ALargeProductDoesNotWrap) {
  UseRow row =
      row_of({.first = {.parameter = UseParameter::sendtype, .type = 2, .count = 1, .copies = Copies::processes},
              .communicator = 3});
  row.count_bytes = 8;
  words_ = {1000, INT64_MAX, 42, world};
  const Communicator communicator = group(0, 4);
  EXPECT_EQ(of(row, &communicator)[0].elements, UINT64_MAX);
}

TEST_F(UseAmountsTest, OnlyTheRootOfAGatherReceives) {
  words_ = {1000, 3, 42, 2000, 3, 43, 1, static_cast<std::intptr_t>(world)};
  const Communicator leaf = group(0, 4);
  ASSERT_EQ(of(gather, &leaf).size(), 1u);
  EXPECT_EQ(of(gather, &leaf)[0].parameter, UseParameter::sendtype);
  const Communicator root = group(1, 4);
  ASSERT_EQ(of(gather, &root).size(), 2u);
  EXPECT_EQ(of(gather, &root)[1].elements, 12u);
  EXPECT_EQ(of(gather, &root)[1].largest, 3u);
}

TEST_F(UseAmountsTest, WhatIsInPlaceIsNotSent) {
  words_ = {in_place, 3, 42, 2000, 3, 43, 1, static_cast<std::intptr_t>(world)};
  const Communicator root = group(1, 4);
  ASSERT_EQ(of(gather, &root).size(), 1u);
  EXPECT_EQ(of(gather, &root)[0].parameter, UseParameter::recvtype);
}

TEST_F(UseAmountsTest, AReductionInPlaceUsesItsType) {
  const UseRow reduce = row_of({.first = {.parameter = UseParameter::datatype, .type = 3, .count = 2, .buffer = 0}});
  words_ = {in_place, 2000, 5, 42};
  ASSERT_EQ(of(reduce).size(), 1u);
  EXPECT_EQ(of(reduce)[0].elements, 5u);
}

TEST_F(UseAmountsTest, BetweenGroupsTheRootReceivesFromTheOthers) {
  Communicator inter = group(0, 2);
  inter.remote_size = 5;
  inter.is_inter = true;
  words_ = {1000, 3, 42, 2000, 3, 43, root_mark, static_cast<std::intptr_t>(world)};
  ASSERT_EQ(of(gather, &inter).size(), 1u);
  EXPECT_EQ(of(gather, &inter)[0].elements, 15u);
  words_[6] = nobody;  // in the root's group
  EXPECT_TRUE(of(gather, &inter).empty());
  EXPECT_EQ(amounts_.wanted_communicator({gather, words_.data()}), 0u);
  words_[6] = 0;  // the root's rank, in the other group: 0 is no root here
  ASSERT_EQ(of(gather, &inter).size(), 1u);
  EXPECT_EQ(of(gather, &inter)[0].parameter, UseParameter::sendtype);
}

TEST_F(UseAmountsTest, NeighboursThatAreNobodyGetNothing) {
  const UseRow row =
      row_of({.first = {.parameter = UseParameter::sendtype, .type = 2, .count = 1, .copies = Copies::destinations},
              .communicator = 3},
             true);
  const std::array<std::int32_t, 4> counts{100, 2, 200, 5};
  words_ = {1000, address(counts.data()), 42, static_cast<std::intptr_t>(world)};
  Communicator line = group(0, 4);
  line.destinations = {nobody, 1, nobody, 3};
  ASSERT_EQ(of(row, &line).size(), 1u);
  EXPECT_EQ(of(row, &line)[0].elements, 7u);
  EXPECT_EQ(of(row, &line)[0].smallest, 2u);
  EXPECT_EQ(of(row, &line)[0].largest, 5u);
}

TEST_F(UseAmountsTest, ArraysOfTypesAreReadAsFarAsTheCommunicatorGoes) {
  const UseRow row = row_of(
      {.first = {.parameter = UseParameter::sendtypes, .type = 2, .count = 1, .buffer = 0, .copies = Copies::processes},
       .communicator = 3},
      true, true);
  const std::array<std::int32_t, 3> counts{1, 0, 4};
  const std::array<std::int32_t, 3> types{40, 41, 40};
  words_ = {1000, address(counts.data()), address(types.data()), static_cast<std::intptr_t>(world)};
  const Communicator three = group(0, 3);
  const auto amounts = of(row, &three);
  ASSERT_EQ(amounts.size(), 3u);
  EXPECT_EQ(amounts[1].type, 41u);
  EXPECT_EQ(amounts[2].elements, 4u);
  EXPECT_TRUE(amounts[2].is_entry);
  words_[2] = 0;
  EXPECT_TRUE(of(row, &three).empty());
  words_[2] = address(types.data());
  words_[0] = in_place;  // then the arrays may be anything
  words_[1] = words_[2] = 1;
  EXPECT_TRUE(of(row, &three).empty());
}

TEST_F(UseAmountsTest, TranslatedArraysOfTypesAreReadAsFarAsThereAreProcesses) {
  const UseRow row = row_of(
      {.first =
           {.parameter = UseParameter::sendtypes, .type = 2, .count = 1, .buffer = 0, .copies = Copies::destinations},
       .communicator = 3},
      true, true);
  const std::array<std::int32_t, 3> counts{1, 2, 4};
  const std::array<std::int32_t, 3> types{40, 41, 42};
  words_ = {1000, address(counts.data()), address(types.data()), static_cast<std::intptr_t>(world)};
  Communicator ring = group(0, 2);
  ring.destinations = {1, 1, 0};
  const UseCall translated{row, words_.data(), true};
  EXPECT_EQ(of(row, &ring).size(), 3u);  // what a program gives in C is as long as the standard says
  EXPECT_TRUE(amounts_.entries_of({row, words_.data()}, 0, &ring).is_whole);
  EXPECT_EQ(amounts_.of(translated, &ring).size(), 2u);
  EXPECT_FALSE(amounts_.entries_of(translated, 0, &ring).is_whole);
  ring.destinations = {1, nobody, nobody};  // whose types nobody looks at
  EXPECT_EQ(amounts_.of(translated, &ring).size(), 1u);
  EXPECT_TRUE(amounts_.entries_of(translated, 0, &ring).is_whole);
  EXPECT_EQ(amounts_.entries_of(translated, 0, &ring).count, 3u);
  EXPECT_EQ(amounts_.entries_of(translated, 0, &ring).up_to_last(nobody), 1u);
}

TEST_F(UseAmountsTest, PartitionsTimesTheirCount) {
  const UseRow row = row_of({.first = {.parameter = UseParameter::datatype,
                                       .type = 3,
                                       .count = 2,
                                       .buffer = 0,
                                       .peer = 4,
                                       .copies = Copies::partitions},
                             .partitions = 1});
  words_ = {1000, 8, 3, 42, 0};
  EXPECT_EQ(of(row)[0].elements, 24u);
  EXPECT_EQ(of(row)[0].largest, 3u);
}

TEST_F(UseAmountsTest, WithoutAnOperationTheOriginIsSpared) {
  const UseRow row = row_of({.first = {.parameter = UseParameter::origin_datatype, .type = 2, .count = 1, .peer = 3},
                             .second = {.parameter = UseParameter::target_datatype, .type = 5, .count = 4, .peer = 3},
                             .op = 6,
                             .no_op = NoOp::spares_origin});
  words_ = {0, 3, 42, 1, 7, 43, static_cast<std::intptr_t>(no_op)};
  ASSERT_EQ(of(row).size(), 1u);
  EXPECT_EQ(of(row)[0].type, 43u);
  words_[6] = 1;
  EXPECT_EQ(of(row).size(), 2u);
}

TEST_F(UseAmountsTest, AResultIsWrittenWhereThereIsOne) {
  UseRow row = row_of({.first = {.parameter = UseParameter::datatype, .type = 3, .count = 2, .buffer = 0}});
  row.result_buffer = 1;
  words_ = {1000, 0, 5, 42, 1, static_cast<std::intptr_t>(world)};
  EXPECT_EQ(of(row)[0].null_result, 5u);
  row.uses.communicator = 5;
  row.uses.root = 4;
  const Communicator leaf = group(0, 4);
  const Communicator root = group(1, 4);
  EXPECT_EQ(of(row)[0].null_result, 0u);  // nobody knows
  EXPECT_EQ(of(row, &leaf)[0].null_result, 0u);
  EXPECT_EQ(of(row, &root)[0].null_result, 5u);
  // MPI_Exscan leaves the first process's result alone.
  row.uses.root = -1;
  row.uses.result_at = ResultAt::behind_rank_0;
  EXPECT_EQ(of(row)[0].null_result, 0u);
  EXPECT_EQ(of(row, &leaf)[0].null_result, 0u);
  EXPECT_EQ(of(row, &root)[0].null_result, 5u);
  words_[1] = in_place;
  EXPECT_EQ(of(row, &root)[0].null_result, 0u);
}

TEST_F(UseAmountsTest, EachProcessGetsItsPartOfAScatteredReduction) {
  UseRow row = row_of(
      {.first = {.parameter = UseParameter::datatype, .type = 3, .count = 2, .buffer = 0, .copies = Copies::own_group},
       .communicator = 4},
      true);
  row.result_buffer = 1;
  const std::array<std::int32_t, 2> counts{2, 0};
  words_ = {1000, 0, address(counts.data()), 42, static_cast<std::intptr_t>(world)};
  const Communicator first = group(0, 2);
  const Communicator second = group(1, 2);
  EXPECT_EQ(of(row, &first)[0].null_result, 2u);
  EXPECT_EQ(of(row, &second)[0].null_result, 0u);
}

TEST_F(UseAmountsTest, BlocksFromANullPointerOnArePlaced) {
  const UseRow row = row_of(
      {.first = {.parameter = UseParameter::recvtype, .type = 3, .count = 1, .buffer = 0, .copies = Copies::processes},
       .communicator = 4},
      true);
  const std::array<std::int32_t, 3> counts{2, 0, 4};
  const std::array<std::int32_t, 3> places{600, 0, 500};
  words_ = {0, address(counts.data()), address(places.data()), 42, static_cast<std::intptr_t>(world)};
  const Communicator three = group(0, 3);
  ASSERT_TRUE(of(row, &three)[0].has_null_buffer);
  EXPECT_EQ(of(row, &three)[0].first_copy, 500);
  EXPECT_EQ(of(row, &three)[0].last_copy, 601);
  words_[2] = 0;
  EXPECT_FALSE(of(row, &three)[0].has_null_buffer);
}

TEST_F(UseAmountsTest, AMessageFromNobodyHasNothingInIt) {
  const UseRow row =
      row_of({.first = {.parameter = UseParameter::datatype, .type = 2, .count = 1, .buffer = 0, .message = 3}});
  std::int32_t message = static_cast<std::int32_t>(no_message);
  words_ = {1000, 6, 42, address(&message)};
  EXPECT_EQ(of(row)[0].elements, 0u);
  message = 4;
  EXPECT_EQ(of(row)[0].elements, 6u);
}

}  // namespace
}  // namespace ddtscope::plugin::use_amounts_test
