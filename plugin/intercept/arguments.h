// A call of the program's as its wrapper sees it, and its arguments as the registry takes them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "decoder/definition/definition.h"
#include "plugin/call/program_call.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {

/// What a wrapper knows of a call of the program's. Arguments by reference: a copy of what was just written stalls.
template <class Tuple>
struct SeenCall {
  using Arguments = Tuple;
  Session& session;
  const ProgramCall& came;
  const Tuple& arguments;

  template <int position>
  const auto& at() const {
    return std::get<static_cast<std::size_t>(position)>(arguments);
  }
  template <int position>
  HandleBits handle() const {
    return bits_of(at<position>());
  }
};

template <class Call, int position>
using ArgumentOf = std::tuple_element_t<static_cast<std::size_t>(position), typename Call::Arguments>;

template <class T>
IntegerArray integer_array(const T* values, std::int64_t length) {
  static_assert((std::is_integral_v<T> || std::is_pointer_v<T>)&&(sizeof(T) == 4 || sizeof(T) == 8));
  IntegerArray array;
  array.data = values;
  array.length = length > 0 ? static_cast<std::size_t>(length) : 0;
  array.width = sizeof(T);
  return array;
}

}  // namespace ddtscope::plugin
