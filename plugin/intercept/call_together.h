// The way of a call that all processes of a communicator make together through its wrapper: it stands in the
// communicator's sequence, others see it while it is under way, and what it makes is told when it has come back.
#pragma once

#include <utility>

#include "plugin/intercept/call_in_progress.h"
#include "plugin/intercept/record_collectives.h"
#include "plugin/intercept/record_in_flight.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {

/// Of a call that makes nothing.
struct MakesNothing {
  void fail() const {}
  void end(const ProgramCall&, const Stack&) const {}
};

/// Arguments and result are the program's, untouched. `row` (collective_row) says which communicator it is; before the
/// library gets the call, `begin` gives what is told of it afterwards: that it failed, `fail()`, or what it has made,
/// `end(came, stack)`.
template <class Begin, class... Words>
int call_together(Session& session, const Arrival& arrival, const UseRow& row, const Begin& begin,
                  int (*next)(Words...), Words... words) {
  const std::intptr_t arguments[] = {words...};
  const ProgramCall came = program_call(arrival, arguments[0]);
  if (!came.entry) return next(words...);
  Stack stack;
  session.capture(stack, came);
  auto making = begin(static_cast<const std::intptr_t*>(arguments));
  const UsingCall together{{row, arguments}, came.entry, &stack};
  CollectiveOfCall collective(session, together);
  const InFlight in_flight(session, together, collective.shown());
  int status;
  {
    const Progress progress({.function = arrival.function, .first_argument = arguments[0]});
    const CallInFlight shown(in_flight.file(), trace::PendingCall::collective, in_flight.places());
    status = next(words...);
  }
  in_flight.end(status);
  collective.end(status);
  if (status == MPI_SUCCESS) {
    making.end(came, stack);
  } else {
    making.fail();
    session.call_failed(status, came);
  }
  return status;
}

}  // namespace ddtscope::plugin
