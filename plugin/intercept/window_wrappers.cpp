// The C names of the functions that make windows, one MPI_ and one PMPI_ for each function of windows.def. Those that
// free them are among the completions.
#include <mpi.h>

#include <cstdint>

#include "plugin/intercept/call_together.h"
#include "plugin/intercept/exported_function.h"
#include "plugin/intercept/signature.h"
#include "plugin/library/next_function.h"
#include "plugin/session/session.h"
#include "plugin/windows/window_row.h"

namespace ddtscope::plugin {
namespace {

/// A row held against the type of its function: positions that do not fit do not compile.
template <class Signature>
constexpr bool fits(const MakesWindow& row) {
  return is_at<Signature, void*>(row.base) && is_at<Signature, MPI_Aint>(row.size) &&
         is_at<Signature, int>(row.displacement_unit) && is_at<Signature, MPI_Info>(row.info) &&
         row.communicator >= 0 && is_at<Signature, MPI_Comm>(row.communicator) && row.made >= 0 &&
         is_at<Signature, MPI_Win*>(row.made);
}

struct MakingWindow {
  EntryPoint entry;
  Function function;
  bool is_profiling_name;
  MakesWindow row;
  bool is_large;
  const UseRow& collective;  // of the communicator's processes
};

std::uint64_t base_of(const MakesWindow& row, Word argument) {
  if (row.flavour == WindowFlavour::create || argument == 0) return static_cast<std::uint64_t>(argument);
  return reinterpret_cast<std::uintptr_t>(*reinterpret_cast<void* const*>(argument));
}

/// What the program asked for, and what has come of it.
WindowAccesses::Made made_by(const MakingWindow& function, const Word* arguments) {
  const MakesWindow& row = function.row;
  WindowAccesses::Made made{
      .window = handle_in_memory(reinterpret_cast<const void*>(arguments[row.made]), 0, sizeof(MPI_Win)),
      .communicator = bits_of_word(arguments[row.communicator], sizeof(MPI_Comm)),
      .flavour = row.flavour};
  if (row.base >= 0) made.base = base_of(row, arguments[row.base]);
  if (row.info >= 0) made.info = bits_of_word(arguments[row.info], sizeof(MPI_Info));
  if (row.size >= 0) made.size = arguments[row.size];
  if (row.displacement_unit >= 0) {
    const Word unit = arguments[row.displacement_unit];
    made.displacement_unit = function.is_large ? unit : static_cast<int>(unit);
  }
  return made;
}

/// One call, from before the library gets it until it has come back.
class MakingWindowCall {
 public:
  MakingWindowCall(Session& session, WindowAccesses& windows, const MakingWindow& function, const Word* arguments)
      : session_(session),
        windows_(windows),
        function_(function),
        arguments_(arguments),
        communicator_(bits_of_word(arguments[function.row.communicator], sizeof(MPI_Comm))) {
    session_.guarded([&](Registry&) { call_ = windows_.begin_call(communicator_); });
  }
  void fail() {
    session_.guarded([&](Registry&) { windows_.call_failed(communicator_); });
  }
  /// It succeeded.
  void end(const ProgramCall& came, const Stack& stack) {
    if (arguments_[function_.row.made] == 0) return;
    session_.guarded([&](Registry&) {
      WindowAccesses::Made made = made_by(function_, arguments_);
      made.called = came.entry;
      made.stack = &stack;
      windows_.made(made, call_);
    });
  }

 private:
  Session& session_;
  WindowAccesses& windows_;
  const MakingWindow& function_;
  const Word* arguments_;
  HandleBits communicator_;
  CommunicatorNames::Call call_;
};

/// Arguments and result are the program's, untouched.
template <class... Words>
int call_making_window(const MakingWindow& function, const ReturnPlace& place, int (*next)(Words...), Words... words) {
  Session* const session = Session::active();
  WindowAccesses* const windows = session != nullptr ? session->window_accesses() : nullptr;
  if (windows == nullptr) return next(words...);
  const auto begin = [&](const Word* arguments) { return MakingWindowCall(*session, *windows, function, arguments); };
  return call_together(*session, {function.entry, function.function, function.is_profiling_name, place},
                       function.collective, begin, next, words...);
}
static_assert(sizeof(MPI_Win) == sizeof(MPI_Datatype));

}  // namespace

#define DDTSCOPE_MAKING_WINDOW(n, symbol, binding, called, is_large, ...)                                   \
  DDTSCOPE_EXPORTED_WORDS(n, symbol) {                                                                      \
    static constinit Next<int(DDTSCOPE_WORDS_##n)> next(#symbol);                                           \
    static constexpr MakesWindow row = __VA_ARGS__;                                                         \
    static constexpr UseRow collective = collective_row({.communicator = row.communicator});                \
    static constexpr MakingWindow function{{#symbol, binding}, Function::P##called, #symbol[0] == 'P', row, \
                                           is_large,           collective};                                 \
    return call_making_window(function, DDTSCOPE_RETURN_PLACE, next.get() DDTSCOPE_VALUES_##n);             \
  }
#define DDTSCOPE_WINDOW_ALONE(n, function, ...)                                                                 \
  static_assert(fits<decltype(P##function)>(__VA_ARGS__) && FunctionTraits<decltype(P##function)>::arity == n); \
  DDTSCOPE_MAKING_WINDOW(n, function, "c", function, false, __VA_ARGS__)                                        \
  DDTSCOPE_MAKING_WINDOW(n, P##function, "pmpi", function, false, __VA_ARGS__)
#define DDTSCOPE_WINDOW(n, function, ...)                                       \
  DDTSCOPE_WINDOW_ALONE(n, function, __VA_ARGS__)                               \
  DDTSCOPE_MAKING_WINDOW(n, function##_c, "c", function##_c, true, __VA_ARGS__) \
  DDTSCOPE_MAKING_WINDOW(n, P##function##_c, "pmpi", function##_c, true, __VA_ARGS__)
#include "plugin/call/windows.def"

}  // namespace ddtscope::plugin
