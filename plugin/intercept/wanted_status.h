// Where a program wants no status of a call (MPI-4.1 3.2.6).
#pragma once

#include <mpi.h>

#include <cstdint>

namespace ddtscope::plugin {

inline const MPI_Status* ignored_status() { return MPI_STATUS_IGNORE; }
inline const MPI_Status* ignored_statuses() { return MPI_STATUSES_IGNORE; }

/// Whether the address of a status, or of an array of them, is the one that says so.
inline bool wants_no_status(std::intptr_t statuses) {
  const auto* const address = reinterpret_cast<const MPI_Status*>(statuses);
  return address == ignored_status() || address == ignored_statuses();
}

/// Whether the library has nothing to fill in there.
inline bool has_no_status(std::intptr_t statuses) { return statuses == 0 || wants_no_status(statuses); }

}  // namespace ddtscope::plugin
