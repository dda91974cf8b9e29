// What the arguments of a function that makes a communicator mean: the positions that a row of communicators.def names.
// Nothing of mpi.h.
#pragma once

#include <cstdint>

namespace ddtscope::plugin {

/// Who calls the function together, and so counts its calls alike.
enum class MadeTogether : std::uint8_t {
  by_parent,  // the processes of the communicator that it is made of (MPI-4.1 7.4.2, 8.5)
  by_members  // those of the new one, which take part in such calls in the same order where tags are equal
};

/// Positions count from 0; -1 where there is none.
struct MakesCommunicator {
  MadeTogether together = MadeTogether::by_parent;
  std::int8_t parent = -1;
  std::int8_t made = -1;        // where the new handle is put
  std::int8_t tag = -1;         // an int
  std::int8_t string_tag = -1;  // a string
  std::int8_t request = -1;     // until it is complete, nobody may ask what the new one is
};

}  // namespace ddtscope::plugin
