// The wrapper's body: whose call it is, the next function in line, and what is recorded of it, by its role. A row of
// calls.def whose positions do not fit the function's type is a compile error here.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <tuple>
#include <utility>

#include "plugin/intercept/arguments.h"
#include "plugin/intercept/call_in_progress.h"
#include "plugin/intercept/judge_calls.h"
#include "plugin/intercept/record_constructors.h"
#include "plugin/intercept/record_lives.h"
#include "plugin/intercept/roles.h"
#include "plugin/intercept/signature.h"
#include "plugin/library/library.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {

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

/// What succeeded is recorded afterwards; roles that need more have a `perform` of their own.
template <auto role, class Call, class Next>
requires requires(const Call& seen) { record<role>(seen); }
[[gnu::always_inline]] inline int perform(const Call& seen, const Next& call_next) {
  if constexpr (requires { judge<role>(seen); }) judge<role>(seen);
  const int status = call_next();
  if (status != MPI_SUCCESS) [[unlikely]] {
    seen.session.call_failed(status, seen.came);
  } else {
    record<role>(seen);
  }
  return status;
}

// What is seldom done gets copies: they themselves can stay in registers as long as nobody has their addresses.
template <auto role, class Arguments>
[[gnu::noinline]] void judge_copy(Session& session, ProgramCall came, Arguments arguments) {
  judge<role>(SeenCall<Arguments>{session, came, arguments});
}
template <auto role, class Arguments>
[[gnu::noinline]] void record_copy(Session& session, ProgramCall came, Arguments arguments) {
  record<role>(SeenCall<Arguments>{session, came, arguments});
}

template <class Signature, class... PassedArguments>
[[gnu::always_inline]] inline auto typed_arguments(PassedArguments... values) {
  using Arguments = typename FunctionTraits<Signature>::Tuple;
  return [&]<std::size_t... i>(std::index_sequence<i...>) __attribute__((always_inline)) {
    return Arguments(static_cast<std::tuple_element_t<i, Arguments>>(values)...);
  }
  (std::index_sequence_for<PassedArguments...>{});
}

[[gnu::cold, gnu::noinline]] inline void forget_freed_type(Session& session, const MPI_Datatype* newtype) {
  session.guarded([&](Registry& registry) { registry.made_by_library(bits_of(*newtype)); });
}

/// What is called quickly: roles whose `call_quickly` leaves nothing to be done, mostly.
template <auto role, class Call, class Next>
concept HasQuickWay = requires(const Call& seen, const Next& call_next) {
  call_quickly<role>(seen, call_next);
};

/// What succeeded is recorded afterwards, too.
template <Makes role, class Call, class Next>
requires requires(const Call& seen) { record_again<role>(seen, DefinitionId{}); }
[[gnu::always_inline]] inline int call_quickly(const Call& seen, const Next& call_next) {
  const DefinitionId predefined = seen.session.predefined(seen.template handle<role.oldtype>());
  const bool is_judged = seen.session.type_call_judge() != nullptr;
  if (is_judged && (detail::has_doubtful_numbers<role>(seen) || !predefined.valid())) [[unlikely]]
    judge_copy<role>(seen.session, ProgramCall(seen.came), typename Call::Arguments(seen.arguments));
  const int status = call_next();
  if (status != MPI_SUCCESS) [[unlikely]] {
    seen.session.call_failed(status, ProgramCall(seen.came));
  } else if (!record_again<role>(seen, predefined)) [[unlikely]] {
    record_copy<role>(seen.session, ProgramCall(seen.came), typename Call::Arguments(seen.arguments));
  }
  return status;
}

/// None of the program's calls.
template <auto role, class... PassedArguments>
[[gnu::noinline]] int pass_foreign(Session& session, int (*next)(PassedArguments...), PassedArguments... values) {
  const int status = next(values...);
  if constexpr (std::is_same_v<std::remove_cv_t<decltype(role)>, Makes>) {
    // Through mpi_f08, MPICH makes a type for itself out of a section of an array.
    const auto word = std::get<role.newtype>(std::tie(values...));
    if (status == MPI_SUCCESS) forget_freed_type(session, static_cast<const MPI_Datatype*>(word));
  }
  return status;
}

/// Any call, however it comes.
template <class Signature, auto role, class... PassedArguments>
[[gnu::noinline]] int intercept_any(Session& session, int (*next)(PassedArguments...), Arrival arrival,
                                    PassedArguments... values) {
  using Role = std::remove_cv_t<decltype(role)>;
  TimedCall timed(session.call_times(), timed_role<Role>);
  const ProgramCall came = program_call(arrival, first_word(values...));
  if (!came.entry) [[unlikely]] {
    timed.leave_out();
    return pass_foreign<role>(session, next, values...);
  }
  const auto call_next = [&] {
    const Progress progress({.function = arrival.function, .first_argument = first_word(values...)});
    return timed.around([&] { return next(values...); });
  };
  const auto arguments = typed_arguments<Signature>(values...);
  return perform<role>(SeenCall<std::remove_const_t<decltype(arguments)>>{session, came, arguments}, call_next);
}

/// Arguments and result are the program's, untouched.
template <class Signature, auto role, class... PassedArguments>
[[gnu::always_inline]] inline int intercept(int (*next)(PassedArguments...), const Arrival& arrival,
                                            PassedArguments... values) {
  using Role = std::remove_cv_t<decltype(role)>;
  if constexpr (is_lifetime_role<Role>) {
    return intercept_lifetime<Role>(next, arrival.function, values...);
  } else {
    Session* const session = Session::active();
    if (!session) return next(values...);
    const auto call_next = [&]() __attribute__((always_inline)) {
      const Progress progress({.function = arrival.function, .first_argument = first_word(values...)});
      return next(values...);
    };
    using Seen = SeenCall<typename FunctionTraits<Signature>::Tuple>;
    if constexpr (HasQuickWay<role, Seen, decltype(call_next)>) {
      if (session->call_times() == nullptr) [[likely]] {
        const ProgramCall came = program_call(arrival, first_word(values...));
        if (!came.entry) [[unlikely]]
          return pass_foreign<role>(*session, next, values...);
        const auto arguments = typed_arguments<Signature>(values...);
        return call_quickly<role>(Seen{*session, came, arguments}, call_next);
      }
    }
    return intercept_any<Signature, role>(*session, next, arrival, values...);
  }
}

}  // namespace ddtscope::plugin
