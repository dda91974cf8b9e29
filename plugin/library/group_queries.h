// Who is in a communicator, over the library's own PMPI functions.
#pragma once

#include "plugin/library/library.h"
#include "plugin/messages/named_communicators.h"

namespace ddtscope::plugin {

/// Of a process that has an MPI_COMM_WORLD.
class MpiGroupQueries : public GroupQueries {
 public:
  explicit MpiGroupQueries(const MpiFunctions& mpi) : mpi_(mpi) {}
  CommunicatorGroups groups_of(HandleBits communicator) override;
  int process_of(HandleBits communicator, int rank) override;
  bool allows_overtaking(HandleBits communicator) override;
  std::optional<AccumulateOrdering> accumulate_ordering(HandleBits info) override;
  std::optional<std::vector<int>> processes_of_group(HandleBits group) override;

 private:
  int size_of(MPI_Group group) const;
  bool find_ranks(MPI_Group group, int size, MPI_Group world, std::vector<int>& ranks) const;

  const MpiFunctions& mpi_;
};

}  // namespace ddtscope::plugin
