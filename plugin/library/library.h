// What differs between the MPI libraries: a folder per library defines these. Everything is found with dlsym when
// MPI starts: the plugin must not need an MPI library in processes that are not MPI (no DT_NEEDED, no undefined MPI
// symbol).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "decoder/definition/definition.h"
#include "plugin/files/file_constants.h"
#include "plugin/library/launched_world.h"
#include "plugin/library/newer_mpi.h"
#include "plugin/registry/library_queries.h"
#include "plugin/uses/op_types.h"
#include "plugin/uses/use_row.h"
#include "reporters/trace/format/error_class.h"

namespace ddtscope::plugin {

/// The registry knows handles by their bits; nothing of mpi.h. A template, so that the branch of the
/// other library is not compiled.
template <class Handle>
HandleBits bits_of(Handle handle) {
  static_assert(std::is_same_v<Handle, MPI_Datatype> || std::is_same_v<Handle, MPI_Comm> ||
                std::is_same_v<Handle, MPI_Op> || std::is_same_v<Handle, MPI_Message>);
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<HandleBits>(handle);
  } else {
    return static_cast<std::uint32_t>(handle);
  }
}

/// The other way round.
template <class Handle>
Handle handle_of(HandleBits bits) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<Handle>(bits);
  } else {
    return static_cast<Handle>(static_cast<std::uint32_t>(bits));
  }
}

/// The binary interface that this plugin was built for, as in its file name: a name of libraries.def.
std::string_view abi_name();
/// Whose the library in this process is: "openmpi" or "mpich".
std::string_view library_name();
/// The binary interface of the library in this process, as abi_name().
std::string_view running_abi();
/// What users call a binary interface: "Open MPI".
std::string_view words_of_abi(std::string_view abi);
/// A loaded module that was linked for another binary interface than this plugin's, and the library that it needs:
/// "module.so needs libmpich.so.12". Empty where there is none.
std::string module_of_other_abi();
bool begins_with_one_of(std::string_view name, std::span<const std::string_view> beginnings);
/// Whether a module's file name is a part of the MPI library, whose frames do not belong to a call site.
bool is_library_module(std::string_view file_name);
/// Whether calls out of such a module are the library's own. Not those of its C++ layer, which passes on what the
/// program calls; nor, but that the wrappers see, those of its Fortran layer.
bool calls_for_itself(std::string_view file_name);

/// Handle of a predefined type by its name in mpi.h; empty where this library has no such type.
std::optional<MPI_Datatype> predefined_handle(std::string_view name);
std::span<const std::string_view> predefined_handle_names();
MPI_Datatype null_datatype();
MPI_Comm world_communicator();
MPI_Comm self_communicator();
MPI_Comm null_communicator();
MPI_Request null_request();
MPI_Info null_info();
MPI_Errhandler errors_return();
/// A predefined operation of reductions by its name in mpi.h; empty where this library has no such one.
std::optional<MPI_Op> predefined_operation(std::string_view name);
/// Those that the library has.
std::vector<PredefinedOp> predefined_operations();
MPI_Message no_message();
LibraryConstants library_constants();
UseConstants use_constants();
FileConstants file_constants();
/// What the library's launcher says in the environment; nothing where processes cannot know it of themselves.
LaunchedWorld launched_world();
/// The combiner that a number returned by MPI_Type_get_envelope stands for.
std::optional<Combiner> combiner_of_value(int value);
/// Puts right what the library in this process is known to get wrong in what MPI_Type_get_contents returns.
void mend_contents(DecodedType& decoded);
/// The error class that a number returned by MPI_Error_class stands for; none for one that the program added.
trace::ErrorClass error_class_of_value(int value);

/// The library's function of this name: the next in line, so that other tools preloaded after this one
/// stay in the chain; else from the library that was loaded with local scope. nullptr where there is none.
void* find_function(const char* name);
/// The library's object of this name, as the program sees it: a program that refers to an object may hold
/// a copy of it (a copy relocation), which the library then uses too. nullptr where there is none.
void* find_object(const char* name);

// The library's functions that the plugin itself calls, by their PMPI names.
#define DDTSCOPE_MPI_FUNCTIONS(X) \
  X(Comm_rank)                    \
  X(Comm_create_keyval)           \
  X(Comm_set_attr)                \
  X(Comm_size)                    \
  X(Comm_test_inter)              \
  X(Comm_remote_size)             \
  X(Comm_get_info)                \
  X(Comm_group)                   \
  X(Comm_remote_group)            \
  X(Group_size)                   \
  X(Group_translate_ranks)        \
  X(Group_free)                   \
  X(Info_get)                     \
  X(Info_free)                    \
  X(Topo_test)                    \
  X(Cartdim_get)                  \
  X(Cart_shift)                   \
  X(Graph_neighbors_count)        \
  X(Graph_neighbors)              \
  X(Dist_graph_neighbors_count)   \
  X(Dist_graph_neighbors)         \
  X(Ibarrier)                     \
  X(Comm_idup)                    \
  X(Comm_get_errhandler)          \
  X(Comm_set_errhandler)          \
  X(Allreduce)                    \
  X(Cancel)                       \
  X(Error_class)                  \
  X(Isend)                        \
  X(Irecv)                        \
  X(Test)                         \
  X(Test_cancelled)               \
  X(Query_thread)                 \
  X(Get_version)                  \
  X(Get_library_version)          \
  X(Type_get_envelope)            \
  X(Type_get_contents)            \
  X(Type_free)                    \
  X(Type_get_name)                \
  X(T_init_thread)                \
  X(T_finalize)                   \
  X(T_cvar_get_num)               \
  X(T_cvar_get_info)              \
  X(T_cvar_handle_alloc)          \
  X(T_cvar_read)                  \
  X(T_cvar_handle_free)
// Those that have another name since MPI-4.0, and may lose their old one.
#define DDTSCOPE_RENAMED_MPI_FUNCTIONS(X) \
  X(Type_size_c, Type_size_x)             \
  X(Type_get_extent_c, Type_get_extent_x) \
  X(Type_get_true_extent_c, Type_get_true_extent_x)
// Those that a library may lack (MPI-4.0).
#define DDTSCOPE_NEWER_MPI_FUNCTIONS(X) \
  X(Type_get_envelope_c)                \
  X(Type_get_contents_c)

// MPI-4.1 deprecates the _x functions, which all libraries have, for the _c ones, which those before MPI-4 lack.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
struct MpiFunctions {
#define DDTSCOPE_MEMBER(name, ...) decltype(&PMPI_##name) name = nullptr;
  DDTSCOPE_MPI_FUNCTIONS(DDTSCOPE_MEMBER)
  DDTSCOPE_RENAMED_MPI_FUNCTIONS(DDTSCOPE_MEMBER)
  DDTSCOPE_NEWER_MPI_FUNCTIONS(DDTSCOPE_MEMBER)
#undef DDTSCOPE_MEMBER
#pragma GCC diagnostic pop
  /// Fills all members; returns the name of the first one that the library lacks, or nullptr. The newer ones stay
  /// nullptr where it lacks them.
  const char* resolve();
};

}  // namespace ddtscope::plugin
