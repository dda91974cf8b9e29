#include "reporters/model/neighbour_edges.h"

#include <map>
#include <utility>

namespace ddtscope::reporters {
namespace {

/// The places of each rank in a list.
std::map<std::int32_t, std::vector<std::size_t>> places_in(const std::vector<std::int32_t>& ranks) {
  std::map<std::int32_t, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] != Neighbours::nobody) places[ranks[i]].push_back(i);
  }
  return places;
}

}  // namespace

std::vector<NeighbourEdge> neighbour_edges(std::span<const RankCollectives* const> lines) {
  const auto neighbours_of = [&](std::int64_t process) -> const Neighbours* {
    const bool is_there = process >= 0 && static_cast<std::size_t>(process) < lines.size();
    const RankCollectives* const line = is_there ? lines[static_cast<std::size_t>(process)] : nullptr;
    return line != nullptr && line->neighbours ? &*line->neighbours : nullptr;
  };
  const auto size = static_cast<std::int64_t>(lines.size());
  std::vector<std::map<std::int32_t, std::vector<std::size_t>>> sources(lines.size());
  for (std::int64_t process = 0; process < size; ++process) {
    const Neighbours* const own = neighbours_of(process);
    if (own != nullptr && !own->is_cartesian) sources[static_cast<std::size_t>(process)] = places_in(own->sources);
  }
  std::vector<NeighbourEdge> edges;
  for (std::int64_t sender = 0; sender < size; ++sender) {
    const Neighbours* const own = neighbours_of(sender);
    if (own == nullptr) continue;
    const auto number = static_cast<std::int32_t>(sender);
    std::map<std::int32_t, std::size_t> seen;
    for (std::size_t sent = 0; sent < own->destinations.size(); ++sent) {
      const std::int32_t receiver = own->destinations[sent];
      const Neighbours* const other = neighbours_of(receiver);
      if (other == nullptr || other->is_cartesian != own->is_cartesian) continue;
      if (own->is_cartesian) {
        const std::size_t received = sent ^ 1;
        const bool is_there = received < other->sources.size() && other->sources[received] == number;
        if (is_there) edges.push_back({sender, receiver, sent, received});
        continue;
      }
      const auto& places = sources[static_cast<std::size_t>(receiver)];
      const auto found = places.find(number);
      const std::size_t before = seen[receiver]++;
      if (found == places.end() || before >= found->second.size()) continue;
      edges.push_back({sender, receiver, sent, found->second[before]});
    }
  }
  return edges;
}

}  // namespace ddtscope::reporters
