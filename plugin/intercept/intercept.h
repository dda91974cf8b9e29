// What a wrapper does with its arguments, by role. A row of calls.def whose positions do not fit the
// function's type is a compile error here.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "plugin/api/free_listeners.h"
#include "plugin/intercept/call_in_progress.h"
#include "plugin/library/library.h"
#include "plugin/registry/registry.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {

// Roles. Positions count from 0; -1 where there is no such argument.
struct Begins {};         // starts MPI
struct Ends {};           // ends MPI
struct BeginsSession {};  // MPI_Session_init
struct EndsSession {};
struct Makes {  // a constructor
  Combiner combiner;
  Form form = Form::int_counts;
  int oldtype = -1;         // one old type
  int second_oldtype = -1;  // and another one
  int oldtypes = -1;        // an array of them
  int newtype;
  int length_scalar = 0;  // which scalar parameter is the length of the arrays
};
struct Commits {};  // datatype is argument 0
struct Frees {};
struct Names {};
struct Observes {  // takes a datatype
  int datatype;
};
struct HandsOut {  // two datatypes, the program's to free
  int first;
  int second;
};
struct Decodes {  // MPI_Type_get_contents
  int datatype;
  int max_datatypes;
  int datatypes;
};

template <class Role>
inline constexpr bool is_lifetime_role = std::is_same_v<Role, Begins> || std::is_same_v<Role, Ends> ||
                                         std::is_same_v<Role, BeginsSession> || std::is_same_v<Role, EndsSession>;

template <class Signature>
struct FunctionTraits;
template <class Result, class... Arguments>
struct FunctionTraits<Result(Arguments...)> {
  using Tuple = std::tuple<Arguments...>;
  static constexpr std::size_t arity = sizeof...(Arguments);
};
template <class Signature, std::size_t i>
using Argument = std::tuple_element_t<i, typename FunctionTraits<Signature>::Tuple>;

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

namespace detail {

template <class T>
IntegerArray integer_array(const T* values, std::int64_t length) {
  static_assert((std::is_integral_v<T> || std::is_pointer_v<T>)&&(sizeof(T) == 4 || sizeof(T) == 8));
  IntegerArray array;
  array.data = values;
  array.length = length > 0 ? static_cast<std::size_t>(length) : 0;
  array.width = sizeof(T);
  return array;
}

/// Puts the parameters of a constructor into a call: integers as scalars, pointers as arrays, in order.
/// In place: a copy of a call that was just written stalls on its small stores.
template <Makes role, class... Arguments>
void describe_call(const std::tuple<Arguments...>& arguments, ConstructorCall& call) {
  call.combiner = role.combiner;
  call.form = role.form;
  constexpr auto is_parameter = [](int i) {
    return i != role.oldtype && i != role.second_oldtype && i != role.oldtypes && i != role.newtype;
  };
  const auto for_each_parameter = [&]<std::size_t... i>(std::index_sequence<i...>, auto visit) {
    const auto one = [&]<int position>(std::integral_constant<int, position>) {
      if constexpr (is_parameter(position)) visit(std::get<position>(arguments));
    };
    (one(std::integral_constant<int, static_cast<int>(i)>{}), ...);
  };
  std::size_t scalar = 0;
  for_each_parameter(std::index_sequence_for<Arguments...>{}, [&](const auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_integral_v<Value>) call.scalars[scalar++] = static_cast<std::int64_t>(value);
  });
  std::size_t array = 0;
  const std::int64_t length = call.scalars[role.length_scalar];
  for_each_parameter(std::index_sequence_for<Arguments...>{}, [&](const auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_pointer_v<Value>) call.arrays[array++] = integer_array(value, length);
  });
}

}  // namespace detail

/// As call_in_progress has it.
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

/// Init and finalize. Some libraries, and tools behind the plugin, reach one by another.
template <class Role, class... PassedArguments>
int intercept_lifetime(int (*next)(PassedArguments...), Function function, PassedArguments... values) {
  const bool is_nested = is_lifetime(call_in_progress.function);
  int status;
  {
    const Progress progress({.function = function});
    status = next(values...);
  }
  if (status != MPI_SUCCESS || is_nested) return status;
  if constexpr (std::is_same_v<Role, Begins>) Session::begin_world();
  if constexpr (std::is_same_v<Role, Ends>) Session::end_world();
  if constexpr (std::is_same_v<Role, BeginsSession>) Session::begin_session();
  if constexpr (std::is_same_v<Role, EndsSession>) Session::end_session();
  return status;
}

/// The wrapper's body: calls the next function in line, then tells the registry what happened.
/// Arguments and result are the program's, untouched.
template <class Signature, auto role, class... PassedArguments>
[[gnu::always_inline]] inline int intercept(int (*next)(PassedArguments...), const Arrival& arrival,
                                            PassedArguments... values) {
  using Role = std::remove_cv_t<decltype(role)>;
  using Arguments = typename FunctionTraits<Signature>::Tuple;
  if constexpr (is_lifetime_role<Role>) {
    return intercept_lifetime<Role>(next, arrival.function, values...);
  } else {
    Session* session = Session::active();
    if (!session) return next(values...);
    const ProgramCall came = program_call(arrival, first_word(values...));
    if (!came.entry) return next(values...);
    const auto call_next = [&] {
      const Progress progress({.function = arrival.function, .first_argument = first_word(values...)});
      return next(values...);
    };
    const auto arguments = [&]<std::size_t... i>(std::index_sequence<i...>) {
      return Arguments(static_cast<std::tuple_element_t<i, Arguments>>(values)...);
    }
    (std::make_index_sequence<sizeof...(values)>{});
    if constexpr (std::is_same_v<Role, Frees>) {
      static_assert(std::is_same_v<std::tuple_element_t<0, Arguments>, MPI_Datatype*>);
      MPI_Datatype* type = std::get<0>(arguments);
      const HandleBits handle = type ? bits_of(*type) : HandleBits{};  // the library sets it to MPI_DATATYPE_NULL
      const Registry::Free free =
          session->guarded([&](Registry& registry) { return type ? registry.begin_free(handle) : Registry::Free{}; });
      // Before the call: afterwards the definition may make room for others.
      const bool is_told = anyone_listens_to_frees();
      const Key key = is_told ? session->guarded([&](Registry& registry) { return registry.key_of(free); }) : 0;
      const int status = call_next();
      const bool lives_on = session->guarded(
          [&](Registry& registry) { return registry.end_free(free, FreeOutcome{status == MPI_SUCCESS}); });
      if (status != MPI_SUCCESS) [[unlikely]]
        session->call_failed(status, came);
      if (is_told && status == MPI_SUCCESS) [[unlikely]] {
        tell_freed({.handle = handle, .key = key, .lives_on = lives_on ? 1 : 0});
      }
      return status;
    } else {
      const int status = call_next();
      if (status != MPI_SUCCESS) [[unlikely]] {
        session->call_failed(status, came);
        return status;
      }
      // What makes handles is recorded with its call site.
      constexpr bool has_site =
          std::is_same_v<Role, Makes> || std::is_same_v<Role, Decodes> || std::is_same_v<Role, HandsOut>;
      std::conditional_t<has_site, Stack, int> stack;
      if constexpr (has_site) session->capture(stack, came);
      session->guarded([&](Registry& registry) {
        if constexpr (std::is_same_v<Role, Makes>) {
          if constexpr (role.oldtype >= 0) {
            static_assert(
                std::is_same_v<std::tuple_element_t<static_cast<std::size_t>(role.oldtype), Arguments>, MPI_Datatype>);
          }
          static_assert(
              std::is_same_v<std::tuple_element_t<static_cast<std::size_t>(role.newtype), Arguments>, MPI_Datatype*>);
          // MPI_Type_get_value_index succeeds where there is no such pair, too.
          if constexpr (role.combiner == Combiner::value_index) {
            if (*std::get<role.newtype>(arguments) == null_datatype()) return;
          }
          ConstructorCall call;
          detail::describe_call<role>(arguments, call);
          std::array<MPI_Datatype, 2> pair;
          const auto oldtypes = [&] {
            if constexpr (role.second_oldtype >= 0) {
              pair = {std::get<static_cast<std::size_t>(role.oldtype)>(arguments),
                      std::get<static_cast<std::size_t>(role.second_oldtype)>(arguments)};
              return detail::integer_array(pair.data(), 2);
            } else if constexpr (role.oldtype >= 0) {
              return detail::integer_array(&std::get<static_cast<std::size_t>(role.oldtype)>(arguments), 1);
            } else if constexpr (role.oldtypes >= 0) {
              return detail::integer_array(std::get<static_cast<std::size_t>(role.oldtypes)>(arguments),
                                           call.scalars[0]);
            } else {
              return IntegerArray();
            }
          };
          registry.created({.call = call,
                            .oldtypes = oldtypes(),
                            .newtype = bits_of(*std::get<static_cast<std::size_t>(role.newtype)>(arguments)),
                            .called = came.entry,
                            .stack = &stack});
        } else if constexpr (std::is_same_v<Role, Commits>) {
          registry.committed(bits_of(*std::get<0>(arguments)));
        } else if constexpr (std::is_same_v<Role, Names>) {
          if (const char* name = std::get<1>(arguments)) registry.named(bits_of(std::get<0>(arguments)), name);
        } else if constexpr (std::is_same_v<Role, Decodes>) {
          registry.decoded(
              {.type = bits_of(std::get<role.datatype>(arguments)),
               .datatypes = detail::integer_array(std::get<role.datatypes>(arguments),
                                                  static_cast<std::int64_t>(std::get<role.max_datatypes>(arguments))),
               .called = came.entry,
               .stack = &stack});
        } else if constexpr (std::is_same_v<Role, HandsOut>) {
          for (const MPI_Datatype* type : {std::get<role.first>(arguments), std::get<role.second>(arguments)}) {
            if (type) registry.adopt_returned(bits_of(*type), *came.entry, stack);
          }
        } else {
          static_assert(std::is_same_v<Role, Observes>);
          const HandleBits handle = bits_of(std::get<role.datatype>(arguments));
          if (registry.knows(handle)) return;
          Stack where;
          session->capture(where, came);
          registry.adopt_used(handle, *came.entry, where);
        }
      });
      return status;
    }
  }
}

}  // namespace ddtscope::plugin
