// What the library says of a communicator, over its own PMPI functions.
#pragma once

#include "plugin/library/library.h"
#include "plugin/uses/communicators.h"

namespace ddtscope::plugin {

class MpiCommunicatorQueries : public CommunicatorQueries {
 public:
  explicit MpiCommunicatorQueries(const MpiFunctions& mpi) : mpi_(mpi) {}
  Communicator describe(HandleBits communicator) override;

 private:
  void find_neighbours(MPI_Comm handle, Communicator& communicator) const;
  void find_cartesian(MPI_Comm handle, Communicator& communicator) const;
  void find_in_graph(MPI_Comm handle, Communicator& communicator) const;
  void find_in_distributed_graph(MPI_Comm handle, Communicator& communicator) const;

  const MpiFunctions& mpi_;
};

}  // namespace ddtscope::plugin
