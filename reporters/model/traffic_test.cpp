// Who sends how much to whom.
#include "reporters/model/traffic.h"

#include <string>

#include "decoder/base/grouped.h"
#include "reporters/model/job_fixture.h"

namespace ddtscope::reporters::traffic_test {
namespace {

class TrafficTest : public test::JobFixture {
 protected:
  TrafficTest() { ranks(3); }

  void sends(int rank, std::vector<ChannelEnd> ends, std::vector<SequenceElement> elements,
             ChannelDirection direction = ChannelDirection::send) {
    RankChannels line;
    line.rank = Rank{{}, rank};
    line.direction = direction;
    line.predefined = PredefinedCommunicator::world;
    line.sequence = {static_cast<std::uint32_t>(job_.messages.sequences.size())};
    line.ends = std::move(ends);
    job_.messages.sequences.push_back(std::move(elements));
    job_.messages.channels.push_back(std::move(line));
  }
  std::uint32_t operation(std::optional<DefinitionId> type, std::uint64_t elements) {
    job_.messages.operations.push_back(
        {type, elements, job_.word("MPI_Send"), job_.word("c"), trace::UseParameter::datatype, std::nullopt});
    return static_cast<std::uint32_t>(job_.messages.operations.size() - 1);
  }
  std::string text(const std::vector<Traffic>& all) const {
    std::string text;
    for (const Traffic& one : all) {
      text += text_of(one.source) + ">" + text_of(one.destination) + std::string(name_of(one.predefined)) +
              (one.made ? std::string(job_.communicators[one.made->value].called) : "") + " " +
              std::to_string(one.messages) + " " + grouped(one.bytes) + ":";
      for (const TypeTraffic& type : one.types) {
        text += " " + (type.type ? job_.name_of(*type.type) : "nothing") + " " + std::to_string(type.messages) + " " +
                grouped(type.bytes);
      }
      text += "\n";
    }
    return text;
  }
};

TEST_F(TrafficTest, IsWhatIsSentByPairsAndByCommunicators) {
  const std::uint32_t ints = operation(named("MPI_INT"), 3);
  const std::uint32_t more_ints = operation(named("MPI_INT"), 5);
  const std::uint32_t doubles = operation(named("MPI_DOUBLE"), 100);
  const std::uint32_t nothing = operation(std::nullopt, 0);
  job_.communicators.push_back({Key{7}, job_.word("MPI_Comm_dup"), job_.word("c"), std::nullopt, {}, {}});
  job_.communicators.push_back({Key{7}, job_.word("mpi_comm_dup_"), job_.word("mpif.h"), std::nullopt, {}, {}});
  sends(0, {{1, 5}, {2, 5}}, {{10, 2}, {0, ints}, {0, more_ints}, {0, doubles}});
  sends(0, {{1, 6}}, {{0, ints}, {0, nothing}});
  sends(2, {{2, 0}, {ChannelEnd::any, 0}}, {{1000, 1}, {0, doubles}});
  sends(1, {{0, 5}}, {{0, ints}}, ChannelDirection::receive);
  for (std::size_t i = 0; i < 2; ++i) {
    job_.messages.channels[i].predefined = PredefinedCommunicator::none;
    job_.messages.channels[i].communicator = CommunicatorIndex{static_cast<std::uint32_t>(i)};
  }
  EXPECT_EQ(text(traffic_of(job_, TrafficBy::pair)),
            "2>2 1000 800,000: MPI_DOUBLE 1000 800,000\n"
            "0>1 23 1,132: MPI_DOUBLE 1 800 MPI_INT 21 332 nothing 1 0\n"
            "0>2 21 1,120: MPI_DOUBLE 1 800 MPI_INT 20 320\n");
  EXPECT_EQ(text(traffic_of(job_, TrafficBy::communicator)),
            "0>0MPI_COMM_WORLD 1000 800,000: MPI_DOUBLE 1000 800,000\n"
            "0>0MPI_Comm_dup 44 2,252: MPI_DOUBLE 2 1,600 MPI_INT 41 652 nothing 1 0\n");
  std::vector<bool> wanted(4, false);
  wanted[doubles] = true;
  EXPECT_EQ(text(traffic_of(job_, TrafficBy::pair, wanted)),
            "2>2 1000 800,000: MPI_DOUBLE 1000 800,000\n"
            "0>1 1 800: MPI_DOUBLE 1 800\n"
            "0>2 1 800: MPI_DOUBLE 1 800\n");
}

}  // namespace
}  // namespace ddtscope::reporters::traffic_test
