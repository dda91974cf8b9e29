// What is recorded of the calls that give datatypes to the program: constructors, decoding, and what the library hands
// out.
#pragma once

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

#include "plugin/intercept/arguments.h"
#include "plugin/intercept/roles.h"

namespace ddtscope::plugin {

namespace detail {

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

/// Whether a constructor takes one old type and numbers.
template <Makes role, class... Arguments>
constexpr bool has_numbers_alone(const std::tuple<Arguments...>*) {
  int position = 0;
  const auto is_array = [&]<class Argument>(std::type_identity<Argument>) {
    const int at = position++;
    return std::is_pointer_v<Argument> && at != role.oldtype && at != role.newtype;
  };
  return role.oldtype >= 0 && role.second_oldtype < 0 && !(is_array(std::type_identity<Arguments>()) || ...);
}

/// The numbers of such a call, in order.
template <Makes role, class... Arguments>
[[gnu::always_inline]] inline CallNumbers numbers_of(const std::tuple<Arguments...>& arguments) {
  static_assert(sizeof...(Arguments) <= std::tuple_size_v<CallNumbers> + 2);  // and two handles
  CallNumbers numbers = {};
  std::size_t number = 0;
  const auto take = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) __attribute__((always_inline)) {
    // MPICH's handles are integers, too.
    constexpr bool is_number = static_cast<int>(i) != role.oldtype && static_cast<int>(i) != role.newtype;
    if constexpr (is_number) numbers[number++] = static_cast<std::int64_t>(std::get<i>(arguments));
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) __attribute__((always_inline)) {
    (take(std::integral_constant<std::size_t, i>{}), ...);
  }
  (std::index_sequence_for<Arguments...>{});
  return numbers;
}

/// The handles of a constructor's old types; `pair` is where two of them are put side by side.
template <Makes role, class Call>
[[gnu::always_inline]] inline IntegerArray oldtypes_of(const Call& call, std::int64_t count,
                                                       std::array<MPI_Datatype, 2>& pair) {
  if constexpr (role.second_oldtype >= 0) {
    pair = {call.template at<role.oldtype>(), call.template at<role.second_oldtype>()};
    return integer_array(pair.data(), 2);
  } else if constexpr (role.oldtype >= 0) {
    static_assert(std::is_same_v<ArgumentOf<Call, role.oldtype>, MPI_Datatype>);
    return integer_array(&call.template at<role.oldtype>(), 1);
  } else if constexpr (role.oldtypes >= 0) {
    return integer_array(call.template at<role.oldtypes>(), count);
  } else {
    return IntegerArray();
  }
}

}  // namespace detail

/// What most constructor calls come to, in few words that stay in registers: false where record() has it all to do.
/// `predefined`, where it is valid, is what the oldtype's handle stands for.
template <Makes role, class Call>
requires(detail::has_numbers_alone<role>(static_cast<const typename Call::Arguments*>(nullptr)))
    [[gnu::always_inline]] inline bool record_again(const Call& seen, DefinitionId predefined) {
  CallSiteId site;
  if (!seen.session.recall(seen.came.caller, site)) [[unlikely]]
    site = seen.session.take_site(ProgramCall(seen.came));
  const PlainCreation creation{.combiner = role.combiner,
                               .numbers = detail::numbers_of<role>(seen.arguments),
                               .oldtype = seen.template handle<role.oldtype>(),
                               .predefined = predefined,
                               .newtype = bits_of(*seen.template at<role.newtype>()),
                               .place = {site, seen.came.entry}};
  return seen.session.guarded([&](Registry & registry)
                                  __attribute__((always_inline)) { return registry.created_again(creation); });
}

template <Makes role, class Call>
[[gnu::always_inline]] inline void record(const Call& seen) {
  static_assert(std::is_same_v<ArgumentOf<Call, role.newtype>, MPI_Datatype*>);
  // MPI_Type_get_value_index succeeds where there is no such pair, too.
  if constexpr (role.combiner == Combiner::value_index) {
    if (*seen.template at<role.newtype>() == null_datatype()) return;
  }
  Stack stack;
  seen.session.capture(stack, seen.came);
  ConstructorCall call;
  detail::describe_call<role>(seen.arguments, call);
  std::array<MPI_Datatype, 2> pair;
  const Creation creation{.call = call,
                          .oldtypes = detail::oldtypes_of<role>(seen, call.scalars[0], pair),
                          .newtype = bits_of(*seen.template at<role.newtype>()),
                          .called = seen.came.entry,
                          .stack = &stack};
  seen.session.guarded([&](Registry& registry) { registry.created(creation); });
}

template <Decodes role, class Call>
[[gnu::always_inline]] inline void record(const Call& seen) {
  Stack stack;
  seen.session.capture(stack, seen.came);
  const auto length = static_cast<std::int64_t>(seen.template at<role.max_datatypes>());
  seen.session.guarded([&](Registry& registry) {
    registry.decoded({.type = seen.template handle<role.datatype>(),
                      .datatypes = integer_array(seen.template at<role.datatypes>(), length),
                      .called = seen.came.entry,
                      .stack = &stack});
  });
}

template <HandsOut role, class Call>
[[gnu::always_inline]] inline void record(const Call& seen) {
  Stack stack;
  seen.session.capture(stack, seen.came);
  seen.session.guarded([&](Registry& registry) {
    for (const MPI_Datatype* type : {seen.template at<role.first>(), seen.template at<role.second>()}) {
      if (type) registry.adopt_returned(bits_of(*type), *seen.came.entry, stack);
    }
  });
}

template <Observes role, class Call>
[[gnu::always_inline]] inline void record(const Call& seen) {
  seen.session.guarded([&](Registry& registry) {
    const HandleBits handle = seen.template handle<role.datatype>();
    if (registry.knows(handle)) return;
    Stack where;
    seen.session.capture(where, seen.came);
    registry.adopt_used(handle, *seen.came.entry, where);
  });
}

}  // namespace ddtscope::plugin
