// The standard ABI (MPI-5.0 chapter 20), whichever library is behind it: predefined handles are small numbers, all
// others are addresses or what else the library likes.
#include <array>
#include <string>

#include "decoder/definition/array_constants.h"
#include "plugin/library/constant_handles.h"

namespace ddtscope::plugin {
namespace {

/// What the library says of itself: "Open MPI v6.0.0, ...", "MPICH Version: ...".
std::string version_text() {
  const auto get_version =
      reinterpret_cast<decltype(&PMPI_Get_library_version)>(find_function("PMPI_Get_library_version"));
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  return get_version && get_version(text.data(), &length) == MPI_SUCCESS ? text.data() : "";
}

}  // namespace

std::string_view abi_name() { return "mpi_abi"; }

// Others than these two descend from one of them, from MPICH as far as nothing tells otherwise.
std::string_view library_name() {
  static const bool is_open_mpi = [] {
    const std::string version = version_text();
    if (version.find("Open MPI") != std::string::npos) return true;
    return version.find("MPICH") == std::string::npos && find_object("ompi_mpi_comm_world") != nullptr;
  }();
  return is_open_mpi ? "openmpi" : "mpich";
}

bool is_library_module(std::string_view file_name) {
  constexpr std::string_view beginnings[] = {"libmpi_abi", "libopen_mpi.", "libopen-", "mca_", "libmca_"};
  return begins_with_one_of(file_name, beginnings);
}

bool calls_for_itself(std::string_view file_name) { return is_library_module(file_name); }

/// All have a value, whether the library has them or not: of one that it lacks the size is MPI_UNDEFINED.
bool can_be_asked_about(const PredefinedConstant&) { return true; }

// Open MPI 6.0.0rc2 translates the combiner alone (library_bugs.md, ompi-abi-contents). None of its own numbers may
// stand there in the ABI.
void mend_contents(DecodedType& decoded) {
  constexpr LibraryConstants own = {.order_c = 0,
                                    .order_fortran = 1,
                                    .distribute_block = 0,
                                    .distribute_cyclic = 1,
                                    .distribute_none = 2,
                                    .distribute_dflt_darg = -1};
  if (library_name() != "openmpi") return;
  change_array_constants(decoded.combiner, decoded.form, decoded.integers, {own, library_constants()});
}

LaunchedWorld launched_world() { return library_name() == "openmpi" ? launched_by_open_mpi() : LaunchedWorld{}; }

}  // namespace ddtscope::plugin
