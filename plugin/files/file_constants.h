// The values that a library's mpi.h gives to what files are opened with.
#pragma once

#include <cstdint>
#include <vector>

namespace ddtscope::plugin {

struct FileConstants {
  struct Mode {
    int value;
    const char* name;
  };
  std::vector<Mode> modes = {};
  int read_only = 0, write_only = 0, sequential = 0;  // of the modes
  std::int64_t current_displacement = 0;              // MPI_DISPLACEMENT_CURRENT
};

}  // namespace ddtscope::plugin
