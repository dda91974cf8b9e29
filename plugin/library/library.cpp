// Finding the MPI library's symbols.
#include "plugin/library/library.h"

#include <dlfcn.h>

#include <algorithm>

#include "plugin/library/linked_names.h"

namespace ddtscope::plugin {

namespace {

void* find_in(const char* soname, const char* name) {
  void* library = dlopen(soname, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return nullptr;
  void* symbol = dlsym(library, name);
  dlclose(library);  // only the reference of this lookup
  return symbol;
}

void* find(void* scope, const char* name) {
  if (void* symbol = dlsym(scope, name)) return symbol;
  // A library that was opened with local scope (an interpreter's extension) is not in the search order. One that this
  // plugin is not for must get its calls, too. A layer comes before what it stands on.
  for (const LinkedName& linked : linked_names) {
    if (linked.abi != abi_name() && linked.abi != "mpi_abi") continue;
    if (void* symbol = find_in(linked.soname, name)) return symbol;
  }
  for (const LinkedName& linked : linked_names) {
    if (void* symbol = find_in(linked.soname, name)) return symbol;
  }
  return nullptr;
}

}  // namespace

bool begins_with_one_of(std::string_view name, std::span<const std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

void* find_function(const char* name) { return find(RTLD_NEXT, name); }
void* find_object(const char* name) { return find(RTLD_DEFAULT, name); }

const char* MpiFunctions::resolve() {
#define DDTSCOPE_RESOLVE(function)                                                   \
  function = reinterpret_cast<decltype(function)>(find_function("PMPI_" #function)); \
  if (!function) return "PMPI_" #function;
  DDTSCOPE_MPI_FUNCTIONS(DDTSCOPE_RESOLVE)
#undef DDTSCOPE_RESOLVE
#define DDTSCOPE_RESOLVE(function, old_name)                                                        \
  function = reinterpret_cast<decltype(function)>(find_function("PMPI_" #old_name));                \
  if (!function) function = reinterpret_cast<decltype(function)>(find_function("PMPI_" #function)); \
  if (!function) return "PMPI_" #function;
  DDTSCOPE_RENAMED_MPI_FUNCTIONS(DDTSCOPE_RESOLVE)
#undef DDTSCOPE_RESOLVE
#define DDTSCOPE_RESOLVE(function) function = reinterpret_cast<decltype(function)>(find_function("PMPI_" #function));
  DDTSCOPE_NEWER_MPI_FUNCTIONS(DDTSCOPE_RESOLVE)
#undef DDTSCOPE_RESOLVE
  return nullptr;
}

// The values are constants of mpi.h in both libraries, their numbers differ.
LibraryConstants library_constants() {
  return {.order_c = MPI_ORDER_C,
          .order_fortran = MPI_ORDER_FORTRAN,
          .distribute_block = MPI_DISTRIBUTE_BLOCK,
          .distribute_cyclic = MPI_DISTRIBUTE_CYCLIC,
          .distribute_none = MPI_DISTRIBUTE_NONE,
          .distribute_dflt_darg = MPI_DISTRIBUTE_DFLT_DARG};
}

std::vector<PredefinedOp> predefined_operations() {
  std::vector<PredefinedOp> operations;
#define DDTSCOPE_OPERATION(name, kind)                    \
  if (const auto operation = predefined_operation(#name)) \
    operations.push_back({bits_of(*operation), #name, OpKind::kind});
#include "plugin/library/operations.def"
  return operations;
}

UseConstants use_constants() {
  const std::optional<MPI_Op> no_operation = predefined_operation("MPI_NO_OP");
  return {.in_place = reinterpret_cast<std::intptr_t>(MPI_IN_PLACE),
          .null_process = MPI_PROC_NULL,
          .root = MPI_ROOT,
          .no_op = no_operation ? bits_of(*no_operation) : 0,
          .no_message = bits_of(no_message()),
          .handle_bytes = sizeof(MPI_Datatype)};
}

FileConstants file_constants() {
  return {.modes = {{MPI_MODE_RDONLY, "MPI_MODE_RDONLY"},
                    {MPI_MODE_WRONLY, "MPI_MODE_WRONLY"},
                    {MPI_MODE_RDWR, "MPI_MODE_RDWR"},
                    {MPI_MODE_CREATE, "MPI_MODE_CREATE"},
                    {MPI_MODE_EXCL, "MPI_MODE_EXCL"},
                    {MPI_MODE_APPEND, "MPI_MODE_APPEND"},
                    {MPI_MODE_SEQUENTIAL, "MPI_MODE_SEQUENTIAL"},
                    {MPI_MODE_UNIQUE_OPEN, "MPI_MODE_UNIQUE_OPEN"},
                    {MPI_MODE_DELETE_ON_CLOSE, "MPI_MODE_DELETE_ON_CLOSE"}},
          .read_only = MPI_MODE_RDONLY,
          .write_only = MPI_MODE_WRONLY,
          .sequential = MPI_MODE_SEQUENTIAL,
          .current_displacement = MPI_DISPLACEMENT_CURRENT};
}

namespace {

/// The other way round than one asks, so that the compiler names a combiner that is missing.
int value_of(Combiner combiner) {
  switch (combiner) {
    case Combiner::named:
      return MPI_COMBINER_NAMED;
    case Combiner::dup:
      return MPI_COMBINER_DUP;
    case Combiner::contiguous:
      return MPI_COMBINER_CONTIGUOUS;
    case Combiner::vector:
      return MPI_COMBINER_VECTOR;
    case Combiner::hvector:
      return MPI_COMBINER_HVECTOR;
    case Combiner::indexed:
      return MPI_COMBINER_INDEXED;
    case Combiner::hindexed:
      return MPI_COMBINER_HINDEXED;
    case Combiner::indexed_block:
      return MPI_COMBINER_INDEXED_BLOCK;
    case Combiner::hindexed_block:
      return MPI_COMBINER_HINDEXED_BLOCK;
    case Combiner::structure:
      return MPI_COMBINER_STRUCT;
    case Combiner::subarray:
      return MPI_COMBINER_SUBARRAY;
    case Combiner::darray:
      return MPI_COMBINER_DARRAY;
    case Combiner::f90_real:
      return MPI_COMBINER_F90_REAL;
    case Combiner::f90_complex:
      return MPI_COMBINER_F90_COMPLEX;
    case Combiner::f90_integer:
      return MPI_COMBINER_F90_INTEGER;
    case Combiner::resized:
      return MPI_COMBINER_RESIZED;
    case Combiner::value_index:
      return MPI_COMBINER_VALUE_INDEX;
  }
  return MPI_UNDEFINED;
}

}  // namespace

std::optional<Combiner> combiner_of_value(int value) {
  for (int i = 0; i < combiner_count; ++i) {
    if (value_of(static_cast<Combiner>(i)) == value) return static_cast<Combiner>(i);
  }
  return std::nullopt;
}

trace::ErrorClass error_class_of_value(int value) {
  std::uint32_t number = 0;
#define DDTSCOPE_ERROR_CLASS(name) \
  ++number;                        \
  if (value == MPI_ERR_##name) return trace::ErrorClass{number};
#include "reporters/trace/format/error_classes.def"
  return {};
}

}  // namespace ddtscope::plugin
