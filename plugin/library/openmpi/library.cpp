// Open MPI: handles are addresses of exported objects.
#include <array>
#include <atomic>
#include <cstring>

#include "plugin/library/library.h"
#include "plugin/library/predefined_names.h"

namespace ddtscope::plugin {
namespace {

/// Of one that is asked for in calls: looked up once, for dlsym() waits for whoever is in dlopen().
class KnownObject {
 public:
  explicit constexpr KnownObject(const char* symbol) : symbol_(symbol) {}
  void* address() {
    void* address = address_.load(std::memory_order_relaxed);
    if (address == nullptr) address_.store(address = find_object(symbol_), std::memory_order_relaxed);
    return address;
  }

 private:
  const char* symbol_;
  std::atomic<void*> address_{nullptr};
};

struct PredefinedObject {
  std::string_view name;
  const char* symbol;
};

// Name in mpi.h and the object that stands behind it. MPI_LB and MPI_UB are hidden by mpi.h, yet get_contents may
// return them.
constexpr PredefinedObject predefined_objects[] = {
    {"MPI_BYTE", "ompi_mpi_byte"},
    {"MPI_PACKED", "ompi_mpi_packed"},
    {"MPI_CHAR", "ompi_mpi_char"},
    {"MPI_SHORT", "ompi_mpi_short"},
    {"MPI_INT", "ompi_mpi_int"},
    {"MPI_LONG", "ompi_mpi_long"},
    {"MPI_FLOAT", "ompi_mpi_float"},
    {"MPI_DOUBLE", "ompi_mpi_double"},
    {"MPI_LONG_DOUBLE", "ompi_mpi_long_double"},
    {"MPI_UNSIGNED_CHAR", "ompi_mpi_unsigned_char"},
    {"MPI_SIGNED_CHAR", "ompi_mpi_signed_char"},
    {"MPI_UNSIGNED_SHORT", "ompi_mpi_unsigned_short"},
    {"MPI_UNSIGNED_LONG", "ompi_mpi_unsigned_long"},
    {"MPI_UNSIGNED", "ompi_mpi_unsigned"},
    {"MPI_FLOAT_INT", "ompi_mpi_float_int"},
    {"MPI_DOUBLE_INT", "ompi_mpi_double_int"},
    {"MPI_LONG_DOUBLE_INT", "ompi_mpi_longdbl_int"},
    {"MPI_LONG_INT", "ompi_mpi_long_int"},
    {"MPI_SHORT_INT", "ompi_mpi_short_int"},
    {"MPI_2INT", "ompi_mpi_2int"},
    {"MPI_WCHAR", "ompi_mpi_wchar"},
    {"MPI_LONG_LONG_INT", "ompi_mpi_long_long_int"},
    {"MPI_LONG_LONG", "ompi_mpi_long_long_int"},
    {"MPI_UNSIGNED_LONG_LONG", "ompi_mpi_unsigned_long_long"},
    {"MPI_2COMPLEX", "ompi_mpi_2cplex"},
    {"MPI_2DOUBLE_COMPLEX", "ompi_mpi_2dblcplex"},
    {"MPI_CHARACTER", "ompi_mpi_character"},
    {"MPI_LOGICAL", "ompi_mpi_logical"},
    {"MPI_LOGICAL1", "ompi_mpi_logical1"},
    {"MPI_LOGICAL2", "ompi_mpi_logical2"},
    {"MPI_LOGICAL4", "ompi_mpi_logical4"},
    {"MPI_LOGICAL8", "ompi_mpi_logical8"},
    {"MPI_LOGICAL16", "ompi_mpi_logical16"},
    {"MPI_INTEGER", "ompi_mpi_integer"},
    {"MPI_INTEGER1", "ompi_mpi_integer1"},
    {"MPI_INTEGER2", "ompi_mpi_integer2"},
    {"MPI_INTEGER4", "ompi_mpi_integer4"},
    {"MPI_INTEGER8", "ompi_mpi_integer8"},
    {"MPI_INTEGER16", "ompi_mpi_integer16"},
    {"MPI_REAL", "ompi_mpi_real"},
    {"MPI_REAL2", "ompi_mpi_real2"},
    {"MPI_REAL4", "ompi_mpi_real4"},
    {"MPI_REAL8", "ompi_mpi_real8"},
    {"MPI_REAL16", "ompi_mpi_real16"},
    {"MPI_DOUBLE_PRECISION", "ompi_mpi_dblprec"},
    {"MPI_COMPLEX", "ompi_mpi_cplex"},
    {"MPI_COMPLEX4", "ompi_mpi_complex4"},
    {"MPI_COMPLEX8", "ompi_mpi_complex8"},
    {"MPI_COMPLEX16", "ompi_mpi_complex16"},
    {"MPI_COMPLEX32", "ompi_mpi_complex32"},
    {"MPI_DOUBLE_COMPLEX", "ompi_mpi_dblcplex"},
    {"MPI_2REAL", "ompi_mpi_2real"},
    {"MPI_2DOUBLE_PRECISION", "ompi_mpi_2dblprec"},
    {"MPI_2INTEGER", "ompi_mpi_2integer"},
    {"MPI_INT8_T", "ompi_mpi_int8_t"},
    {"MPI_UINT8_T", "ompi_mpi_uint8_t"},
    {"MPI_INT16_T", "ompi_mpi_int16_t"},
    {"MPI_UINT16_T", "ompi_mpi_uint16_t"},
    {"MPI_INT32_T", "ompi_mpi_int32_t"},
    {"MPI_UINT32_T", "ompi_mpi_uint32_t"},
    {"MPI_INT64_T", "ompi_mpi_int64_t"},
    {"MPI_UINT64_T", "ompi_mpi_uint64_t"},
    {"MPI_AINT", "ompi_mpi_aint"},
    {"MPI_OFFSET", "ompi_mpi_offset"},
    {"MPI_C_BOOL", "ompi_mpi_c_bool"},
    {"MPI_C_COMPLEX", "ompi_mpi_c_float_complex"},
    {"MPI_C_FLOAT_COMPLEX", "ompi_mpi_c_float_complex"},
    {"MPI_C_DOUBLE_COMPLEX", "ompi_mpi_c_double_complex"},
    {"MPI_C_LONG_DOUBLE_COMPLEX", "ompi_mpi_c_long_double_complex"},
    {"MPI_CXX_BOOL", "ompi_mpi_cxx_bool"},
    {"MPI_CXX_COMPLEX", "ompi_mpi_cxx_cplex"},
    {"MPI_CXX_FLOAT_COMPLEX", "ompi_mpi_cxx_cplex"},
    {"MPI_CXX_DOUBLE_COMPLEX", "ompi_mpi_cxx_dblcplex"},
    {"MPI_CXX_LONG_DOUBLE_COMPLEX", "ompi_mpi_cxx_ldblcplex"},
    {"MPI_COUNT", "ompi_mpi_count"},
    {"MPI_LB", "ompi_mpi_lb"},
    {"MPI_UB", "ompi_mpi_ub"},
};

}  // namespace

std::string_view abi_name() { return "openmpi"; }
std::string_view library_name() { return "openmpi"; }

bool is_library_module(std::string_view file_name) {
  // A program may have a libmpi_halo.so.
  constexpr std::string_view beginnings[] = {"libmpi.so",    "libmpi_mpifh", "libmpi_usempi", "libmpi_cxx",
                                             "libmpi_java",  "libmpi_ibm",   "libmpi_abi.",   "libopen-",
                                             "libopen_mpi.", "mca_",         "libmca_"};
  return begins_with_one_of(file_name, beginnings);
}

bool calls_for_itself(std::string_view file_name) {
  return is_library_module(file_name) && !file_name.starts_with("libmpi_cxx") && !file_name.starts_with("libmpi_java");
}

std::span<const std::string_view> predefined_handle_names() { return names_in<predefined_objects>(); }

std::optional<MPI_Datatype> predefined_handle(std::string_view name) {
  for (const PredefinedObject& object : predefined_objects) {
    if (object.name != name) continue;
    if (void* address = find_object(object.symbol)) return static_cast<MPI_Datatype>(address);
    return std::nullopt;
  }
  return std::nullopt;
}

MPI_Datatype null_datatype() {
  static constinit KnownObject object("ompi_mpi_datatype_null");
  return static_cast<MPI_Datatype>(object.address());
}
MPI_Comm self_communicator() { return static_cast<MPI_Comm>(find_object("ompi_mpi_comm_self")); }
MPI_Comm null_communicator() {
  static constinit KnownObject object("ompi_mpi_comm_null");
  return static_cast<MPI_Comm>(object.address());
}
MPI_Request null_request() { return static_cast<MPI_Request>(find_object("ompi_request_null")); }
MPI_Info null_info() { return static_cast<MPI_Info>(find_object("ompi_mpi_info_null")); }
MPI_Errhandler errors_return() { return static_cast<MPI_Errhandler>(find_object("ompi_mpi_errors_return")); }

/// "MPI_MAX" is ompi_mpi_op_max. Needs no memory: it is asked where all ranks meet.
std::optional<MPI_Op> predefined_operation(std::string_view name) {
  constexpr std::size_t prefix_length = std::string_view("MPI_").size();
  std::array<char, 32> symbol{"ompi_mpi_op_"};
  char* end = symbol.data() + std::strlen(symbol.data());
  if (name.size() - prefix_length >= static_cast<std::size_t>(symbol.data() + symbol.size() - end)) return std::nullopt;
  for (const char c : name.substr(prefix_length)) *end++ = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  void* const address = find_object(symbol.data());
  return address != nullptr ? std::optional(static_cast<MPI_Op>(address)) : std::nullopt;
}

MPI_Message no_message() {
  static constinit KnownObject object("ompi_message_no_proc");
  return static_cast<MPI_Message>(object.address());
}
MPI_Comm world_communicator() { return static_cast<MPI_Comm>(find_object("ompi_mpi_comm_world")); }

LaunchedWorld launched_world() { return launched_by_open_mpi(); }

void mend_contents(DecodedType&) {}

}  // namespace ddtscope::plugin
