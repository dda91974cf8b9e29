// MPI_Pcontrol, by which a program says what is to be recorded (MPI-4.1 15.2.4). How many arguments follow the level,
// and of which types, is between the program and its profiler: another tool, or the library, gets them as they are.
#include "plugin/intercept/call_in_progress.h"
#include "plugin/intercept/exported_function.h"
#include "plugin/library/next_function.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {
namespace {

/// All that a caller may have passed in registers, and some words of its stack.
#ifdef __x86_64__
#define DDTSCOPE_WORDS_IN_REGISTERS Word r1, Word r2, Word r3, Word r4, Word r5
#define DDTSCOPE_VALUES_IN_REGISTERS r1, r2, r3, r4, r5
#else
#define DDTSCOPE_WORDS_IN_REGISTERS Word r1, Word r2, Word r3, Word r4, Word r5, Word r6, Word r7
#define DDTSCOPE_VALUES_IN_REGISTERS r1, r2, r3, r4, r5, r6, r7
#endif
#define DDTSCOPE_ANY_ARGUMENTS                                                                                         \
  int level, DDTSCOPE_WORDS_IN_REGISTERS, double f0, double f1, double f2, double f3, double f4, double f5, double f6, \
      double f7, Word s0, Word s1, Word s2, Word s3, Word s4, Word s5, Word s6, Word s7
#define DDTSCOPE_ANY_VALUES \
  level, DDTSCOPE_VALUES_IN_REGISTERS, f0, f1, f2, f3, f4, f5, f6, f7, s0, s1, s2, s3, s4, s5, s6, s7

/// What the program says counts before another tool hears of it.
void control(const Arrival& arrival, int level) {
  Session* session = Session::active();
  if (!session) return;
  const ProgramCall came = program_call(arrival, level);
  if (came.entry) session->control(level, came);
}

}  // namespace

#define DDTSCOPE_PCONTROL(symbol, binding)                                                      \
  DDTSCOPE_EXPORTED(int, symbol, DDTSCOPE_ANY_ARGUMENTS) {                                      \
    static constinit Next<int(int, ...)> next(#symbol);                                         \
    static constexpr EntryPoint entry{#symbol, binding};                                        \
    control({entry, Function::PMPI_Pcontrol, #symbol[0] == 'P', DDTSCOPE_RETURN_PLACE}, level); \
    const Progress progress({.function = Function::PMPI_Pcontrol, .first_argument = level});    \
    return next.get()(DDTSCOPE_ANY_VALUES);                                                     \
  }
DDTSCOPE_PCONTROL(MPI_Pcontrol, "c")
DDTSCOPE_PCONTROL(PMPI_Pcontrol, "pmpi")

}  // namespace ddtscope::plugin
