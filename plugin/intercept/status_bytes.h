// How many bytes a status tells of, where the program has asked for one (MPI-4.1 3.2.5).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include "plugin/intercept/wanted_status.h"
#include "plugin/library/library.h"

namespace ddtscope::plugin {

/// Of the status at an address that the program gave, which the library has filled in; none where it gave none. Without
/// the registry's lock: the library is asked.
inline std::optional<std::uint64_t> bytes_told_by(std::intptr_t address) {
  using Elements = int(const MPI_Status*, MPI_Datatype, MPI_Count*);
  static Elements* const elements = reinterpret_cast<Elements*>(find_function("PMPI_Get_elements_x"));
  static const std::optional<MPI_Datatype> byte = predefined_handle("MPI_BYTE");
  if (has_no_status(address) || elements == nullptr || !byte) return std::nullopt;
  MPI_Count count = 0;
  if (elements(reinterpret_cast<const MPI_Status*>(address), *byte, &count) != MPI_SUCCESS || count < 0)
    return std::nullopt;
  return static_cast<std::uint64_t>(count);
}

}  // namespace ddtscope::plugin
