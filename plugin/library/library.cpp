// Finding the MPI library's symbols.
#include "plugin/library/library.h"

#include <dlfcn.h>

namespace ddtscope::plugin {

namespace {

void* find(void* scope, const char* name) {
  if (void* symbol = dlsym(scope, name)) return symbol;
  // A library that was opened with local scope (an interpreter's extension) is not in the search order.
  for (const char* soname : library_sonames()) {
    if (void* library = dlopen(soname, RTLD_LAZY | RTLD_NOLOAD)) {
      void* symbol = dlsym(library, name);
      dlclose(library);  // only the reference of this lookup
      if (symbol) return symbol;
    }
  }
  return nullptr;
}

}  // namespace

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

std::optional<Combiner> combiner_of_value(int value) {
  switch (value) {
    case MPI_COMBINER_NAMED:
      return Combiner::named;
    case MPI_COMBINER_DUP:
      return Combiner::dup;
    case MPI_COMBINER_CONTIGUOUS:
      return Combiner::contiguous;
    case MPI_COMBINER_VECTOR:
      return Combiner::vector;
    case MPI_COMBINER_HVECTOR:
      return Combiner::hvector;
    case MPI_COMBINER_INDEXED:
      return Combiner::indexed;
    case MPI_COMBINER_HINDEXED:
      return Combiner::hindexed;
    case MPI_COMBINER_INDEXED_BLOCK:
      return Combiner::indexed_block;
    case MPI_COMBINER_HINDEXED_BLOCK:
      return Combiner::hindexed_block;
    case MPI_COMBINER_STRUCT:
      return Combiner::structure;
    case MPI_COMBINER_SUBARRAY:
      return Combiner::subarray;
    case MPI_COMBINER_DARRAY:
      return Combiner::darray;
    case MPI_COMBINER_F90_REAL:
      return Combiner::f90_real;
    case MPI_COMBINER_F90_COMPLEX:
      return Combiner::f90_complex;
    case MPI_COMBINER_F90_INTEGER:
      return Combiner::f90_integer;
    case MPI_COMBINER_RESIZED:
      return Combiner::resized;
    case MPI_COMBINER_VALUE_INDEX:
      return Combiner::value_index;
    default:
      return std::nullopt;
  }
}

trace::ErrorClass error_class_of_value(int value) {
  std::uint32_t number = 0;
#define DDTSCOPE_ERROR_CLASS(name) \
  ++number;                        \
  if (value == MPI_ERR_##name) return trace::ErrorClass{number};
#include "reporters/trace/error_classes.def"
  return {};
}

}  // namespace ddtscope::plugin
