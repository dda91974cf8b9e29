// A program's calls, told to a registry as the wrappers tell them: for tests.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "plugin/registry/registry.h"

namespace ddtscope::plugin {

inline constexpr HandleBits mpi_int = 0x1001;
inline constexpr HandleBits mpi_double = 0x1002;
inline constexpr EntryPoint type_vector{"MPI_Type_vector", "c"};
inline constexpr EntryPoint type_contents{"MPI_Type_get_contents", "c"};

/// A predefined type of one basic element.
inline PredefinedHandle basic_handle(HandleBits handle, const char* name, std::int64_t size) {
  PredefinedType type;
  type.name = name;
  type.size = type.extent = type.alignment = size;
  return {handle, type};
}

class RegistryCalls {
 public:
  virtual Registry& registry() = 0;

  void make(ConstructorCall& call, HandleBits newtype, HandleBits oldtype, const EntryPoint& called) {
    const std::array<std::int64_t, 1> oldtypes{static_cast<std::int64_t>(oldtype)};
    const Creation creation{.call = call,
                            .oldtypes = IntegerArray(std::span<const std::int64_t>(oldtypes)),
                            .newtype = newtype,
                            .called = &called,
                            .stack = &stack_};
    const bool may_be_recent = call.arrays[0].length == 0 && stack_.is_known();
    const PlainCreation plain{.combiner = call.combiner,
                              .numbers = numbers_of(call),
                              .oldtype = oldtype,
                              .newtype = newtype,
                              .place = {stack_.site, &called}};
    if (!may_be_recent || !registry().created_again(plain)) registry().created(creation);
  }
  void make_vector(HandleBits newtype, std::int64_t count, HandleBits oldtype = mpi_double,
                   const EntryPoint& called = type_vector) {
    ConstructorCall call;
    call.combiner = Combiner::vector;
    call.scalars = {count, 1, 2, 0};
    make(call, newtype, oldtype, called);
  }
  /// Of a type of one oldtype.
  void get_contents(HandleBits type, HandleBits child) {
    const std::array<std::int64_t, 1> children{static_cast<std::int64_t>(child)};
    registry().decoded({.type = type,
                        .datatypes = IntegerArray(std::span<const std::int64_t>(children)),
                        .called = &type_contents,
                        .stack = &stack_});
  }
  void commit(HandleBits handle) { registry().begin_commit(handle); }
  void free(HandleBits handle) { registry().end_free(registry().begin_free(handle), CallOutcome::succeeded); }

 protected:
  ~RegistryCalls() = default;
  Stack stack_;
};

}  // namespace ddtscope::plugin
