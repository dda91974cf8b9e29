// What is recorded of the calls that use datatypes: before the library gets them, and after.
#pragma once

#include <cstdint>

#include "plugin/intercept/call_in_progress.h"
#include "plugin/intercept/record_pending.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {

using Word = std::intptr_t;

/// A wrapper of a name of a function that uses types.
struct UsingFunction {
  EntryPoint entry;
  Function function;
  bool is_profiling_name;
  const UseRow& row;
};

/// Arguments and result are the program's, untouched. There is one for each number of arguments, which all wrappers
/// share: of five hundred copies nobody would be the faster.
template <class... Words>
[[gnu::noinline]] int call_with_uses(const UsingFunction& function, const ReturnPlace& place, int (*next)(Words...),
                                     Words... words) {
  Session* session = Session::active();
  UseCounters* const counting = session ? session->uses() : nullptr;  // another thread may stop it
  if (counting == nullptr) return next(words...);
  TimedCall timed(session->call_times(), TimedRole::uses);
  const Word arguments[] = {words...};
  const ProgramCall came =
      program_call({function.entry, function.function, function.is_profiling_name, place}, arguments[0]);
  if (!came.entry) {
    timed.leave_out();
    return next(words...);
  }
  UseCounters& uses = *counting;
  Stack stack;
  session->capture(stack, came);
  const UsingCall call{{function.row, arguments}, came.entry, &stack};
  PlainUse plain;
  const UseCounters::Known known = session->guarded([&](Registry&) { return uses.begin(call, plain); });
  auto seen = PendingCalls::Seen::all;
  if (session->pending()->concerns(function.row)) {
    seen = session->guarded([&](Registry&) { return session->pending()->before(call, plain); });
  }
  const bool is_of_nobody = is_of_no_message(function.row, arguments);
  int status;
  {
    const Progress progress({.function = function.function, .first_argument = arguments[0]});
    status = timed.around([&] { return next(words...); });
  }
  if (status != MPI_SUCCESS) [[unlikely]]
    session->call_failed(status, came);
  const bool is_done = status == MPI_SUCCESS && known == UseCounters::Known::all && function.row.uses.request < 0;
  if (!is_done) session->guarded([&](Registry&) { uses.end(call, known, status == MPI_SUCCESS); });
  const bool is_pending =
      function.row.lasts != Lasts::call || function.row.uses.request >= 0 || seen == PendingCalls::Seen::too_little;
  if (status == MPI_SUCCESS && is_pending && !is_of_nobody) leave_pending(*session, came, call, plain);
  return status;
}

}  // namespace ddtscope::plugin
