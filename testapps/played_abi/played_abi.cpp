// FOR TESTS ALONE. A libmpi_abi.so.1 that plays the standard ABI of MPI-5 over an MPICH that has none: the part of it
// that the plugin and the test programs use.
#include <mpi.h>

#include <memory>
#include <vector>

#include "conversion.h"

using namespace played;

#define PARAMETERS_1(A) A a
#define PARAMETERS_2(A, B) A a, B b
#define PARAMETERS_3(A, B, C) A a, B b, C c
#define PARAMETERS_4(A, B, C, D) A a, B b, C c, D d
#define PARAMETERS_5(A, B, C, D, E) A a, B b, C c, D d, E e
#define PARAMETERS_6(A, B, C, D, E, F) A a, B b, C c, D d, E e, F f
#define PARAMETERS_7(A, B, C, D, E, F, G) A a, B b, C c, D d, E e, F f, G g
#define NAMES_1 , a
#define NAMES_2 , a, b
#define NAMES_3 , a, b, c
#define NAMES_4 , a, b, c, d
#define NAMES_5 , a, b, c, d, e
#define NAMES_6 , a, b, c, d, e, f
#define NAMES_7 , a, b, c, d, e, f, g

#ifndef HAS_VALUE_INDEX
#define DDTSCOPE_ABI_NEWER(...)
#endif

extern "C" {
// What is converted by the types of the arguments alone.
#define DDTSCOPE_ABI_FUNCTION(n, result, name, ...) DEFINE_##n(name, __VA_ARGS__)
#define DEFINE(n, name, ...) \
  int PMPI_##name(PARAMETERS_##n(__VA_ARGS__)) { return pass("PMPI_" #name NAMES_##n); }
#define DEFINE_0(name, none) \
  int PMPI_##name(none) { return pass("PMPI_" #name); }
#define DEFINE_1(name, ...) DEFINE(1, name, __VA_ARGS__)
#define DEFINE_2(name, ...) DEFINE(2, name, __VA_ARGS__)
#define DEFINE_3(name, ...) DEFINE(3, name, __VA_ARGS__)
#define DEFINE_4(name, ...) DEFINE(4, name, __VA_ARGS__)
#define DEFINE_5(name, ...) DEFINE(5, name, __VA_ARGS__)
#define DEFINE_6(name, ...) DEFINE(6, name, __VA_ARGS__)
#define DEFINE_7(name, ...) DEFINE(7, name, __VA_ARGS__)
#define DDTSCOPE_ABI_SPECIAL(...)
#define DDTSCOPE_ABI_UNPLAYED(...)
#include "functions.def"
#undef DDTSCOPE_ABI_FUNCTION

int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int error = pass("PMPI_Init_thread", argc, argv, native_number(played_thread_level, required), provided);
  *provided = abi_number(played_thread_level, *provided);
  return error;
}

int PMPI_Query_thread(int* provided) {
  const int error = pass("PMPI_Query_thread", provided);
  *provided = abi_number(played_thread_level, *provided);
  return error;
}

int PMPI_T_init_thread(int required, int* provided) {
  const int error = pass("PMPI_T_init_thread", native_number(played_thread_level, required), provided);
  *provided = abi_number(played_thread_level, *provided);
  return error;
}

int PMPI_T_cvar_get_info(int index, char* name, int* name_length, int* verbosity, MPI_Datatype* type,
                         MPI_T_enum* values, char* description, int* description_length, int* binding, int* scope) {
  *type = MPI_DATATYPE_NULL;
  const int error = pass("PMPI_T_cvar_get_info", index, name, name_length, verbosity, type, values, description,
                         description_length, binding, scope);
  *binding = abi_number(played_binding, *binding);
  return error;
}

// A class is a code, and its own class.
int PMPI_Error_class(int code, int* error_class) {
  *error_class = code;
  return MPI_SUCCESS;
}

double PMPI_Wtime() { return reinterpret_cast<double (*)()>(native_function("PMPI_Wtime"))(); }

int PMPI_Send(const void* buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm) {
  return pass("PMPI_Send", buffer, count, type, native_number(played_rank, target), tag, comm);
}
int PMPI_Isend(const void* buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return pass("PMPI_Isend", buffer, count, type, native_number(played_rank, target), tag, comm, request);
}
int PMPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return pass("PMPI_Irecv", buffer, count, type, native_number(played_rank, source), native_number(played_tag, tag),
              comm, request);
}
int PMPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int target, int out_tag, void* in,
                  int in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status* status) {
  return pass("PMPI_Sendrecv", out, out_count, out_type, native_number(played_rank, target), out_tag, in, in_count,
              in_type, native_number(played_rank, source), native_number(played_tag, in_tag), comm, status);
}

int PMPI_Topo_test(MPI_Comm comm, int* topology) {
  const int error = pass("PMPI_Topo_test", comm, topology);
  *topology = abi_number(played_topology, *topology);
  return error;
}
int PMPI_Cart_shift(MPI_Comm comm, int direction, int displacement, int* source, int* target) {
  const int error = pass("PMPI_Cart_shift", comm, direction, displacement, source, target);
  *source = abi_number(played_rank, *source);
  *target = abi_number(played_rank, *target);
  return error;
}

int PMPI_File_open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file) {
  *file = MPI_FILE_NULL;
  return pass("PMPI_File_open", comm, name, native_mode(mode), info, file);
}
int PMPI_File_seek(MPI_File file, MPI_Offset offset, int whence) {
  return pass("PMPI_File_seek", file, offset, native_number(played_seek, whence));
}

int PMPI_Type_toint(MPI_Datatype type) {
  const auto handle = reinterpret_cast<std::uintptr_t>(type);
  return static_cast<int>(handle);
}
MPI_Datatype PMPI_Type_fromint(int integer) {
  return reinterpret_cast<MPI_Datatype>(static_cast<std::uintptr_t>(static_cast<unsigned>(integer)));
}
}

namespace {

/// A type that the ABI names and the library lacks has no size (MPI-5.0 20.3); asked for it, the library would end the
/// job.
bool is_lacking(MPI_Datatype type) {
  return type != MPI_DATATYPE_NULL && native_of(type) == native_of(MPI_DATATYPE_NULL);
}

template <class Size>
int size_of(const char* name, MPI_Datatype type, Size* size) {
  if (!is_lacking(type)) return pass(name, type, size);
  *size = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

template <class Bound>
int extent_of(const char* name, MPI_Datatype type, Bound* lb, Bound* extent) {
  if (!is_lacking(type)) return pass(name, type, lb, extent);
  *lb = *extent = 0;
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {
int PMPI_Type_size(MPI_Datatype type, int* size) { return size_of("PMPI_Type_size", type, size); }
int PMPI_Type_size_x(MPI_Datatype type, MPI_Count* size) { return size_of("PMPI_Type_size_x", type, size); }
int PMPI_Type_size_c(MPI_Datatype type, MPI_Count* size) { return size_of("PMPI_Type_size_c", type, size); }
#define EXTENT(name, Bound) \
  int PMPI_##name(MPI_Datatype type, Bound* lb, Bound* extent) { return extent_of("PMPI_" #name, type, lb, extent); }
EXTENT(Type_get_extent, MPI_Aint)
EXTENT(Type_get_extent_x, MPI_Count)
EXTENT(Type_get_extent_c, MPI_Count)
EXTENT(Type_get_true_extent, MPI_Aint)
EXTENT(Type_get_true_extent_x, MPI_Count)
EXTENT(Type_get_true_extent_c, MPI_Count)
}

namespace {

template <class Count>
std::vector<NativeHandle> native_types(const MPI_Datatype* types, Count count) {
  std::vector<NativeHandle> natives;
  for (Count i = 0; i < count; ++i) natives.push_back(native_of(types[i]));
  return natives;
}

std::vector<int> native_values(played_kind kind, const int* values, int count) {
  std::vector<int> natives;
  for (int i = 0; i < count; ++i) natives.push_back(native_number(kind, values[i]));
  return natives;
}

/// Those among the integers of subarrays and darrays (MPI-5.0 5.1.13).
void convert_integers(int combiner, bool large, int* integers, MPI_Count count) {
  if (combiner != MPI_COMBINER_SUBARRAY && combiner != MPI_COMBINER_DARRAY) return;
  if (combiner == MPI_COMBINER_DARRAY) {
    const int dimensions = integers[2];
    int* distributions = integers + 3 + (large ? 0 : dimensions);
    for (int i = 0; i < dimensions; ++i) {
      distributions[i] = abi_number(played_distribution, distributions[i]);
      distributions[dimensions + i] = abi_number(played_distribution_argument, distributions[dimensions + i]);
    }
  }
  integers[count - 1] = abi_number(played_order, integers[count - 1]);
}

void convert_types(const std::vector<NativeHandle>& natives, MPI_Datatype* types) {
  for (std::size_t i = 0; i < natives.size(); ++i) types[i] = abi_of<MPI_Datatype>(natives[i]);
}

}  // namespace

extern "C" {
int PMPI_Type_create_struct(int count, const int* lengths, const MPI_Aint* displacements, const MPI_Datatype* types,
                            MPI_Datatype* newtype) {
  const std::vector<NativeHandle> natives = native_types(types, count);
  return pass("PMPI_Type_create_struct", count, lengths, displacements, natives.data(), newtype);
}
int PMPI_Type_create_struct_c(MPI_Count count, const MPI_Count* lengths, const MPI_Count* displacements,
                              const MPI_Datatype* types, MPI_Datatype* newtype) {
  const std::vector<NativeHandle> natives = native_types(types, count);
  return pass("PMPI_Type_create_struct_c", count, lengths, displacements, natives.data(), newtype);
}

#define SUBARRAY(name, Count)                                                                                    \
  int PMPI_##name(int dimensions, const Count* sizes, const Count* subsizes, const Count* starts, int order,     \
                  MPI_Datatype oldtype, MPI_Datatype* newtype) {                                                 \
    return pass("PMPI_" #name, dimensions, sizes, subsizes, starts, native_number(played_order, order), oldtype, \
                newtype);                                                                                        \
  }
SUBARRAY(Type_create_subarray, int)
SUBARRAY(Type_create_subarray_c, MPI_Count)

#define DARRAY(name, Count)                                                                             \
  int PMPI_##name(int size, int rank, int dimensions, const Count* sizes, const int* distributions,     \
                  const int* arguments, const int* processes, int order, MPI_Datatype oldtype,          \
                  MPI_Datatype* newtype) {                                                              \
    const std::vector<int> kinds = native_values(played_distribution, distributions, dimensions);       \
    const std::vector<int> values = native_values(played_distribution_argument, arguments, dimensions); \
    return pass("PMPI_" #name, size, rank, dimensions, sizes, kinds.data(), values.data(), processes,   \
                native_number(played_order, order), oldtype, newtype);                                  \
  }
DARRAY(Type_create_darray, int)
DARRAY(Type_create_darray_c, MPI_Count)

int PMPI_Type_get_envelope(MPI_Datatype type, int* integers, int* addresses, int* types, int* combiner) {
  const int error = pass("PMPI_Type_get_envelope", type, integers, addresses, types, combiner);
  if (error == MPI_SUCCESS) *combiner = abi_number(played_combiner, *combiner);
  return error;
}
int PMPI_Type_get_envelope_c(MPI_Datatype type, MPI_Count* integers, MPI_Count* addresses, MPI_Count* counts,
                             MPI_Count* types, int* combiner) {
  const int error = pass("PMPI_Type_get_envelope_c", type, integers, addresses, counts, types, combiner);
  if (error == MPI_SUCCESS) *combiner = abi_number(played_combiner, *combiner);
  return error;
}

int PMPI_Type_get_contents(MPI_Datatype type, int most_integers, int most_addresses, int most_types, int* integers,
                           MPI_Aint* addresses, MPI_Datatype* types) {
  int number_of_integers = 0, number_of_addresses = 0, number_of_types = 0, combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope(type, &number_of_integers, &number_of_addresses, &number_of_types, &combiner);
  std::vector<NativeHandle> natives(static_cast<std::size_t>(number_of_types));
  const int error = pass("PMPI_Type_get_contents", type, most_integers, most_addresses, most_types, integers, addresses,
                         natives.data());
  if (error != MPI_SUCCESS) return error;
  convert_types(natives, types);
  convert_integers(combiner, false, integers, number_of_integers);
  return error;
}
int PMPI_Type_get_contents_c(MPI_Datatype type, MPI_Count most_integers, MPI_Count most_addresses,
                             MPI_Count most_counts, MPI_Count most_types, int* integers, MPI_Aint* addresses,
                             MPI_Count* counts, MPI_Datatype* types) {
  MPI_Count number_of_integers = 0, number_of_addresses = 0, number_of_counts = 0, number_of_types = 0;
  int combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope_c(type, &number_of_integers, &number_of_addresses, &number_of_counts, &number_of_types,
                           &combiner);
  std::vector<NativeHandle> natives(static_cast<std::size_t>(number_of_types));
  const int error = pass("PMPI_Type_get_contents_c", type, most_integers, most_addresses, most_counts, most_types,
                         integers, addresses, counts, natives.data());
  if (error != MPI_SUCCESS) return error;
  convert_types(natives, types);
  convert_integers(combiner, number_of_counts > 0, integers, number_of_integers);
  return error;
}
}

namespace {

/// A program's callbacks for a keyval, and what it wants to be told. Kept until the process ends: MPI_Finalize calls
/// them.
template <class Handle>
struct Callbacks {
  int (*copy)(Handle, int, void*, void*, void*, int*);
  int (*release)(Handle, int, void*, void*);
  void* extra;
};

template <class Handle>
int copied(NativeHandle handle, int keyval, void* data, void* value, void* copy, int* flag) {
  const auto& callbacks = *static_cast<Callbacks<Handle>*>(data);
  *flag = 0;
  if (!callbacks.copy) return MPI_SUCCESS;
  if (callbacks.copy == reinterpret_cast<decltype(callbacks.copy)>(MPI_COMM_DUP_FN)) {
    *static_cast<void**>(copy) = value;
    *flag = 1;
    return MPI_SUCCESS;
  }
  return native_error(callbacks.copy(abi_of<Handle>(handle), keyval, callbacks.extra, value, copy, flag));
}

template <class Handle>
int released(NativeHandle handle, int keyval, void* value, void* data) {
  const auto& callbacks = *static_cast<Callbacks<Handle>*>(data);
  if (!callbacks.release) return MPI_SUCCESS;
  return native_error(callbacks.release(abi_of<Handle>(handle), keyval, value, callbacks.extra));
}

template <class Handle, class Copy, class Release>
int create_keyval(const char* name, Copy* copy, Release* release, int* keyval, void* extra) {
  static std::vector<std::unique_ptr<Callbacks<Handle>>>& kept = *new std::vector<std::unique_ptr<Callbacks<Handle>>>;
  kept.push_back(std::make_unique<Callbacks<Handle>>(Callbacks<Handle>{copy, release, extra}));
  void* data = kept.back().get();
  return pass(name, &copied<Handle>, &released<Handle>, keyval, data);
}

}  // namespace

extern "C" {
int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* release, int* keyval,
                            void* extra) {
  return create_keyval<MPI_Comm>("PMPI_Comm_create_keyval", copy, release, keyval, extra);
}
int PMPI_Type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* release, int* keyval,
                            void* extra) {
  return create_keyval<MPI_Datatype>("PMPI_Type_create_keyval", copy, release, keyval, extra);
}

// The MPI_ names are the same functions.
#define DDTSCOPE_ABI_FUNCTION(n, result, name, ...) \
  __attribute__((weak, alias("PMPI_" #name))) result MPI_##name(__VA_ARGS__);
#ifndef HAS_VALUE_INDEX
#define DDTSCOPE_ABI_NEWER(...)
#endif
#define DDTSCOPE_ABI_UNPLAYED(...)
#include "functions.def"
}
