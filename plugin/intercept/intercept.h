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

[[gnu::cold, gnu::noinline]] inline void forget_freed_type(Session& session, const MPI_Datatype* newtype) {
  session.guarded([&](Registry& registry) { registry.made_by_library(bits_of(*newtype)); });
}

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
    TimedCall timed(session->call_times(), timed_role<Role>);
    const ProgramCall came = program_call(arrival, first_word(values...));
    if (!came.entry) [[unlikely]] {
      timed.leave_out();
      const int status = next(values...);
      if constexpr (std::is_same_v<Role, Makes>) {
        // Through mpi_f08, MPICH makes a type for itself out of a section of an array.
        const auto word = std::get<role.newtype>(std::tie(values...));
        if (status == MPI_SUCCESS) forget_freed_type(*session, static_cast<const MPI_Datatype*>(word));
      }
      return status;
    }
    const auto call_next = [&] {
      const Progress progress({.function = arrival.function, .first_argument = first_word(values...)});
      return timed.around([&] { return next(values...); });
    };
    const auto arguments = [&]<std::size_t... i>(std::index_sequence<i...>) {
      return Arguments(static_cast<std::tuple_element_t<i, Arguments>>(values)...);
    }
    (std::make_index_sequence<sizeof...(values)>{});
    return perform<role>(SeenCall<Arguments>{*session, came, arguments}, call_next);
  }
}

}  // namespace ddtscope::plugin
