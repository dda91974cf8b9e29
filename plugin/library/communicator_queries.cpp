#include "plugin/library/communicator_queries.h"

#include <cstddef>

namespace ddtscope::plugin {
namespace {

/// Room of at least one element: some libraries refuse null arrays even for a length of 0.
std::vector<int> ranks(int count) {
  std::vector<int> room;
  room.reserve(static_cast<std::size_t>(count) + 1);
  room.resize(static_cast<std::size_t>(count));
  return room;
}

}  // namespace

Communicator MpiCommunicatorQueries::describe(HandleBits communicator) {
  const auto handle = handle_of<MPI_Comm>(communicator);
  Communicator described;
  int is_inter = 0;
  mpi_.Comm_test_inter(handle, &is_inter);
  mpi_.Comm_rank(handle, &described.rank);
  mpi_.Comm_size(handle, &described.size);
  described.remote_size = described.size;
  described.is_inter = is_inter != 0;
  if (described.is_inter) {
    mpi_.Comm_remote_size(handle, &described.remote_size);
  } else {
    find_neighbours(handle, described);
  }
  return described;
}

void MpiCommunicatorQueries::find_neighbours(MPI_Comm handle, Communicator& communicator) const {
  int topology = MPI_UNDEFINED;
  mpi_.Topo_test(handle, &topology);
  if (topology == MPI_CART) find_cartesian(handle, communicator);
  if (topology == MPI_GRAPH) find_in_graph(handle, communicator);
  if (topology == MPI_DIST_GRAPH) find_in_distributed_graph(handle, communicator);
}

/// The order of the blocks in a buffer: of each dimension the neighbour below, then the one above (MPI-4.1 8.6).
void MpiCommunicatorQueries::find_cartesian(MPI_Comm handle, Communicator& communicator) const {
  int dimensions = 0;
  communicator.is_cartesian = true;
  mpi_.Cartdim_get(handle, &dimensions);
  for (int i = 0; i < dimensions; ++i) {
    int below = MPI_PROC_NULL;
    int above = MPI_PROC_NULL;
    mpi_.Cart_shift(handle, i, 1, &below, &above);
    communicator.sources.insert(communicator.sources.end(), {below, above});
  }
  communicator.destinations = communicator.sources;
}

void MpiCommunicatorQueries::find_in_graph(MPI_Comm handle, Communicator& communicator) const {
  int count = 0;
  mpi_.Graph_neighbors_count(handle, communicator.rank, &count);
  communicator.sources = ranks(count);
  mpi_.Graph_neighbors(handle, communicator.rank, count, communicator.sources.data());
  communicator.destinations = communicator.sources;
}

void MpiCommunicatorQueries::find_in_distributed_graph(MPI_Comm handle, Communicator& communicator) const {
  int sources = 0;
  int destinations = 0;
  int is_weighted = 0;
  mpi_.Dist_graph_neighbors_count(handle, &sources, &destinations, &is_weighted);
  communicator.sources = ranks(sources);
  communicator.destinations = ranks(destinations);
  std::vector<int> source_weights = ranks(sources);
  std::vector<int> destination_weights = ranks(destinations);
  mpi_.Dist_graph_neighbors(handle, sources, communicator.sources.data(), source_weights.data(), destinations,
                            communicator.destinations.data(), destination_weights.data());
}

}  // namespace ddtscope::plugin
