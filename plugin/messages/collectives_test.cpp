// What stands in the trace of collective operations: held against plain lists of what was called.
#include "plugin/messages/collectives.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "plugin/messages/messages.h"
#include "plugin/uses/counted_uses_fixture.h"

namespace ddtscope::plugin::collectives_test {
namespace {

constexpr HandleBits world = 100, self = 101, copy = 102, of_one = 103, between = 104, nameless = 105, torus = 106,
                     doubled = 107;
constexpr HandleBits null_type = 0x9999, unknown_type = 0x7777, sum = 500, own_op = 501;
constexpr EntryPoint bcast_entry{"MPI_Bcast", "c"}, reduce_entry{"MPI_Reduce", "c"}, gather_entry{"MPI_Gatherv", "c"},
    alltoall_entry{"MPI_Alltoallw", "c"}, barrier_entry{"MPI_Barrier", "c"}, dup_entry{"MPI_Comm_dup", "c"},
    allgather_entry{"MPI_Allgather", "c"}, neighbour_entry{"MPI_Neighbor_alltoall", "c"};

constexpr UseRow row_of(const Uses& uses, std::int8_t communicator) {
  UseRow row{.uses = uses};
  row.collective.communicator = communicator;
  return row;
}
constexpr UseRow bcast = row_of(
    {.first = {.parameter = UseParameter::datatype, .type = 2, .count = 1, .buffer = 0}, .communicator = 4, .root = 3},
    4);
constexpr UseRow reduce_row() {
  UseRow row = row_of({.first = {.parameter = UseParameter::datatype, .type = 3, .count = 2, .buffer = 0},
                       .communicator = 6,
                       .root = 5,
                       .op = 4},
                      6);
  row.result_buffer = 1;
  return row;
}
constexpr UseRow reduce = reduce_row();
constexpr UseRow gatherv_row() {
  UseRow row =
      row_of({.first = {.parameter = UseParameter::sendtype, .type = 2, .count = 1, .buffer = 0, .side = Side::leaves},
              .second = {.parameter = UseParameter::recvtype,
                         .type = 6,
                         .count = 4,
                         .buffer = 3,
                         .copies = Copies::processes,
                         .side = Side::root},
              .communicator = 8,
              .root = 7},
             8);
  row.has_count_array[1] = true;
  return row;
}
constexpr UseRow gatherv = gatherv_row();
constexpr UseRow alltoallw_row() {
  UseRow row = row_of(
      {.first = {.parameter = UseParameter::sendtypes, .type = 3, .count = 1, .buffer = 0, .copies = Copies::processes},
       .second =
           {.parameter = UseParameter::recvtypes, .type = 7, .count = 5, .buffer = 4, .copies = Copies::processes},
       .communicator = 8},
      8);
  row.has_count_array = {true, true, false};
  row.has_type_array = {true, true, false};
  return row;
}
constexpr UseRow alltoallw = alltoallw_row();
constexpr UseRow allgather = row_of(
    {.first = {.parameter = UseParameter::sendtype, .type = 2, .count = 1, .buffer = 0},
     .second = {.parameter = UseParameter::recvtype, .type = 5, .count = 4, .buffer = 3, .copies = Copies::processes},
     .communicator = 6},
    6);
constexpr UseRow neighbours = row_of(
    {.first = {.parameter = UseParameter::sendtype, .type = 2, .count = 1, .buffer = 0, .copies = Copies::destinations},
     .second = {.parameter = UseParameter::recvtype, .type = 5, .count = 4, .buffer = 3, .copies = Copies::sources},
     .communicator = 6},
    6);
constexpr UseRow neighbours_row() {
  UseRow row = alltoallw;
  row.uses.first.copies = Copies::destinations;
  row.uses.second.copies = Copies::sources;
  return row;
}
constexpr UseRow neighbours_w = neighbours_row();
constexpr UseRow barrier = row_of({}, 0);

/// This process is number 1 of three, but where it is alone.
class PlayedCommunicators : public CommunicatorQueries {
 public:
  Communicator describe(HandleBits communicator) override {
    ++asked;
    Communicator described;
    described.size = communicator == of_one ? 1 : 3;
    described.rank = communicator == of_one ? 0 : 1;
    described.remote_size = communicator == between ? 2 : described.size;
    described.is_inter = communicator == between;
    if (communicator == doubled) described.sources = described.destinations = {0, 2, 0, 2};
    if (communicator == torus) {
      described.sources = {0, nobody, 2};
      described.destinations = {2, 2, nobody};
    }
    return described;
  }
  static constexpr int nobody = -9;
  int asked = 0;
};

class PlayedGroups : public GroupQueries {
 public:
  CommunicatorGroups groups_of(HandleBits) override { return {{0, 1, 2}, {}, true}; }
  int process_of(HandleBits, int rank) override { return rank; }
  bool allows_overtaking(HandleBits) override { return false; }
};

class CollectivesTest : public CountedUsesTest {
 protected:
  void SetUp() override {
    CountedUsesTest::SetUp();
    begin({});
  }
  void begin(Collectives::Options options) {
    begin_counting(played_, {.constants = {}, .null_type = null_type, .judge = nullptr});
    communicators_ = std::make_unique<NamedCommunicators>(NamedCommunicators::Options{},
                                                          NamedCommunicators::Parts{*registry_, groups_, writer_});
    communicators_->begin({.world = world, .self = self, .number = 1, .rank = 1});
    options.constants = constants;
    options.world = world;
    options.self = self;
    options.ops = {{sum, "MPI_SUM", OpKind::arithmetic}};
    collectives_ = std::make_unique<Collectives>(options, Collectives::Parts{*registry_, *uses_, *communicators_});
    messages_ = std::make_unique<Messages>(Messages::Options{.constants = constants, .world = world, .self = self},
                                           Messages::Parts{*registry_, *uses_, *communicators_, groups_});
  }
  void make(HandleBits communicator) {
    const CommunicatorNames::Call call = communicators_->begin_call(world);
    communicators_->made_by_parent({communicator, &dup_entry, &stack_}, call, communicator);
  }

  using Placed = Collectives::Placed;
  template <std::size_t n>
  Placed call(const UseRow& row, const EntryPoint& entry, const std::array<std::intptr_t, n>& words) {
    return collectives_->begin({{row, words.data()}, &entry, &stack_});
  }
  static std::intptr_t word(HandleBits handle) { return static_cast<std::intptr_t>(handle); }
  template <class T>
  static std::intptr_t place(const T& array) {
    return reinterpret_cast<std::intptr_t>(array.data());
  }
  Placed broadcast(std::intptr_t count, int root, HandleBits communicator = world, HandleBits type = mpi_int) {
    return call(bcast, bcast_entry,
                std::array{std::intptr_t{1}, count, word(type), std::intptr_t{root}, word(communicator)});
  }
  Placed meet(HandleBits communicator) { return call(barrier, barrier_entry, std::array{word(communicator)}); }

  std::vector<std::string> lines(const std::string& record) {
    if (!is_written_) registry_->beside([&] { messages_->write(writer_, collectives_.get()); });
    is_written_ = true;
    return written(record);
  }
  /// The members of one call's line behind its site.
  std::string sides(std::size_t which = 0) {
    const std::string line = lines("collective").at(which);
    const std::string before = R"("site":null,)";
    return line.substr(line.find(before) + before.size());
  }

  PlayedCommunicators played_;
  PlayedGroups groups_;
  std::unique_ptr<NamedCommunicators> communicators_;
  std::unique_ptr<Collectives> collectives_;
  std::unique_ptr<Messages> messages_;
  bool is_written_ = false;
};

class Calls final : public RegistryCalls {
 public:
  explicit Calls(Registry& registry) : registry_(registry) {}
  Registry& registry() override { return registry_; }

 private:
  Registry& registry_;
};

/// What a line's folded text stands for; `at` is behind an opening bracket, and then behind the closing one.
std::vector<std::size_t> unfolded(const std::string& text, std::size_t& at) {
  std::vector<std::size_t> numbers;
  while (text[at] != ']') {
    if (text[at] == ',') {
      ++at;
    } else if (text[at] == '[') {
      const std::size_t times = std::stoul(text.substr(++at));
      at = text.find('[', at) + 1;
      const std::vector<std::size_t> body = unfolded(text, at);
      for (std::size_t i = 0; i < times; ++i) numbers.insert(numbers.end(), body.begin(), body.end());
      ++at;  // the loop's own bracket
    } else {
      std::size_t digits = 0;
      numbers.push_back(std::stoul(text.substr(at), &digits));
      at += digits;
    }
  }
  ++at;
  return numbers;
}

TEST_F(CollectivesTest, StandInTheSequencesOfTheirCommunicators) {
  make(copy);
  for (int i = 0; i < 3; ++i) {
    broadcast(4, 1);
    broadcast(4, 0);
    meet(copy);
  }
  broadcast(5, 0);
  EXPECT_EQ(
      lines("collective"),
      (std::vector<std::string>{
          R"({"record":"collective","id":0,"called":"MPI_Bcast","binding":"c","site":null,"root":1,"op":null,"send":[[1,"MPI_INT",4]],"receive":null})",
          R"({"record":"collective","id":1,"called":"MPI_Bcast","binding":"c","site":null,"root":0,"op":null,"send":null,"receive":[[1,"MPI_INT",4]]})",
          R"({"record":"collective","id":2,"called":"MPI_Barrier","binding":"c","site":null,"root":null,"op":null,"send":null,"receive":null})",
          R"({"record":"collective","id":3,"called":"MPI_Bcast","binding":"c","site":null,"root":0,"op":null,"send":null,"receive":[[1,"MPI_INT",5]]})"}));
  EXPECT_EQ(lines("sequence"),
            (std::vector<std::string>{R"({"record":"sequence","id":0,"of":"collectives","operations":[[3,[0,1]],3]})",
                                      R"({"record":"sequence","id":1,"of":"collectives","operations":[[3,[2]]]})"}));
  EXPECT_EQ(lines("collectives"),
            (std::vector<std::string>{R"({"record":"collectives","communicator":"MPI_COMM_WORLD","sequence":0})",
                                      R"({"record":"collectives","communicator":0,"sequence":1})"}));
  EXPECT_EQ(lines("messages"), (std::vector<std::string>{R"({"record":"messages","left_out":[]})"}));
}

TEST_F(CollectivesTest, OfThisProcessAloneOrWithoutANameAreNone) {
  make(of_one);
  for (const HandleBits communicator : {self, of_one, nameless}) {
    EXPECT_EQ(meet(communicator).state, Placed::State::nowhere);
  }
  EXPECT_TRUE(lines("collectives").empty());
  EXPECT_EQ(played_.asked, 1);  // not of one that may be anything
}

TEST_F(CollectivesTest, ReductionsSayTheirOperationTypeAndCountInPlaceToo) {
  const auto reduces = [&](HandleBits op, std::intptr_t buffer) {
    call(
        reduce, reduce_entry,
        std::array{buffer, std::intptr_t{1}, std::intptr_t{7}, word(mpi_int), word(op), std::intptr_t{1}, word(world)});
  };
  reduces(sum, 1);
  reduces(sum, constants.in_place);
  reduces(own_op, 1);
  const std::string rest = R"("send":[[1,"MPI_INT",7]],"receive":null})";
  EXPECT_EQ(sides(0), R"("root":1,"op":"MPI_SUM",)" + rest);
  EXPECT_EQ(sides(1), R"("root":1,"op":"user-defined",)" + rest);
  EXPECT_EQ(lines("collective").size(), 2u);
}

TEST_F(CollectivesTest, ArraysAreReadAtTheRootAlone) {
  std::array<int, 3> counts{2, 2, 5};
  const auto gathers = [&](int root, std::intptr_t send, std::intptr_t array) {
    call(gatherv, gather_entry,
         std::array{send, std::intptr_t{3}, word(mpi_int), std::intptr_t{1}, array, std::intptr_t{0}, word(mpi_int),
                    std::intptr_t{root}, word(world)});
  };
  gathers(1, 1, place(counts));
  gathers(0, 1, 12345);  // anything
  gathers(1, constants.in_place, place(counts));
  counts[1] = -4;
  gathers(1, 1, place(counts));
  EXPECT_EQ(sides(0), R"("root":1,"op":null,"send":[[1,"MPI_INT",3]],"receive":[[2,"MPI_INT",2],[1,"MPI_INT",5]]})");
  EXPECT_EQ(sides(1), R"("root":0,"op":null,"send":[[1,"MPI_INT",3]],"receive":null})");
  EXPECT_EQ(sides(2), R"("root":1,"op":null,"send":"in place","receive":[[2,"MPI_INT",2],[1,"MPI_INT",5]]})");
  EXPECT_EQ(
      sides(3),
      R"("root":1,"op":null,"send":[[1,"MPI_INT",3]],"receive":[[1,"MPI_INT",2],[1,"MPI_INT",0],[1,"MPI_INT",5]]})");
}

TEST_F(CollectivesTest, EachBlockMayHaveATypeOfItsOwn) {
  const std::array<int, 3> counts{1, 0, 2}, all{4, 4, 4};
  const std::array<HandleBits, 3> types{mpi_int, null_type, mpi_int}, ints{mpi_int, mpi_int, mpi_int};
  call(alltoallw, alltoall_entry,
       std::array{std::intptr_t{1}, place(counts), std::intptr_t{0}, place(types), std::intptr_t{1}, place(all),
                  std::intptr_t{0}, place(ints), word(world)});
  EXPECT_EQ(
      sides(),
      R"("root":null,"op":null,"send":[[1,"MPI_INT",1],[1,null,0],[1,"MPI_INT",2]],"receive":[[3,"MPI_INT",4]]})");
}

TEST_F(CollectivesTest, OfAnIntercommunicatorAreThoseOfTheOtherGroup) {
  make(between);
  broadcast(4, constants.root, between);
  broadcast(4, constants.null_process, between);
  broadcast(4, 1, between);  // the other group's process, though this one has that rank in its own
  call(allgather, allgather_entry,
       std::array{std::intptr_t{1}, std::intptr_t{2}, word(mpi_int), std::intptr_t{1}, std::intptr_t{3}, word(mpi_int),
                  word(between)});
  EXPECT_EQ(sides(0), R"("root":"MPI_ROOT","op":null,"send":[[1,"MPI_INT",4]],"receive":null})");
  EXPECT_EQ(sides(1), R"("root":"MPI_PROC_NULL","op":null,"send":null,"receive":null})");
  EXPECT_EQ(sides(2), R"("root":1,"op":null,"send":null,"receive":[[1,"MPI_INT",4]]})");
  EXPECT_EQ(sides(3), R"("root":null,"op":null,"send":[[1,"MPI_INT",2]],"receive":[[2,"MPI_INT",3]]})");
}

TEST_F(CollectivesTest, NeighboursThatAreNobodyHaveNoElements) {
  make(torus);
  call(neighbours, neighbour_entry,
       std::array{std::intptr_t{1}, std::intptr_t{2}, word(mpi_int), std::intptr_t{1}, std::intptr_t{2}, word(mpi_int),
                  word(torus)});
  EXPECT_EQ(sides(), R"("root":null,"op":null,"send":[[2,"MPI_INT",2],[1,null,0]],)"
                     R"("receive":[[1,"MPI_INT",2],[1,null,0],[1,"MPI_INT",2]]})");
}

TEST_F(CollectivesTest, NeighboursAreToldOnlyWhereOperationsOfNeighbourhoodsWereCalled) {
  make(torus);
  meet(torus);
  EXPECT_EQ(lines("collectives")[0], R"({"record":"collectives","communicator":0,"sequence":0})");
}

TEST_F(CollectivesTest, NeighboursAreToldInTheOrderOfTheBlocks) {
  make(torus);
  call(neighbours, neighbour_entry,
       std::array{std::intptr_t{1}, std::intptr_t{2}, word(mpi_int), std::intptr_t{1}, std::intptr_t{2}, word(mpi_int),
                  word(torus)});
  EXPECT_EQ(lines("collectives")[0],
            R"({"record":"collectives","communicator":0,"sequence":0,"neighbours":{"topology":"graph",)"
            R"("sources":[0,null,2],"destinations":[2,2,null]}})");
}

TEST_F(CollectivesTest, AfterOneThatFailedNothingIsKnown) {
  broadcast(4, 0);
  const Placed second = broadcast(4, 0);
  broadcast(4, 0);
  collectives_->failed(second, Collectives::Failure::refused);
  broadcast(4, 0);
  EXPECT_EQ(lines("collectives")[0],
            R"({"record":"collectives","communicator":"MPI_COMM_WORLD","sequence":0,"undecided":[1,"failed"]})");
}

TEST_F(CollectivesTest, OneThatFailedAfterItHadBegunIsKnownItself) {
  broadcast(4, 0);
  collectives_->failed(broadcast(4, 0), Collectives::Failure::in_between);
  broadcast(4, 0);
  EXPECT_EQ(lines("collectives")[0],
            R"({"record":"collectives","communicator":"MPI_COMM_WORLD","sequence":0,"undecided":[2,"failed"]})");
}

/// The array of a Fortran program's types has four, that of the library three.
TEST_F(CollectivesTest, TypesThatALayerHasLeftOutAreNotKnown) {
  make(doubled);
  const std::array<int, 4> counts{4, 4, 4, 4};
  const std::array<HandleBits, 4> types{mpi_int, mpi_int, mpi_int, mpi_int};
  const std::array words{std::intptr_t{1}, place(counts),    std::intptr_t{0}, place(types), std::intptr_t{1},
                         place(counts),    std::intptr_t{0}, place(types),     word(doubled)};
  EXPECT_EQ(call(neighbours_w, neighbour_entry, words).state, Placed::State::in_sequence);  // in C
  const UsingCall in_fortran{{neighbours_w, words.data(), true}, &neighbour_entry, &stack_};
  const Placed placed = collectives_->begin(in_fortran);
  ASSERT_EQ(placed.state, Placed::State::left);
  collectives_->end(in_fortran, placed);
  const std::string line = lines("collectives")[0];
  EXPECT_NE(line.find(R"("undecided":[1,"type"])"), std::string::npos) << line;
}

TEST_F(CollectivesTest, ATypeThatNobodyKnowsIsAskedForAfterTheCall) {
  const std::array words{std::intptr_t{1}, std::intptr_t{4}, word(unknown_type), std::intptr_t{0}, word(world)};
  const Placed placed = call(bcast, bcast_entry, words);
  ASSERT_EQ(placed.state, Placed::State::left);
  collectives_->end({{bcast, words.data()}, &bcast_entry, &stack_}, placed);
  broadcast(0, 0, world, unknown_type);
  EXPECT_EQ(lines("collectives")[0],
            R"({"record":"collectives","communicator":"MPI_COMM_WORLD","sequence":0,"undecided":[0,"type"]})");
}

TEST_F(CollectivesTest, WithoutElementsTheTypeNeedNotBeKnown) {
  broadcast(0, 0, world, unknown_type);
  EXPECT_EQ(sides(), R"("root":0,"op":null,"send":null,"receive":[[1,null,0]]})");
}

TEST_F(CollectivesTest, WhatIsStoppedIsNotKnownFromThere) {
  meet(world);
  meet(world);
  registry_->beside([&] { collectives_->stop(Unknown::switched_off); });
  EXPECT_EQ(meet(world).state, Placed::State::nowhere);
  EXPECT_EQ(lines("sequence")[0], R"({"record":"sequence","id":0,"of":"collectives","operations":[[2,[0]]]})");
  EXPECT_EQ(lines("collectives")[0],
            R"({"record":"collectives","communicator":"MPI_COMM_WORLD","sequence":0,"undecided":[2,"switched off"]})");
}

TEST_F(CollectivesTest, LongArraysAreNotKept) {
  begin({.most_bytes_of_arrays = 3 * sizeof(BlockRun)});
  std::array<int, 3> counts{1, 2, 3};
  const auto gathers = [&] {
    call(gatherv, gather_entry,
         std::array{std::intptr_t{1}, std::intptr_t{3}, word(mpi_int), std::intptr_t{1}, place(counts),
                    std::intptr_t{0}, word(mpi_int), std::intptr_t{1}, word(world)});
  };
  gathers();
  counts[0] = 9;
  gathers();
  counts[0] = 1;
  gathers();  // is kept already
  EXPECT_EQ(sides(1), R"("root":1,"op":null,"send":[[1,"MPI_INT",3]],"receive":"long"})");
  EXPECT_EQ(lines("sequence")[0], R"({"record":"sequence","id":0,"of":"collectives","operations":[0,1,0]})");
}

TEST_F(CollectivesTest, BeyondTheMemoryNothingIsKnown) {
  begin({.most_bytes = 20000});
  for (int i = 0; i < 1000; ++i) broadcast(i, i % 3);
  const std::string line = lines("collectives")[0];
  EXPECT_NE(line.find(R"(,"memory"])"), std::string::npos) << line;
  EXPECT_LT(lines("collective").size(), 200u);
}

TEST_F(CollectivesTest, AHandleThatIsFreedIsAnotherCommunicatorAfterwards) {
  make(copy);
  meet(copy);
  communicators_->freed(copy);
  uses_->communicator_freed(copy);
  collectives_->communicator_freed(copy);
  make(copy);
  meet(copy);
  meet(copy);
  EXPECT_EQ(lines("collectives"),
            (std::vector<std::string>{R"({"record":"collectives","communicator":0,"sequence":0})",
                                      R"({"record":"collectives","communicator":1,"sequence":1})"}));
}

TEST_F(CollectivesTest, ATypesHandleThatIsGivenAgainIsAnotherType) {
  const HandleBits handle = 0x4000;
  Calls calls(*registry_);
  for (int count = 2; count < 4; ++count) {
    calls.make_vector(handle, count, mpi_int);
    for (int i = 0; i < 2; ++i) broadcast(1, 0, world, handle);
    calls.free(handle);
  }
  EXPECT_EQ(sides(0), R"("root":0,"op":null,"send":null,"receive":[[1,0,1]]})");
  EXPECT_EQ(sides(1), R"("root":0,"op":null,"send":null,"receive":[[1,1,1]]})");
  EXPECT_EQ(lines("sequence")[0], R"({"record":"sequence","id":0,"of":"collectives","operations":[[2,[0]],[2,[1]]]})");
}

/// Whatever was called last: how it is known must not matter.
TEST_F(CollectivesTest, CallsThatDifferInOneArgumentAreDifferent) {
  make(copy);
  std::mt19937 random(19);
  std::map<std::string, std::size_t> kinds;
  std::vector<std::vector<std::string>> called(2);
  const auto any = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  for (int i = 0; i < 4000; ++i) {
    const int which = i < 2 ? i : any(2);  // the sequences are numbered as the communicators come
    const int root = any(2);
    const int count = any(2);
    const HandleBits communicator = which == 0 ? world : copy;
    std::string words = std::to_string(root) + " " + std::to_string(count);
    switch (any(3)) {
      case 0:
        broadcast(count, root, communicator);
        words += " bcast";
        break;
      case 1: {
        const HandleBits op = any(2) == 0 ? sum : own_op;
        const std::intptr_t buffer = any(2) == 0 ? 1 : constants.in_place;
        call(reduce, reduce_entry,
             std::array{buffer, std::intptr_t{1}, std::intptr_t{count}, word(mpi_int), word(op), std::intptr_t{root},
                        word(communicator)});
        words += op == sum ? " sum" : " own";
        break;
      }
      default: {
        std::array<int, 3> counts{any(2), any(2), 1};
        call(gatherv, gather_entry,
             std::array{std::intptr_t{1}, std::intptr_t{count}, word(mpi_int), std::intptr_t{1}, place(counts),
                        std::intptr_t{0}, word(mpi_int), std::intptr_t{root}, word(communicator)});
        words += " gatherv";
        if (root == 1) words += std::to_string(counts[0]) + std::to_string(counts[1]);
      }
    }
    kinds.try_emplace(words, kinds.size());
    called[static_cast<std::size_t>(which)].push_back(words);
  }
  EXPECT_EQ(lines("collective").size(), kinds.size());
  // Numbered as they come first: of what follows only the sequences can be wrong.
  for (std::size_t which = 0; which < called.size(); ++which) {
    const std::string line = lines("sequence").at(which);
    const std::string before = R"("operations":[)";
    std::size_t at = line.find(before) + before.size();
    std::vector<std::size_t> wanted;
    for (const std::string& words : called[which]) wanted.push_back(kinds.at(words));
    EXPECT_EQ(unfolded(line, at), wanted);
  }
}

}  // namespace
}  // namespace ddtscope::plugin::collectives_test
