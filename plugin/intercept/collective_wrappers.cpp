// The C names of the functions that are collective and neither use datatypes nor make communicators, one MPI_ and one
// PMPI_ for each row of collectives.def.
#include <mpi.h>

#include "plugin/intercept/call_in_progress.h"
#include "plugin/intercept/record_collectives.h"
#include "plugin/intercept/record_in_flight.h"
#include "plugin/intercept/signature.h"
#include "plugin/library/newer_mpi_collectives.h"
#include "plugin/library/next_function.h"
#include "plugin/library/numbered_values.h"

namespace ddtscope::plugin {
namespace {

using Word = std::intptr_t;

/// A row held against the type of its function: positions that do not fit do not compile.
template <class Signature>
constexpr bool fits(const CollectiveArguments& row) {
  return row.communicator >= 0 && is_at<Signature, MPI_Comm>(row.communicator) &&
         is_at<Signature, MPI_Request*>(row.started) && is_at<Signature, MPI_Request*>(row.made);
}

struct CollectiveFunction {
  EntryPoint entry;
  Function function;
  bool is_profiling_name;
  const UseRow& row;
};

/// Arguments and result are the program's, untouched.
template <class... Words>
int call_collective(const CollectiveFunction& function, const ReturnPlace& place, int (*next)(Words...),
                    Words... words) {
  Session* const session = Session::active();
  if (session == nullptr || session->collectives() == nullptr) return next(words...);
  const Word arguments[] = {words...};
  const ProgramCall came =
      program_call({function.entry, function.function, function.is_profiling_name, place}, arguments[0]);
  if (!came.entry) return next(words...);
  Stack stack;
  session->capture(stack, came);
  const UsingCall call{{function.row, arguments}, came.entry, &stack};
  CollectiveOfCall collective(*session, call);
  const InFlight in_flight(*session, call, collective.shown());
  int status;
  {
    const Progress progress({.function = function.function, .first_argument = arguments[0]});
    const CallInFlight shown(in_flight.file(), trace::PendingCall::collective, in_flight.places());
    status = next(words...);
  }
  in_flight.end(status);
  collective.end(status);
  return status;
}

}  // namespace

#define DDTSCOPE_COLLECTIVE_AS(n, symbol, binding, called, ...)                                                    \
  extern "C" __attribute__((visibility("default"))) int wrapped_##symbol(DDTSCOPE_WORDS_##n) __asm__(#symbol);     \
  int wrapped_##symbol(DDTSCOPE_WORDS_##n) {                                                                       \
    static constinit Next<int(DDTSCOPE_WORDS_##n)> next(#symbol);                                                  \
    static constexpr UseRow row = collective_row(__VA_ARGS__);                                                     \
    static constexpr CollectiveFunction function{{#symbol, binding}, Function::P##called, #symbol[0] == 'P', row}; \
    static_assert(fits<decltype(P##called)>(__VA_ARGS__) && FunctionTraits<decltype(P##called)>::arity == n);      \
    return call_collective(function, DDTSCOPE_RETURN_PLACE, next.get() DDTSCOPE_VALUES_##n);                       \
  }
#define DDTSCOPE_COLLECTIVE(n, function, ...)                     \
  DDTSCOPE_COLLECTIVE_AS(n, function, "c", function, __VA_ARGS__) \
  DDTSCOPE_COLLECTIVE_AS(n, P##function, "pmpi", function, __VA_ARGS__)
#include "plugin/call/collectives.def"

}  // namespace ddtscope::plugin
