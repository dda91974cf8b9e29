// Which channels' communicators are the same, and whether all of their processes said so.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "reporters/model/job.h"
#include "reporters/model/rank_set.h"

namespace ddtscope::reporters {

/// The number of a communicator among those that have channels or collectives.
struct JoinedCommunicator {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(JoinedCommunicator, JoinedCommunicator) = default;
};

class JobCommunicators {
 public:
  explicit JobCommunicators(const Job& job);

  /// Empty where the communicator has no name by which others would know it.
  std::optional<JoinedCommunicator> of(const RankChannels& channels) const { return of(place_of(channels)); }
  std::optional<JoinedCommunicator> of(const RankCollectives& collectives) const { return of(place_of(collectives)); }
  /// Whether both processes said that they are in it, and all others that are known to be.
  bool is_told(JoinedCommunicator communicator, Rank one, Rank other);
  WorldNumber world(JoinedCommunicator communicator) const { return all_[communicator.value].world; }
  /// One of those that the program made and that are the same.
  std::optional<CommunicatorIndex> made(JoinedCommunicator communicator) const { return all_[communicator.value].made; }
  PredefinedCommunicator predefined(JoinedCommunicator communicator) const {
    return all_[communicator.value].predefined;
  }

 private:
  struct Joined {
    WorldNumber world;
    PredefinedCommunicator predefined = PredefinedCommunicator::none;
    std::optional<CommunicatorIndex> made;
    RankSet told;  // of a made one
    bool is_whole = true;
  };
  /// Predefined or made, and its name; of MPI_COMM_SELF the rank. The ranks of its channels are of one world.
  using Identity = std::tuple<WorldNumber, PredefinedCommunicator, std::uint64_t>;
  /// What a line says of its communicator.
  struct Place {
    Rank rank;
    PredefinedCommunicator predefined;
    std::optional<CommunicatorIndex> made;
  };
  template <class Line>
  static Place place_of(const Line& line) {
    return {line.rank, line.predefined, line.communicator};
  }
  std::optional<Identity> identity_of(const Place& place) const;
  std::optional<JoinedCommunicator> of(const Place& place) const;
  void add(const Place& place);
  void add_told();

  const Job& job_;
  std::map<Identity, std::uint32_t> numbers_;
  std::vector<Joined> all_;
};

}  // namespace ddtscope::reporters
