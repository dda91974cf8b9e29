// Whose block meets whose in operations of neighbourhoods (MPI-4.1 8.6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// What one process sends to a neighbour, and that one receives of it.
struct NeighbourEdge {
  std::int64_t sender = 0, receiver = 0;  // ranks of the communicator
  std::size_t sent = 0, received = 0;     // places among the destinations of the one and the sources of the other
};

/// Of all processes that told their neighbours; what goes to or comes from MPI_PROC_NULL is none. Where two processes
/// have several edges, those of a graph pair in order. In a Cartesian topology what goes down in a dimension comes from
/// above, so that in one of a period of 1 or 2, too, a halo arrives on the side that it belongs to.
/// `lines` are by rank of the communicator, null where there is none.
std::vector<NeighbourEdge> neighbour_edges(std::span<const RankCollectives* const> lines);

}  // namespace ddtscope::reporters
