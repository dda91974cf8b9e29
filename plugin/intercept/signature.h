// The parameters of a wrapped function, deduced from the type that mpi.h gives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ddtscope::plugin {

template <class Signature>
struct FunctionTraits;
template <class Result, class... Arguments>
struct FunctionTraits<Result(Arguments...)> {
  using Tuple = std::tuple<Arguments...>;
  static constexpr std::size_t arity = sizeof...(Arguments);
};
template <class Signature, std::size_t i>
using Argument = std::tuple_element_t<i, typename FunctionTraits<Signature>::Tuple>;

/// Whether the parameter at the position, if there is one, has this type.
template <class Signature, class Wanted>
constexpr bool is_at(int position) {
  using Arguments = typename FunctionTraits<Signature>::Tuple;
  return position < 0 || []<std::size_t... i>(int at, std::index_sequence<i...>) {
    return ((static_cast<int>(i) == at && std::is_same_v<std::tuple_element_t<i, Arguments>, Wanted>) || ...);
  }
  (position, std::make_index_sequence<std::tuple_size_v<Arguments>>{});
}

/// How an argument goes through a wrapper: integers by the whole register. MPICH's handles are ints, Open
/// MPI's are pointers: preloaded into a program of the other library by mistake, a plugin must still pass
/// on what it was given. Holds where an int argument takes a whole register or stack slot: x86-64, AArch64, POWER,
/// RISC-V.
template <class T>
using Passed = std::conditional_t<std::is_integral_v<T>, std::intptr_t, T>;
template <class Signature>
struct PassedFunctionOf;
template <class... Arguments>
struct PassedFunctionOf<int(Arguments...)> {
  using Type = int(Passed<Arguments>...);
};
template <class Signature>
using PassedFunction = typename PassedFunctionOf<Signature>::Type;

/// The bits of a call's first argument, a number or an address: by it the layers of one call are recognised.
template <class... Values>
std::intptr_t first_word(Values... values) {
  if constexpr (sizeof...(Values) == 0) {
    return 0;
  } else {
    const auto first = std::get<0>(std::tuple(values...));
    if constexpr (std::is_pointer_v<decltype(first)>) {
      return reinterpret_cast<std::intptr_t>(first);
    } else {
      return first;
    }
  }
}

}  // namespace ddtscope::plugin
