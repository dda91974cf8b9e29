// The C names of the functions that are collective and neither use datatypes nor make communicators, one MPI_ and one
// PMPI_ for each row of collectives.def.
#include <mpi.h>

#include "plugin/intercept/call_together.h"
#include "plugin/intercept/exported_function.h"
#include "plugin/intercept/signature.h"
#include "plugin/library/newer_mpi_collectives.h"
#include "plugin/library/next_function.h"

namespace ddtscope::plugin {
namespace {

/// A row held against the type of its function: positions that do not fit do not compile.
template <class Signature>
constexpr bool fits(const CollectiveArguments& row) {
  return row.communicator >= 0 && is_at<Signature, MPI_Comm>(row.communicator) &&
         is_at<Signature, MPI_Request*>(row.started) && is_at<Signature, MPI_Request*>(row.made);
}

/// Arguments and result are the program's, untouched.
template <class... Words>
int call_collective(const Arrival& arrival, const UseRow& row, int (*next)(Words...), Words... words) {
  Session* const session = Session::active();
  if (session == nullptr || session->collectives() == nullptr) return next(words...);
  return call_together(
      *session, arrival, row, [](const Word*) { return MakesNothing(); }, next, words...);
}

}  // namespace

#define DDTSCOPE_COLLECTIVE_AS(n, symbol, binding, called, ...)                                               \
  DDTSCOPE_EXPORTED_WORDS(n, symbol) {                                                                        \
    static constinit Next<int(DDTSCOPE_WORDS_##n)> next(#symbol);                                             \
    static constexpr UseRow row = collective_row(__VA_ARGS__);                                                \
    static constexpr EntryPoint entry{#symbol, binding};                                                      \
    static_assert(fits<decltype(P##called)>(__VA_ARGS__) && FunctionTraits<decltype(P##called)>::arity == n); \
    return call_collective({entry, Function::P##called, #symbol[0] == 'P', DDTSCOPE_RETURN_PLACE}, row,       \
                           next.get() DDTSCOPE_VALUES_##n);                                                   \
  }
#define DDTSCOPE_COLLECTIVE(n, function, ...)                     \
  DDTSCOPE_COLLECTIVE_AS(n, function, "c", function, __VA_ARGS__) \
  DDTSCOPE_COLLECTIVE_AS(n, P##function, "pmpi", function, __VA_ARGS__)
#include "plugin/call/collectives.def"

}  // namespace ddtscope::plugin
