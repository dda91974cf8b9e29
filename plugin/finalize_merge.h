// At the end of a world the ranks join their traces over MPI itself, on a communicator of the plugin's own.
#pragma once

#include <mpi.h>

#include <string>

#include "plugin/library.h"

namespace ddtscope::plugin {

class FinalizeMerge {
 public:
  /// Collective over MPI_COMM_WORLD. `mpi` must outlive it.
  FinalizeMerge(const MpiFunctions& mpi, int rank, int ranks);

  struct Files {
    std::string own;     // this rank's whole trace; empty where it has none
    std::string merged;  // to be made by rank 0
  };
  struct Result {
    bool merged = false;  // the merged file stands for this rank's, too
    std::string reason;   // else why, as far as this rank knows
  };
  /// Every rank must call it, each once, in MPI_Finalize. Waits until nothing was heard for `patience_s` seconds.
  Result run(const Files& files, double patience_s) noexcept;

 private:
  const MpiFunctions& mpi_;
  const int rank_, ranks_;
  MPI_Comm communicator_{};
  bool is_ready_ = false;
};

}  // namespace ddtscope::plugin
