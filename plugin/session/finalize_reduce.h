// At the end of a world the ranks join their traces over MPI itself, on a communicator of the plugin's own.
#pragma once

#include <mpi.h>

#include <string>
#include <string_view>

#include "plugin/library/library.h"

namespace ddtscope::plugin {

class FinalizeReduce {
 public:
  /// Takes what this rank needs to tell others, in the end, that it cannot take part. False where there is no memory.
  /// `mpi` must outlive it.
  bool reserve(const MpiFunctions& mpi, int rank, int ranks) noexcept;
  /// All ranks have reserved: every one begins. In the end a rank waits until nothing was heard for `patience_s`
  /// seconds.
  void begin(int patience_s) noexcept;
  /// The ranks agreed that they stay apart.
  void give_up(const char* reason) noexcept;

  struct Result {
    bool merged = false;      // the merged file stands for this rank's, too
    std::string_view reason;  // else why, as far as this rank knows
  };
  /// Every rank must call it, each once, in MPI_Finalize. `own` is this rank's whole trace, empty where it has none;
  /// rank 0 makes the world's merged file in `folder`.
  Result run(const std::string& own, const std::string& folder) noexcept;

 private:
  struct Member;
  std::string_view get_communicator();
  Member* member_ = nullptr;  // none: the ranks agreed that they stay apart
  const char* problem_ = "";
};

}  // namespace ddtscope::plugin
