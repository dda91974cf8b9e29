// MPI_Abort: that this process ends the job by itself, and where, is in the trace before the library does it.
#include "plugin/intercept/call_in_progress.h"
#include "plugin/intercept/exported_function.h"
#include "plugin/library/next_function.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {
namespace {

int call_aborting(const Arrival& arrival, int (*next)(Word, Word), Word communicator, Word code) {
  Session* const session = Session::active();
  const ProgramCall came = session != nullptr ? program_call(arrival, communicator) : ProgramCall();
  if (came.entry != nullptr) session->aborts(static_cast<int>(code), came);
  const Progress progress({.function = Function::PMPI_Abort, .first_argument = communicator});
  return next(communicator, code);
}

}  // namespace

#define DDTSCOPE_ABORT(symbol, binding)                                                           \
  DDTSCOPE_EXPORTED_WORDS(2, symbol) {                                                            \
    static constinit Next<int(DDTSCOPE_WORDS_2)> next(#symbol);                                   \
    static constexpr EntryPoint entry{#symbol, binding};                                          \
    return call_aborting({entry, Function::PMPI_Abort, #symbol[0] == 'P', DDTSCOPE_RETURN_PLACE}, \
                         next.get() DDTSCOPE_VALUES_2);                                           \
  }
DDTSCOPE_ABORT(MPI_Abort, "c")
DDTSCOPE_ABORT(PMPI_Abort, "pmpi")

}  // namespace ddtscope::plugin
