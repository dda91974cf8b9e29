// At the end of a world the ranks join their traces over MPI itself, on a communicator of the plugin's own.
#pragma once

#include <mpi.h>

#include <string>
#include <string_view>

#include "plugin/library/library.h"

namespace ddtscope::plugin {

class FinalizeReduce {
 public:
  /// Collective over MPI_COMM_WORLD. `mpi` must outlive it. Waits later until nothing was heard for `patience_s`
  /// seconds. What it needs to tell other ranks that this one cannot take part is reserved now.
  void begin(const MpiFunctions& mpi, int rank, int ranks, int patience_s) noexcept;

  struct Result {
    bool merged = false;      // the merged file stands for this rank's, too
    std::string_view reason;  // else why, as far as this rank knows
  };
  /// Every rank must call it, each once, in MPI_Finalize. `own` is this rank's whole trace, empty where it has none;
  /// rank 0 makes the world's merged file in `folder`.
  Result run(const std::string& own, const std::string& folder) noexcept;

 private:
  struct Member;
  Member* member_ = nullptr;  // none: the ranks agreed that they stay apart
  const char* problem_ = "";
};

}  // namespace ddtscope::plugin
