// The standard ABI (MPI-5.0 chapter 20), whichever library is behind it: predefined handles are small numbers, all
// others are addresses or what else the library likes.
#include <algorithm>
#include <array>
#include <string>

#include "decoder/definition/array_constants.h"
#include "plugin/library/library.h"

namespace ddtscope::plugin {
namespace {

struct PredefinedConstant {
  std::string_view name;
  MPI_Datatype handle;
};

#define DDTSCOPE_PREDEFINED(name) \
  { #name, name }
// All have a value, whether the library has them or not: of one that it lacks the size is MPI_UNDEFINED.
const PredefinedConstant predefined_constants[] = {
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
    DDTSCOPE_PREDEFINED(MPI_COMPLEX4),
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
    DDTSCOPE_PREDEFINED(MPI_INTEGER16),
    DDTSCOPE_PREDEFINED(MPI_INTEGER2),
    DDTSCOPE_PREDEFINED(MPI_INTEGER4),
    DDTSCOPE_PREDEFINED(MPI_INTEGER8),
    DDTSCOPE_PREDEFINED(MPI_LOGICAL),
    DDTSCOPE_PREDEFINED(MPI_LOGICAL1),
    DDTSCOPE_PREDEFINED(MPI_LOGICAL16),
    DDTSCOPE_PREDEFINED(MPI_LOGICAL2),
    DDTSCOPE_PREDEFINED(MPI_LOGICAL4),
    DDTSCOPE_PREDEFINED(MPI_LOGICAL8),
    DDTSCOPE_PREDEFINED(MPI_LONG),
    DDTSCOPE_PREDEFINED(MPI_LONG_DOUBLE),
    DDTSCOPE_PREDEFINED(MPI_LONG_DOUBLE_INT),
    DDTSCOPE_PREDEFINED(MPI_LONG_INT),
    DDTSCOPE_PREDEFINED(MPI_LONG_LONG_INT),
    DDTSCOPE_PREDEFINED(MPI_OFFSET),
    DDTSCOPE_PREDEFINED(MPI_PACKED),
    DDTSCOPE_PREDEFINED(MPI_REAL),
    DDTSCOPE_PREDEFINED(MPI_REAL16),
    DDTSCOPE_PREDEFINED(MPI_REAL2),
    DDTSCOPE_PREDEFINED(MPI_REAL4),
    DDTSCOPE_PREDEFINED(MPI_REAL8),
    DDTSCOPE_PREDEFINED(MPI_SHORT),
    DDTSCOPE_PREDEFINED(MPI_SHORT_INT),
    DDTSCOPE_PREDEFINED(MPI_SIGNED_CHAR),
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
};
#undef DDTSCOPE_PREDEFINED

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
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](std::string_view beginning) { return file_name.starts_with(beginning); });
}

bool calls_for_itself(std::string_view file_name) { return is_library_module(file_name); }

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
    if (constant.name == name) return constant.handle;
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
