// MPICH and libraries with its ABI: handles are integers, predefined ones are constants of mpi.h.
#include "plugin/library/constant_handles.h"

namespace ddtscope::plugin {
namespace {

/// Of the library in this process, which may be another one than that of mpi.h.
int standard_version() {
  static const int version = [] {
    const auto get_version = reinterpret_cast<decltype(&PMPI_Get_version)>(find_function("PMPI_Get_version"));
    int major = 0;
    int minor = 0;
    return get_version && get_version(&major, &minor) == MPI_SUCCESS ? major : 0;
  }();
  return version;
}

}  // namespace

std::string_view abi_name() { return "mpich"; }
std::string_view library_name() { return "mpich"; }

bool is_library_module(std::string_view file_name) {
  constexpr std::string_view beginnings[] = {"libmpich", "libmpi.so", "libmpicxx", "libmpifort"};
  return begins_with_one_of(file_name, beginnings);
}

bool calls_for_itself(std::string_view file_name) {
  return is_library_module(file_name) && !file_name.starts_with("libmpichcxx") && !file_name.starts_with("libmpicxx");
}

// A type that this machine lacks is MPI_DATATYPE_NULL in mpi.h. Asked about a handle that it does not have, the library
// ends the job.
bool can_be_asked_about(const PredefinedConstant& constant) {
  return constant.handle != MPI_DATATYPE_NULL && constant.since <= standard_version();
}

/// Hydra's environment does not say who spawned whom.
LaunchedWorld launched_world() { return {}; }

void mend_contents(DecodedType&) {}

}  // namespace ddtscope::plugin
