// The C names of the functions that are collective and neither use datatypes nor make communicators, one MPI_ and one
// PMPI_ for each row of collectives.def.
#include <mpi.h>

#include <optional>

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
  // MPI_Barrier waits, MPI_Ibarrier starts; what MPI_Barrier_init makes is not shown.
  constexpr std::size_t waits = 1;
  constexpr std::size_t starts = 2;
  std::optional<InFlight> in_flight;
  if (sizeof...(Words) <= starts) in_flight.emplace(*session, call);
  int status;
  {
    const Progress progress({.function = function.function, .first_argument = arguments[0]});
    const bool is_waiting = in_flight && sizeof...(Words) == waits;
    const CallInFlight shown(is_waiting ? in_flight->file() : nullptr, trace::PendingCall::collective,
                             is_waiting ? in_flight->places() : PlacesInFlight{});
    status = next(words...);
  }
  if (in_flight) in_flight->end(status);
  if (in_flight && status == MPI_SUCCESS && sizeof...(Words) == starts && in_flight->file() != nullptr) {
    show_started(*in_flight->file(), arguments[starts - 1], in_flight->places());
  }
  collective.end(status);
  return status;
}

}  // namespace

#define DDTSCOPE_COLLECTIVE_AS(n, symbol, binding, called, communicator)                                           \
  extern "C" __attribute__((visibility("default"))) int wrapped_##symbol(DDTSCOPE_WORDS_##n) __asm__(#symbol);     \
  int wrapped_##symbol(DDTSCOPE_WORDS_##n) {                                                                       \
    static constinit Next<int(DDTSCOPE_WORDS_##n)> next(#symbol);                                                  \
    static constexpr UseRow row = collective_row(communicator);                                                    \
    static constexpr CollectiveFunction function{{#symbol, binding}, Function::P##called, #symbol[0] == 'P', row}; \
    static_assert(is_at<decltype(P##called), MPI_Comm>(communicator) &&                                            \
                  FunctionTraits<decltype(P##called)>::arity == n);                                                \
    return call_collective(function, DDTSCOPE_RETURN_PLACE, next.get() DDTSCOPE_VALUES_##n);                       \
  }
#define DDTSCOPE_COLLECTIVE(n, function, communicator)             \
  DDTSCOPE_COLLECTIVE_AS(n, function, "c", function, communicator) \
  DDTSCOPE_COLLECTIVE_AS(n, P##function, "pmpi", function, communicator)
#include "plugin/call/collectives.def"

}  // namespace ddtscope::plugin
