// The tables of the conversion.
#include "conversion.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace played {
namespace {

#define DDTSCOPE_HANDLE(name) reinterpret_cast<std::uintptr_t>(name),
#define DDTSCOPE_NUMBER(kind, name)
const std::uintptr_t abi_handles[] = {
#include "names.def"
};
#undef DDTSCOPE_HANDLE
#undef DDTSCOPE_NUMBER

struct Number {
  played_kind kind;
  int value;
};
#define DDTSCOPE_HANDLE(name)
#define DDTSCOPE_NUMBER(kind, name) {played_##kind, name},
constexpr Number abi_numbers[] = {
#include "names.def"
};

#define DDTSCOPE_ERROR_CLASS(name) MPI_ERR_##name,
constexpr int abi_error_classes[] = {
#include "reporters/trace/format/error_classes.def"
};

constexpr std::uintptr_t first_page = 4096;  // all predefined handles of the ABI are less (MPI-5.0 20.3)

}  // namespace

void* native_function(const char* name) {
  static void* const library = dlopen(DDTSCOPE_NATIVE_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  void* function = library ? dlsym(library, name) : nullptr;
  if (!function) {
    std::fprintf(stderr, "the played library lacks %s\n", name);
    std::abort();
  }
  return function;
}

NativeHandle native_handle(std::uintptr_t handle) {
  for (std::size_t i = 0; handle < first_page && i < std::size(abi_handles); ++i) {
    if (abi_handles[i] == handle) return static_cast<NativeHandle>(played_native_handles[i]);
  }
  return static_cast<NativeHandle>(handle);
}

std::uintptr_t abi_handle(NativeHandle handle) {
  const auto bits = static_cast<unsigned>(handle);
  for (std::size_t i = 0; i < std::size(abi_handles); ++i) {
    if (played_native_handles[i] == bits) return abi_handles[i];
  }
  return bits;
}

int native_number(played_kind kind, int number) {
  for (std::size_t i = 0; i < std::size(abi_numbers); ++i) {
    if (abi_numbers[i].kind == kind && abi_numbers[i].value == number) return played_native_numbers[i];
  }
  return number;
}

int abi_number(played_kind kind, int number) {
  for (std::size_t i = 0; i < std::size(abi_numbers); ++i) {
    if (abi_numbers[i].kind == kind && played_native_numbers[i] == number) return abi_numbers[i].value;
  }
  return number;
}

int native_mode(int mode) {
  int native = 0;
  for (std::size_t i = 0; i < std::size(abi_numbers); ++i) {
    if (abi_numbers[i].kind == played_mode && (mode & abi_numbers[i].value) != 0) native |= played_native_numbers[i];
  }
  return native;
}

int abi_error(int error) {
  if (error == MPI_SUCCESS) return MPI_SUCCESS;
  static const auto error_class = reinterpret_cast<int (*)(int, int*)>(native_function("PMPI_Error_class"));
  int native_class = 0;
  error_class(error, &native_class);
  for (std::size_t i = 0; i < std::size(abi_error_classes); ++i) {
    if (played_native_error_classes[i] == native_class) return abi_error_classes[i];
  }
  return MPI_ERR_UNKNOWN;
}

int native_error(int error) {
  for (std::size_t i = 0; i < std::size(abi_error_classes); ++i) {
    if (abi_error_classes[i] == error) return played_native_error_classes[i];
  }
  return error;
}

}  // namespace played
