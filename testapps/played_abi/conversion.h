// Between the standard ABI and the library that plays it: handles, numbers, errors, and the arguments of calls.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>

#include "constants.h"

namespace played {

/// The library's function of that name. The library is loaded for this module alone, so that what it calls is its own.
void* native_function(const char* name);

/// A handle of the library that plays: MPICH's are ints.
using NativeHandle = int;
NativeHandle native_handle(std::uintptr_t handle);
std::uintptr_t abi_handle(NativeHandle handle);

/// A constant of that kind; any other number is the same in both.
int native_number(played_kind kind, int number);
int abi_number(played_kind kind, int number);
int native_mode(int mode);

/// What a call of the library returned, as the ABI has it: a class, which is a code, too.
int abi_error(int error);
int native_error(int error);

template <class T>
inline constexpr bool is_handle = false;
template <>
inline constexpr bool is_handle<MPI_Comm> = true;
template <>
inline constexpr bool is_handle<MPI_Datatype> = true;
template <>
inline constexpr bool is_handle<MPI_Errhandler> = true;
template <>
inline constexpr bool is_handle<MPI_Group> = true;
template <>
inline constexpr bool is_handle<MPI_Info> = true;
template <>
inline constexpr bool is_handle<MPI_Message> = true;
template <>
inline constexpr bool is_handle<MPI_Op> = true;
template <>
inline constexpr bool is_handle<MPI_Request> = true;
template <>
inline constexpr bool is_handle<MPI_Session> = true;

template <class Handle>
NativeHandle native_of(Handle handle) {
  return native_handle(reinterpret_cast<std::uintptr_t>(handle));
}
template <class Handle>
Handle abi_of(NativeHandle handle) {
  return reinterpret_cast<Handle>(abi_handle(handle));
}

/// One argument on its way to the library; finish() takes back what the library has put there.
template <class T>
struct Passed {
  T value;
  T native() { return value; }
  void finish() {}
};
template <class T>
requires is_handle<T>
struct Passed<T> {
  T value;
  NativeHandle native() { return native_of(value); }
  void finish() {}
};
template <class T>
requires is_handle<T>
struct Passed<T*> {
  T* value;
  NativeHandle handle = native_of(*value);
  NativeHandle* native() { return &handle; }
  void finish() { *value = abi_of<T>(handle); }
};
template <>
struct Passed<MPI_File> {
  MPI_File value;
  void* native() { return value == MPI_FILE_NULL ? nullptr : value; }
  void finish() {}
};
template <>
struct Passed<MPI_File*> {
  MPI_File* value;
  void* file = *value == MPI_FILE_NULL ? nullptr : *value;
  void** native() { return &file; }
  void finish() { *value = file ? static_cast<MPI_File>(file) : MPI_FILE_NULL; }
};
inline void* const native_in_place = reinterpret_cast<void*>(-1);
template <>
struct Passed<const void*> {
  const void* value;
  const void* native() { return value == MPI_IN_PLACE ? native_in_place : value; }
  void finish() {}
};
template <>
struct Passed<MPI_Status*> {
  MPI_Status* value;
  struct {
    int count[2], source, tag, error;
  } status{};
  void* native() { return value ? static_cast<void*>(&status) : reinterpret_cast<void*>(1); }  // 1: ignored
  void finish() {
    if (!value) return;
    value->MPI_SOURCE = abi_number(played_rank, status.source);
    value->MPI_TAG = abi_number(played_tag, status.tag);
    value->MPI_ERROR = abi_error(status.error);
    std::memcpy(value->MPI_internal, status.count, sizeof status.count);
  }
};
template <>
struct Passed<const MPI_Status*> {
  const MPI_Status* value;
  struct {
    int count[2], source, tag, error;
  } status{};
  void* native() {
    std::memcpy(status.count, value->MPI_internal, sizeof status.count);
    return &status;
  }
  void finish() {}
};

/// Calls the library's function with these arguments, converted by their types.
template <class... Arguments>
int pass(const char* name, Arguments... arguments) {
  return [name](auto... passed) {
    using Function = int (*)(decltype(passed.native())...);
    const auto function = reinterpret_cast<Function>(native_function(name));
    const int error = function(passed.native()...);
    if (error == MPI_SUCCESS) (passed.finish(), ...);
    return abi_error(error);
  }(Passed<Arguments>{arguments}...);
}

}  // namespace played
