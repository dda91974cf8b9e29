// MPICH and libraries with its ABI: handles are integers, predefined ones are constants of mpi.h.
#include <array>

#include "plugin/library/library.h"

namespace ddtscope::plugin {
namespace {

struct PredefinedConstant {
  std::string_view name;
  MPI_Datatype handle;
  int since = 0;  // the version of MPI whose libraries have it
};

#define DDTSCOPE_PREDEFINED(name) \
  { #name, name }
#define DDTSCOPE_PREDEFINED_SINCE(version, name) \
  { #name, name, version }
constexpr PredefinedConstant predefined_constants[] = {
    DDTSCOPE_PREDEFINED(MPI_2DOUBLE_PRECISION),
    DDTSCOPE_PREDEFINED(MPI_2INT),
    DDTSCOPE_PREDEFINED(MPI_2INTEGER),
    DDTSCOPE_PREDEFINED(MPI_2REAL),
    DDTSCOPE_PREDEFINED(MPI_AINT),
    DDTSCOPE_PREDEFINED(MPI_BYTE),
    DDTSCOPE_PREDEFINED(MPI_CHAR),
    DDTSCOPE_PREDEFINED(MPI_CHARACTER),
    DDTSCOPE_PREDEFINED(MPI_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_COMPLEX16),
    DDTSCOPE_PREDEFINED(MPI_COMPLEX32),
    DDTSCOPE_PREDEFINED(MPI_COMPLEX8),
    DDTSCOPE_PREDEFINED(MPI_COUNT),
    DDTSCOPE_PREDEFINED(MPI_CXX_BOOL),
    DDTSCOPE_PREDEFINED(MPI_CXX_DOUBLE_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_CXX_FLOAT_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_CXX_LONG_DOUBLE_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_C_BOOL),
    DDTSCOPE_PREDEFINED(MPI_C_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_C_DOUBLE_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_C_FLOAT_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_C_LONG_DOUBLE_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_DOUBLE),
    DDTSCOPE_PREDEFINED(MPI_DOUBLE_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_DOUBLE_INT),
    DDTSCOPE_PREDEFINED(MPI_DOUBLE_PRECISION),
    DDTSCOPE_PREDEFINED(MPI_FLOAT),
    DDTSCOPE_PREDEFINED(MPI_FLOAT_INT),
    DDTSCOPE_PREDEFINED(MPI_INT),
    DDTSCOPE_PREDEFINED(MPI_INT16_T),
    DDTSCOPE_PREDEFINED(MPI_INT32_T),
    DDTSCOPE_PREDEFINED(MPI_INT64_T),
    DDTSCOPE_PREDEFINED(MPI_INT8_T),
    DDTSCOPE_PREDEFINED(MPI_INTEGER),
    DDTSCOPE_PREDEFINED(MPI_INTEGER1),
    DDTSCOPE_PREDEFINED_SINCE(5, MPI_INTEGER16),
    DDTSCOPE_PREDEFINED(MPI_INTEGER2),
    DDTSCOPE_PREDEFINED(MPI_INTEGER4),
    DDTSCOPE_PREDEFINED(MPI_INTEGER8),
    DDTSCOPE_PREDEFINED(MPI_LB),
    DDTSCOPE_PREDEFINED(MPI_LOGICAL),
    DDTSCOPE_PREDEFINED(MPI_LONG),
    DDTSCOPE_PREDEFINED(MPI_LONG_DOUBLE),
    DDTSCOPE_PREDEFINED(MPI_LONG_DOUBLE_INT),
    DDTSCOPE_PREDEFINED(MPI_LONG_INT),
    DDTSCOPE_PREDEFINED(MPI_LONG_LONG_INT),
    DDTSCOPE_PREDEFINED(MPI_OFFSET),
    DDTSCOPE_PREDEFINED(MPI_PACKED),
    DDTSCOPE_PREDEFINED(MPI_REAL),
    DDTSCOPE_PREDEFINED(MPI_REAL16),
    DDTSCOPE_PREDEFINED(MPI_REAL4),
    DDTSCOPE_PREDEFINED(MPI_REAL8),
    DDTSCOPE_PREDEFINED(MPI_SHORT),
    DDTSCOPE_PREDEFINED(MPI_SHORT_INT),
    DDTSCOPE_PREDEFINED(MPI_SIGNED_CHAR),
    DDTSCOPE_PREDEFINED(MPI_UB),
    DDTSCOPE_PREDEFINED(MPI_UINT16_T),
    DDTSCOPE_PREDEFINED(MPI_UINT32_T),
    DDTSCOPE_PREDEFINED(MPI_UINT64_T),
    DDTSCOPE_PREDEFINED(MPI_UINT8_T),
    DDTSCOPE_PREDEFINED(MPI_UNSIGNED),
    DDTSCOPE_PREDEFINED(MPI_UNSIGNED_CHAR),
    DDTSCOPE_PREDEFINED(MPI_UNSIGNED_LONG),
    DDTSCOPE_PREDEFINED(MPI_UNSIGNED_LONG_LONG),
    DDTSCOPE_PREDEFINED(MPI_UNSIGNED_SHORT),
    DDTSCOPE_PREDEFINED(MPI_WCHAR),
#ifdef MPIX_C_FLOAT16
    DDTSCOPE_PREDEFINED(MPIX_C_FLOAT16),
#endif
#ifdef MPI_LOGICAL1
    DDTSCOPE_PREDEFINED_SINCE(5, MPI_LOGICAL1),
    DDTSCOPE_PREDEFINED_SINCE(5, MPI_LOGICAL2),
    DDTSCOPE_PREDEFINED_SINCE(5, MPI_LOGICAL4),
    DDTSCOPE_PREDEFINED_SINCE(5, MPI_LOGICAL8),
    DDTSCOPE_PREDEFINED_SINCE(5, MPI_LOGICAL16),
#endif
#ifdef MPI_REAL2
    DDTSCOPE_PREDEFINED_SINCE(5, MPI_REAL2),
    DDTSCOPE_PREDEFINED_SINCE(5, MPI_COMPLEX4),
#endif
#ifdef MPIX_BFLOAT16
    DDTSCOPE_PREDEFINED_SINCE(5, MPIX_BFLOAT16),
#endif
};
#undef DDTSCOPE_PREDEFINED
#undef DDTSCOPE_PREDEFINED_SINCE

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
  return file_name.starts_with("libmpich") || file_name.starts_with("libmpi.so") ||
         file_name.starts_with("libmpicxx") || file_name.starts_with("libmpifort");
}

bool calls_for_itself(std::string_view file_name) {
  return is_library_module(file_name) && !file_name.starts_with("libmpichcxx") && !file_name.starts_with("libmpicxx");
}

std::span<const std::string_view> predefined_handle_names() {
  static const auto names = [] {
    std::array<std::string_view, std::size(predefined_constants)> result;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = predefined_constants[i].name;
    return result;
  }();
  return names;
}

std::optional<MPI_Datatype> predefined_handle(std::string_view name) {
  for (const PredefinedConstant& constant : predefined_constants) {
    if (constant.name != name) continue;
    // A type that this machine lacks is MPI_DATATYPE_NULL in mpi.h. Asked about a handle that it does not have, the
    // library ends the job.
    const bool exists = constant.handle != MPI_DATATYPE_NULL && constant.since <= standard_version();
    return exists ? std::optional(constant.handle) : std::nullopt;
  }
  return std::nullopt;
}

MPI_Datatype null_datatype() { return MPI_DATATYPE_NULL; }
MPI_Comm self_communicator() { return MPI_COMM_SELF; }
MPI_Errhandler errors_return() { return MPI_ERRORS_RETURN; }
MPI_Op bitwise_or_operation() { return MPI_BOR; }
MPI_Op no_operation() { return MPI_NO_OP; }
MPI_Message no_message() { return MPI_MESSAGE_NO_PROC; }
MPI_Comm world_communicator() { return MPI_COMM_WORLD; }

/// Hydra's environment does not say who spawned whom.
LaunchedWorld launched_world() { return {}; }

void mend_contents(DecodedType&) {}

}  // namespace ddtscope::plugin
