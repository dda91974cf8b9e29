// What is recorded of the calls that use datatypes: before the library gets them, and after.
#pragma once

#include <cstdint>

#include "plugin/intercept/call_in_progress.h"
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
  if (!session || !session->uses()) return next(words...);
  const Word arguments[] = {words...};
  const ProgramCall came =
      program_call({function.entry, function.function, function.is_profiling_name, place}, arguments[0]);
  if (!came.entry) return next(words...);
  UseCounters& uses = *session->uses();
  Stack stack;
  session->capture(stack, came);
  const UsingCall call{{function.row, arguments}, came.entry, &stack};
  const UseCounters::Known known = session->guarded([&](Registry&) { return uses.begin(call); });
  int status;
  {
    const Progress progress({.function = function.function, .first_argument = arguments[0]});
    status = next(words...);
  }
  if (status != MPI_SUCCESS) [[unlikely]]
    session->call_failed(status, came);
  const bool is_done = status == MPI_SUCCESS && known == UseCounters::Known::all && function.row.uses.request < 0;
  if (!is_done) session->guarded([&](Registry&) { uses.end(call, known, status == MPI_SUCCESS); });
  return status;
}

}  // namespace ddtscope::plugin
