// The C names of the functions that make windows, one MPI_ and one PMPI_ for each function of windows.def. Those that
// free them are among the completions.
#include <mpi.h>

#include <cstdint>

#include "plugin/intercept/call_in_progress.h"
#include "plugin/intercept/signature.h"
#include "plugin/library/next_function.h"
#include "plugin/library/numbered_values.h"
#include "plugin/session/session.h"
#include "plugin/windows/window_row.h"

namespace ddtscope::plugin {
namespace {

using Word = std::intptr_t;

/// A row held against the type of its function: positions that do not fit do not compile.
template <class Signature>
constexpr bool fits(const MakesWindow& row) {
  return is_at<Signature, MPI_Aint>(row.size) && is_at<Signature, int>(row.displacement_unit) &&
         row.communicator >= 0 && is_at<Signature, MPI_Comm>(row.communicator) && row.made >= 0 &&
         is_at<Signature, MPI_Win*>(row.made);
}

struct MakingFunction {
  EntryPoint entry;
  Function function;
  bool is_profiling_name;
  MakesWindow row;
  bool is_large;
};

/// What the program asked for, and what has come of it.
WindowAccesses::Made made_by(const MakingFunction& function, const Word* arguments) {
  const MakesWindow& row = function.row;
  WindowAccesses::Made made{
      .window = handle_in_memory(reinterpret_cast<const void*>(arguments[row.made]), 0, sizeof(MPI_Win)),
      .communicator = bits_of_word(arguments[row.communicator], sizeof(MPI_Comm)),
      .flavour = row.flavour};
  if (row.size >= 0) made.size = arguments[row.size];
  if (row.displacement_unit >= 0) {
    const Word unit = arguments[row.displacement_unit];
    made.displacement_unit = function.is_large ? unit : static_cast<int>(unit);
  }
  return made;
}

/// Arguments and result are the program's, untouched.
template <class... Words>
int call_making(const MakingFunction& function, const ReturnPlace& place, int (*next)(Words...), Words... words) {
  Session* const session = Session::active();
  WindowAccesses* const windows = session != nullptr ? session->window_accesses() : nullptr;
  if (windows == nullptr) return next(words...);
  const Word arguments[] = {words...};
  const ProgramCall came =
      program_call({function.entry, function.function, function.is_profiling_name, place}, arguments[0]);
  if (!came.entry) return next(words...);
  const HandleBits communicator = bits_of_word(arguments[function.row.communicator], sizeof(MPI_Comm));
  CommunicatorNames::Call call;
  session->guarded([&](Registry&) { call = windows->begin_call(communicator); });
  int status;
  {
    const Progress progress({.function = function.function, .first_argument = arguments[0]});
    status = next(words...);
  }
  if (status != MPI_SUCCESS) {
    session->guarded([&](Registry&) { windows->call_failed(communicator); });
  } else if (arguments[function.row.made] != 0) {
    Stack stack;
    session->capture(stack, came);
    session->guarded([&](Registry&) {
      WindowAccesses::Made made = made_by(function, arguments);
      made.called = came.entry;
      made.stack = &stack;
      windows->made(made, call);
    });
  }
  return status;
}
static_assert(sizeof(MPI_Win) == sizeof(MPI_Datatype));

}  // namespace

#define DDTSCOPE_MAKING(n, symbol, binding, called, is_large, ...)                                             \
  extern "C" __attribute__((visibility("default"))) int wrapped_##symbol(DDTSCOPE_WORDS_##n) __asm__(#symbol); \
  int wrapped_##symbol(DDTSCOPE_WORDS_##n) {                                                                   \
    static constinit Next<int(DDTSCOPE_WORDS_##n)> next(#symbol);                                              \
    static constexpr MakingFunction function{                                                                  \
        {#symbol, binding}, Function::P##called, #symbol[0] == 'P', __VA_ARGS__, is_large};                    \
    return call_making(function, DDTSCOPE_RETURN_PLACE, next.get() DDTSCOPE_VALUES_##n);                       \
  }
#define DDTSCOPE_WINDOW_ALONE(n, function, ...)                                                                 \
  static_assert(fits<decltype(P##function)>(__VA_ARGS__) && FunctionTraits<decltype(P##function)>::arity == n); \
  DDTSCOPE_MAKING(n, function, "c", function, false, __VA_ARGS__)                                               \
  DDTSCOPE_MAKING(n, P##function, "pmpi", function, false, __VA_ARGS__)
#define DDTSCOPE_WINDOW(n, function, ...)                                \
  DDTSCOPE_WINDOW_ALONE(n, function, __VA_ARGS__)                        \
  DDTSCOPE_MAKING(n, function##_c, "c", function##_c, true, __VA_ARGS__) \
  DDTSCOPE_MAKING(n, P##function##_c, "pmpi", function##_c, true, __VA_ARGS__)
#include "plugin/call/windows.def"

}  // namespace ddtscope::plugin
