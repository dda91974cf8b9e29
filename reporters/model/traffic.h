// Who sends how much to whom, and on which communicator, with the types that carry it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "decoder/base/exact.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// Of what a sum is.
enum class TrafficBy : std::uint8_t { pair, communicator };

/// What was sent as one type.
struct TypeTraffic {
  std::optional<DefinitionId> type;  // a predefined one, too; empty where nobody knows it, and nothing is sent
  std::uint64_t messages = 0;
  Exact bytes = Exact(0);  // does not fit where the library does not know the type's size
};

struct Traffic {
  Rank source, destination;                                          // of a pair
  PredefinedCommunicator predefined = PredefinedCommunicator::none;  // of a communicator
  std::optional<CommunicatorIndex> made;  // where it is none of them: one of those that are the same
  std::uint64_t messages = 0;
  Exact bytes = Exact(0);
  std::vector<TypeTraffic> types;  // most bytes first
};

/// Of operations that are wanted, by their numbers; most bytes first. Only what is sent counts, received or not.
std::vector<Traffic> traffic_of(const Job& job, TrafficBy by, const std::vector<bool>& wanted);
/// Of all operations.
std::vector<Traffic> traffic_of(const Job& job, TrafficBy by);

}  // namespace ddtscope::reporters
